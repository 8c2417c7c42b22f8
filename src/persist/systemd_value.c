/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of coalescing keys in .link files: time spans, numbers and switches as systemd takes them. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "persist/persist_private.h"

/* A line that systemd does not understand; most often a comment behind the value is why. */
static void find_unparsable(struct persist_file *file, unsigned line, const char *key, const char *value,
			    const char *expected)
{
	persist_find(file, line, PERSIST_WRONG, "%s=%.60s is no %s: systemd ignores the line%s", key, value, expected,
		     strpbrk(value, "#;") ? "; comments stand on lines of their own" : "");
}

static uint64_t suspected_us(const char *value)
{
	uint32_t number;

	return text_parse_u32(value, "", &number, NULL) ? 0 : number;
}

/* 100 for 100us: what it comes to, and what was most likely meant. */
static void find_bare(struct persist_file *file, unsigned line, const char *key, const char *value,
		      enum coalesce_field field, uint64_t us)
{
	const char *const name = coalesce_fields[field].name;
	const uint64_t meant = suspected_us(value);
	char better[80] = "";

	if (meant) {
		snprintf(better, sizeof(better), "; %s=%" PRIu64 "us is %s %" PRIu64, key, meant, name, meant);
	}
	if (us > UINT32_MAX) {
		persist_find(file, line, PERSIST_WRONG,
			     "%s=%.40s has no unit and means seconds: %" PRIu64 " us do not fit 32 bits, and systemd "
			     "ignores the line (nothing wraps)%s",
			     key, value, us, better);
	} else {
		persist_find(file, line, PERSIST_WARNING,
			     "%s=%.40s has no unit and means seconds: %s %" PRIu64
			     " (it fits 32 bits, nothing wraps)%s",
			     key, value, name, us, better);
	}
}

static void find_too_long(struct persist_file *file, unsigned line, const char *key, const char *value,
			  const struct persist_timespan *span)
{
	persist_find(file, line, PERSIST_WRONG,
		     "%s=%.60s is more than 4294967295 us, which is what 32 bits hold: systemd ignores the line "
		     "(nothing wraps)%s",
		     key, value, span->has_m ? "; m are minutes, ms are milliseconds" : "");
}

static void take_span(struct persist_file *file, unsigned line, const char *key, const char *value,
		      enum coalesce_field field)
{
	const bool is_interval = field == COALESCE_SAMPLE_INTERVAL;
	struct persist_timespan span;
	const int ret = persist_parse_timespan(value, &span);

	if (ret == -EINVAL || strchr(value, '-')) {
		find_unparsable(file, line, key, value,
				strchr(value, '-') ? "time span (nothing negative is)" : "time span such as 100us");
		return;
	}
	if (span.has_bare && !is_interval) {
		find_bare(file, line, key, value, field, ret ? UINT64_MAX : span.us);
	} else if (ret || span.us > UINT32_MAX) {
		find_too_long(file, line, key, value, &span);
	} else if (span.has_m) {
		persist_find(file, line, PERSIST_WARNING, "%s=%.60s: m are minutes, M months; ms are milliseconds", key,
			     value);
	}
	if (ret || span.us > UINT32_MAX) {
		return;
	}
	if (span.us == 0 && !persist_systemd_link_expresses(field, 0)) {
		persist_find(file, line, PERSIST_WRONG, "%s= must not be 0: systemd ignores the line", key);
		return;
	}
	if (is_interval ? span.us % 1000000 != 0 : span.is_rounded) {
		persist_find(file, line, PERSIST_WARNING, "%s=%.60s is rounded to whole %s", key, value,
			     is_interval ? "seconds, up" : "us, down");
	}
	persist_put(file, line, key, field,
		    is_interval ? (uint32_t)(span.us / 1000000 + (span.us % 1000000 != 0)) : (uint32_t)span.us);
}

int persist_parse_number(const char *text, uint32_t *value)
{
	const char *digits = text + (*text == '+');
	unsigned base = 10;
	uint64_t number = 0;

	if (digits[0] == '0' && digits[1]) {
		base = strchr("xX", digits[1]) ? 16 : strchr("bB", digits[1]) ? 2 : 8;
		digits += base == 8 ? 1 + (strchr("oO", digits[1]) != NULL) : 2;
	}
	if (!*digits) {
		return -EINVAL;
	}
	for (; *digits; digits++) {
		static const char all[] = "0123456789abcdef";
		const char *const at = strchr(all, *digits | (*digits >= 'A' ? 0x20 : 0));

		if (!at || (unsigned)(at - all) >= base) {
			return -EINVAL;
		}
		number = number * base + (unsigned)(at - all);
		if (number > UINT32_MAX) {
			return -ERANGE;
		}
	}
	*value = (uint32_t)number;
	return 0;
}

static void take_number(struct persist_file *file, unsigned line, const char *key, const char *value,
			enum coalesce_field field)
{
	uint32_t number;

	if (persist_parse_number(value, &number)) {
		find_unparsable(file, line, key, value, "number from 0 to 4294967295");
		return;
	}
	if (value[0] == '0' && strspn(value, "01234567") == strlen(value) && number > 7) {
		persist_find(file, line, PERSIST_WARNING, "%s=%.40s begins with 0 and is octal: %s %" PRIu32, key,
			     value, coalesce_fields[field].name, number);
	}
	persist_put(file, line, key, field, number);
}

static void take_switch(struct persist_file *file, unsigned line, const char *key, const char *value,
			enum coalesce_field field)
{
	static const char *const on[] = { "1", "yes", "y", "true", "t", "on" };
	static const char *const off[] = { "0", "no", "n", "false", "f", "off" };

	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		if (strcasecmp(value, on[i]) == 0 || strcasecmp(value, off[i]) == 0) {
			persist_put(file, line, key, field, strcasecmp(value, on[i]) == 0);
			return;
		}
	}
	find_unparsable(file, line, key, value, "boolean (yes or no)");
}

void persist_take_link_setting(struct persist_file *file, unsigned line, const char *key, const char *value,
			       enum coalesce_field field)
{
	if (!value[0]) {
		/* An empty value takes back what was given before. */
		file->settings.present &= ~COALESCE_BIT(field);
		file->settings.value[field] = 0;
		return;
	}
	switch (coalesce_fields[field].unit) {
	case COALESCE_UNIT_USECS:
	case COALESCE_UNIT_SECONDS:
		take_span(file, line, key, value, field);
		break;
	case COALESCE_UNIT_SWITCH:
		take_switch(file, line, key, value, field);
		break;
	default:
		take_number(file, line, key, value, field);
		break;
	}
}
