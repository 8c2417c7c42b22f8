/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings that do not depend on the format: where settings stand, unknown keys, settings that contradict one
 * another. */
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "persist/persist_private.h"

/* The file's own text is part of sentences that go to terminals. */
static void replace_controls(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f) {
			*text = '?';
		}
	}
}

static struct persist_finding *make_place(struct persist_file *file, unsigned line)
{
	unsigned at = file->finding_count;

	while (at > 0 && file->findings[at - 1].line > line) {
		file->findings[at] = file->findings[at - 1];
		at--;
	}
	file->finding_count++;
	return &file->findings[at];
}

static void say_full(struct persist_file *file, enum persist_severity severity)
{
	struct persist_finding *const last = &file->findings[PERSIST_FINDINGS_MAX - 1];

	last->severity = last->severity > severity ? last->severity : severity;
	persist_copy(last->text, sizeof(last->text), "there is more to be found in this file than is kept");
}

void persist_find(struct persist_file *file, unsigned line, enum persist_severity severity, const char *format, ...)
{
	va_list values;

	if (file->finding_count == PERSIST_FINDINGS_MAX) {
		say_full(file, severity);
		return;
	}
	struct persist_finding *const finding = make_place(file, line);

	finding->line = line;
	finding->severity = severity;
	va_start(values, format);
	vsnprintf(finding->text, sizeof(finding->text), format, values);
	va_end(values);
	replace_controls(finding->text);
}

void persist_put(struct persist_file *file, unsigned line, const char *key, enum coalesce_field field, uint32_t value)
{
	if (coalesce_has(&file->settings, field) && file->lines[field] != line) {
		persist_find(file, line, PERSIST_WARNING, "%.60s was given in line %u already: the last one counts",
			     key, file->lines[field]);
	}
	coalesce_put(&file->settings, field, value);
	file->lines[field] = line;
}

void persist_unknown_key(struct persist_file *file, unsigned line, const char *section, const char *key,
			 const char *const *known, size_t count, const char *consequence)
{
	const char *const nearest = text_nearest(key, known, count);

	if (nearest) {
		persist_find(file, line, PERSIST_WRONG, "there is no key \"%.48s\" in [%.32s]: %s; %s may be meant",
			     key, section, consequence, nearest);
	} else {
		persist_find(file, line, PERSIST_WRONG, "there is no key \"%.48s\" in [%.32s]: %s", key, section,
			     consequence);
	}
}

/* ---- settings that contradict one another ---- */

struct direction {
	enum coalesce_field adaptive, usecs, frames;
};

static const struct direction directions[] = {
	{ COALESCE_ADAPTIVE_RX, COALESCE_RX_USECS, COALESCE_RX_FRAMES },
	{ COALESCE_ADAPTIVE_TX, COALESCE_TX_USECS, COALESCE_TX_FRAMES },
};

static bool is_zero(const struct coalesce *settings, enum coalesce_field field)
{
	return coalesce_has(settings, field) && settings->value[field] == 0;
}

static bool is_on(const struct coalesce *settings, enum coalesce_field field)
{
	return coalesce_has(settings, field) && settings->value[field] != 0;
}

static void check_direction(struct persist_file *file, const struct direction *direction)
{
	const struct coalesce *const settings = &file->settings;
	const char *const usecs = coalesce_fields[direction->usecs].name;
	const char *const frames = coalesce_fields[direction->frames].name;
	const bool has_usecs = coalesce_has(settings, direction->usecs);

	if (is_on(settings, direction->adaptive) && (has_usecs || coalesce_has(settings, direction->frames))) {
		const enum coalesce_field beside = has_usecs ? direction->usecs : direction->frames;

		persist_find(file, file->lines[beside], PERSIST_WARNING,
			     "%s %u stands beside %s on: most drivers then choose values themselves and refuse or "
			     "ignore it",
			     coalesce_fields[beside].name, settings->value[beside],
			     coalesce_fields[direction->adaptive].name);
	}
	if (is_zero(settings, direction->usecs) && is_zero(settings, direction->frames)) {
		persist_find(file, file->lines[direction->frames], PERSIST_WARNING,
			     "%s and %s are both 0, which by the kernel's rules is no setting at all: without "
			     "coalescing is %s 0 with %s 1",
			     usecs, frames, usecs, frames);
	}
}

static void check_order_of(struct persist_file *file, enum coalesce_field low, enum coalesce_field high)
{
	const struct coalesce *const settings = &file->settings;

	if (coalesce_has(settings, low) && coalesce_has(settings, high) &&
	    settings->value[low] > settings->value[high]) {
		persist_find(file, file->lines[low], PERSIST_WARNING, "%s %u is above %s %u", coalesce_fields[low].name,
			     settings->value[low], coalesce_fields[high].name, settings->value[high]);
	}
}

/*
 * Drivers without a model here of which people reported a rule. Sources: igb and tg3: perfsonar toolkit issues 297 and
 * 300; be2net: Emulex manual 10.2.
 */
static void check_driver(struct persist_file *file)
{
	const struct coalesce *const settings = &file->settings;
	const char *const driver = file->match.driver;
	const bool is_igb = strcmp(driver, "igb") == 0;

	for (unsigned i = 0; is_igb && i < sizeof(directions) / sizeof(directions[0]); i++) {
		if (is_on(settings, directions[i].frames)) {
			persist_find(file, file->lines[directions[i].frames], PERSIST_WRONG,
				     "igb has no %s and refuses the whole request with it (\"Unknown error 524\")",
				     coalesce_fields[directions[i].frames].name);
		}
	}
	if (strcmp(driver, "be2net") == 0 && settings->value[COALESCE_RX_FRAMES] == 1) {
		persist_find(file, file->lines[COALESCE_RX_FRAMES], PERSIST_WARNING,
			     "on be2net rx-frames 1 also turns LRO off");
	}
	if (strcmp(driver, "tg3") == 0 && is_zero(settings, COALESCE_RX_USECS) &&
	    !is_on(settings, COALESCE_RX_FRAMES)) {
		persist_find(file, file->lines[COALESCE_RX_USECS], PERSIST_WRONG,
			     "tg3 refuses rx-usecs 0 alone: rx-frames 1 has to stand beside it");
	}
}

void persist_check_settings(struct persist_file *file)
{
	if (file->is_readout) {
		return;
	}
	for (unsigned i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) {
		check_direction(file, &directions[i]);
	}
	check_order_of(file, COALESCE_RX_USECS_LOW, COALESCE_RX_USECS_HIGH);
	check_order_of(file, COALESCE_TX_USECS_LOW, COALESCE_TX_USECS_HIGH);
	check_order_of(file, COALESCE_PKT_RATE_LOW, COALESCE_PKT_RATE_HIGH);
	check_driver(file);
}
