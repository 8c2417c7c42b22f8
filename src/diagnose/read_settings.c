/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of ethtool -c and -Q, in all their forms: src/persist knows them line by line; here is what a whole table
 * says, and whom about. A field that a driver lacks is n/a since ethtool 5.7 over netlink, and 0 before.
 */
#include <stdio.h>
#include <string.h>

#include "coalesce/field.h"
#include "diagnose/reader.h"
#include "diagnose/remark.h"

static const char heading[] = "Coalesce parameters for ";

/* "rx-usecs: 3": a word of the table with its colon. */
static bool is_row(const char *line)
{
	char word[48];

	line_word(line, ":", word, sizeof(word));
	return line[strlen(word)] == ':' && coalesce_field_find(word) != COALESCE_FIELDS;
}

static bool is_switches(const char *line)
{
	return line_begins(line, "Adaptive RX:") || line_begins(line, "CQE mode RX:");
}

bool settings_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, heading) || is_switches(line->text) || is_row(line->text);
}

/* What nobody knows yet looks like a row, too: "rx-something:  n/a". */
static bool may_be_row(const char *line)
{
	char word[48];

	line_word(line, ":", word, sizeof(word));
	const char *const value = line + strlen(word);
	const bool is_word = strchr(word, '-') && !strchr(word, '/') && *value == ':';

	return is_word && (line_ends(line, "n/a") || strspn(line_skip_blanks(value + 1), "0123456789") > 0);
}

bool settings_go_on(const struct lines *line)
{
	return !line_begins(line->text, heading) &&
	       (is_switches(line->text) || is_row(line->text) || may_be_row(line->text));
}

/* A table from before netlink has every field as a number, and no line on CQE mode. */
static bool is_old_table(const struct persist_file *file)
{
	const uint32_t all = COALESCE_BIT(COALESCE_SAMPLE_INTERVAL + 1) - 1;

	return file->absent == 0 && (file->settings.present & all) == all &&
	       !coalesce_has(&file->settings, COALESCE_CQE_MODE_RX);
}

/* Persist finds what a line of a table is not; whatever it is here that line was kept out. */
static void count_odd(struct reader *reader)
{
	const struct persist_file *const file = &reader->persisted;

	for (unsigned i = 0; i < file->finding_count; i++) {
		if (strstr(file->findings[i].text, "is no setting that is known")) {
			reader_odd(reader);
		}
	}
}

/* Whether the text has a request, accepted or not, that no table has answered yet. */
static bool is_pending(const struct reader *reader)
{
	const struct diagnosis *const diagnosis = reader->diagnosis;

	for (unsigned i = 0; i < diagnosis->change_count; i++) {
		if (diagnosis->changes[i].device == reader->piece->device && !diagnosis->changes[i].is_read_back) {
			return true;
		}
	}
	return false;
}

static void note_drift(const struct reader *reader, struct diagnose_device *device)
{
	const struct coalesce *const now = &reader->persisted.settings;

	device->drifted = 0;
	if (device->has_settings && !is_pending(reader) && device->settings_file == reader->file) {
		device->drifted = coalesce_difference(&device->settings, now) & device->settings.present & now->present;
		device->drifted_from = device->settings;
	}
}

/* A part of a table has only what somebody cut out of it: the rest is neither there nor lacking. */
static void take_table(struct reader *reader, struct diagnose_device *device)
{
	const struct persist_file *const file = &reader->persisted;
	const bool is_cut = (file->settings.present | file->absent) != 0 &&
			    !((file->settings.present | file->absent) & COALESCE_BIT(COALESCE_TX_USECS_HIGH));

	device->before = device->settings;
	if (is_cut && device->has_settings) {
		device->settings = coalesce_merge(&device->settings, &file->settings);
	} else {
		device->settings = file->settings;
	}
	device->has_settings = true;
	device->absent = file->absent;
	device->support = is_old_table(file) ? DIAGNOSE_SUPPORT_UNKNOWN : DIAGNOSE_SUPPORT_SAID;
	device->settings_file = reader->file;
	device->settings_line = reader->piece->first;
}

/* Of a field that is reported otherwise than it was asked for: unmoved it was ignored, moved it was rounded. */
static void tell_difference(struct reader *reader, const struct diagnose_device *device,
			    const struct diagnose_change *change, enum coalesce_field field)
{
	const uint32_t asked = change->request.value[field], now = device->settings.value[field];
	const char *const name = coalesce_fields[field].name;
	const struct remark_origin origin = {
		.rule = "accepted-and-ignored",
		.source = "luigirizzo/netmap issue 555: success, and -c still shows the old value",
		.device = reader->piece->device,
		.file = reader->file,
		.line = reader->piece->first,
	};

	if (!coalesce_has(&device->before, field)) {
		remark_add(
			reader->diagnosis, &origin, DIAGNOSE_NOTE,
			"%s %u was asked for without a complaint, and %u is reported: what it was before the text does "
			"not say",
			name, asked, now);
	} else if (device->before.value[field] == now) {
		remark_add(reader->diagnosis, &origin, DIAGNOSE_CAUSE,
			   "%s %u was asked for without a complaint, and %u is reported as before: the driver accepted "
			   "it and "
			   "ignored it",
			   name, asked, now);
	} else {
		remark_add(reader->diagnosis, &origin, DIAGNOSE_MEANS, "%s %u became %u: the driver rounds", name,
			   asked, now);
	}
}

/* What was set before this table. */
static void compare_changes(struct reader *reader, const struct diagnose_device *device)
{
	struct diagnosis *const diagnosis = reader->diagnosis;

	for (unsigned i = 0; i < diagnosis->change_count; i++) {
		struct diagnose_change *const change = &diagnosis->changes[i];
		const uint32_t differs = coalesce_difference(&change->request, &device->settings) &
					 change->request.present;

		if (change->device != reader->piece->device || change->is_read_back) {
			continue;
		}
		change->is_read_back = true;
		for (enum coalesce_field field = 0; !change->is_refused && field < COALESCE_FIELDS; field++) {
			if (differs & COALESCE_BIT(field) && coalesce_has(&device->settings, field)) {
				tell_difference(reader, device, change, field);
			}
		}
	}
}

void settings_read(struct reader *reader, char *text)
{
	const char *const named = strstr(text, heading);
	struct diagnose_device *const device = reader_piece_device(reader, named ? named + strlen(heading) : NULL);

	if (device && persist_read(&reader->persisted, "settings", text, NULL) == 0 &&
	    (reader->persisted.settings.present || reader->persisted.absent)) {
		note_drift(reader, device);
		take_table(reader, device);
		count_odd(reader);
		compare_changes(reader, device);
	}
}

/* ---- single queues ---- */

bool queues_begin(const struct reader *reader, const struct lines *line)
{
	const char *const number = line_behind(line->text, "Queue:");

	(void)reader;
	return line_begins(line->text, "Queue:") && number && *number >= '0' && *number <= '9';
}

bool queues_go_on(const struct lines *line)
{
	return queues_begin(NULL, line) || settings_go_on(line);
}

static void take_queue(struct reader *reader, struct diagnose_device *device, const char *text)
{
	const char *at = line_skip_blanks(text + strlen("Queue:"));
	const char *const table = strchr(text, '\n');
	uint64_t queue;

	if (!line_number(&at, &queue) || queue >= 4096 || !table || device->queue_count == DIAGNOSE_QUEUES_MAX ||
	    persist_read(&reader->persisted, "settings", table + 1, NULL)) {
		return;
	}
	device->queues[device->queue_count++] = (struct diagnose_queue){ (unsigned)queue, reader->persisted.settings };
}

void queues_read(struct reader *reader, char *text)
{
	struct diagnose_device *const device = reader_piece_device(reader, NULL);

	for (char *at = text; device && at;) {
		char *const next = strstr(at + 1, "\nQueue:");

		if (next) {
			*next = '\0';
		}
		take_queue(reader, device, at);
		if (next) {
			*next = '\n';
		}
		at = next ? next + 1 : NULL;
	}
}
