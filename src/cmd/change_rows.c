/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/change_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "change/request.h"
#include "cmd/cmd.h"

#define LABEL_WIDTH 12

static const char *const outcome_texts[] = { "already so", "as asked",        "rounded",
					     "no effect",  "changed with it", "not sent" };
static const char *const outcome_keys[] = { "already_so", "as_asked",        "rounded",
					    "no_effect",  "changed_with_it", "not_sent" };

/* ---- making ---- */

static void add_row(struct change_rows *rows, const struct change_row *row)
{
	assert(rows->count < CHANGE_ROWS_MAX);
	rows->rows[rows->count++] = *row;
}

static enum change_outcome judge(const struct change_row *row, bool was_sent)
{
	if (!row->is_requested) {
		return OUTCOME_TOO;
	}
	if (row->requested == row->was) {
		return row->reported == row->was ? OUTCOME_ALREADY_SO : OUTCOME_ROUNDED;
	}
	if (!was_sent) {
		return OUTCOME_NOT_SENT;
	}
	if (row->reported == row->requested) {
		return OUTCOME_AS_ASKED;
	}
	return row->reported == row->was ? OUTCOME_NO_EFFECT : OUTCOME_ROUNDED;
}

/* What a scope sums up to while its rows are made. */
struct sum {
	bool was_sent, has_effect;
};

static void finish_row(struct change_rows *rows, struct change_row *row, bool was_sent, struct sum *sum)
{
	row->outcome = row->outcome == OUTCOME_ROUNDED ? row->outcome : judge(row, was_sent);
	sum->was_sent |= was_sent && row->is_requested && row->requested != row->was;
	sum->has_effect |= row->outcome == OUTCOME_AS_ASKED || row->outcome == OUTCOME_ROUNDED;
	add_row(rows, row);
}

static void add_settings(struct change_rows *rows, enum change_scope scope, uint32_t number, const struct coalesce *old,
			 const struct coalesce *wanted, const struct coalesce *reported, uint32_t rounds_to_same,
			 bool was_sent)
{
	struct sum sum = { false, false };

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		const struct coalesce_field_info *const info = &coalesce_fields[field];
		const bool is_requested = wanted && coalesce_has(wanted, field);
		struct change_row row = {
			.scope = scope, .number = number, .name = info->name, .json_key = info->json_key
		};

		if (!coalesce_has(old, field) || (!is_requested && old->value[field] == reported->value[field])) {
			continue;
		}
		row.value = info->unit == COALESCE_UNIT_SWITCH ? VALUE_SWITCH : VALUE_COUNT;
		row.is_requested = is_requested;
		row.was = old->value[field];
		row.requested = is_requested ? wanted->value[field] : 0;
		row.reported = reported->value[field];
		/* The driver rounds the request to what was there already: nothing is wrong with that. */
		row.outcome = was_sent && is_requested && row.requested != row.was && row.reported == row.was &&
					      (rounds_to_same & COALESCE_BIT(field))
				      ? OUTCOME_ROUNDED
				      : OUTCOME_ALREADY_SO;
		finish_row(rows, &row, was_sent, &sum);
	}
	rows->has_idle_scope |= sum.was_sent && !sum.has_effect;
}

static enum change_value napi_value_kind(enum nic_napi_field field)
{
	switch (field) {
	case NIC_NAPI_GRO_FLUSH_TIMEOUT:
	case NIC_NAPI_IRQ_SUSPEND_TIMEOUT:
		return VALUE_SPAN_NS;
	case NIC_NAPI_THREADED:
		return VALUE_THREADED;
	default:
		return VALUE_COUNT;
	}
}

static void add_napi(struct change_rows *rows, const struct nic_napi *old, const struct nic_napi *wanted,
		     const struct nic_napi *reported, bool was_sent)
{
	struct sum sum = { false, false };

	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		const struct change_napi_field *const field = &change_napi_fields[i];
		struct change_row row = {
			.scope = SCOPE_OF_NAPI, .number = old->id, .name = field->name, .json_key = field->json_key
		};

		if (!(wanted->present & old->present & field->field)) {
			continue;
		}
		row.value = napi_value_kind(field->field);
		row.is_requested = true;
		row.was = change_napi_value(old, field->field);
		row.requested = change_napi_value(wanted, field->field);
		row.reported = change_napi_value(reported, field->field);
		finish_row(rows, &row, was_sent, &sum);
	}
	rows->has_idle_scope |= sum.was_sent && !sum.has_effect;
}

void change_rows_make(struct change_rows *rows, const struct change *change, const struct change_advice *advice,
		      bool was_sent)
{
	rows->count = 0;
	rows->has_idle_scope = false;
	add_settings(rows, SCOPE_OF_DEVICE, 0, &change->old.device, &change->wanted.device, &change->reported.device,
		     advice->rounds_to_same, was_sent);
	for (unsigned i = 0; i < change->old.queue_count; i++) {
		const uint32_t queue = change->old.queues[i].queue;
		const struct coalesce *const wanted = change_set_queue_settings(&change->wanted, queue);

		if (!wanted && change_queue_follows(&change->old, i) && change_queue_follows(&change->reported, i)) {
			continue;
		}
		add_settings(rows, SCOPE_OF_QUEUE, queue, &change->old.queues[i].settings, wanted,
			     change_set_queue_settings(&change->reported, queue), 0, was_sent);
	}
	for (unsigned i = 0; i < change->old.napi_count; i++) {
		const struct nic_napi *const wanted =
			change_set_napi_settings(&change->wanted, change->old.napis[i].id);
		const struct nic_napi *const reported =
			change_set_napi_settings(&change->reported, change->old.napis[i].id);

		if (wanted && reported) {
			add_napi(rows, &change->old.napis[i], wanted, reported, was_sent);
		}
	}
}

/* ---- text ---- */

#define VALUE_TEXT_MAX TEXT_DURATION_MAX

static const char *print_value(char buffer[VALUE_TEXT_MAX], enum change_value kind, uint64_t value)
{
	/* threaded 2 is the kernel's busy poll, for which there is no word that it would take. */
	if (kind == VALUE_SWITCH || (kind == VALUE_THREADED && value < 2)) {
		return value ? "on" : "off";
	}
	if (kind == VALUE_SPAN_NS && value <= INT64_MAX) {
		return text_print_duration((int64_t)value, buffer);
	}
	snprintf(buffer, VALUE_TEXT_MAX, "%" PRIu64, value);
	return buffer;
}

static void print_scope(const struct change_row *row, FILE *out)
{
	if (row->scope != SCOPE_OF_DEVICE) {
		fprintf(out, "%s %" PRIu32 " ", row->scope == SCOPE_OF_QUEUE ? "queue" : "napi", row->number);
	}
}

static void print_row(const struct change_row *row, FILE *out)
{
	char was[VALUE_TEXT_MAX], requested[VALUE_TEXT_MAX], reported[VALUE_TEXT_MAX];

	print_scope(row, out);
	fprintf(out, "%s was %s", row->name, print_value(was, row->value, row->was));
	if (row->is_requested) {
		fprintf(out, ", requested %s", print_value(requested, row->value, row->requested));
	}
	if (row->outcome != OUTCOME_NOT_SENT) {
		fprintf(out, ", reported %s", print_value(reported, row->value, row->reported));
	}
	fprintf(out, ": %s\n", outcome_texts[row->outcome]);
}

void change_rows_print(const struct change_rows *rows, FILE *out)
{
	for (unsigned i = 0; i < rows->count; i++) {
		fprintf(out, "%-*s", LABEL_WIDTH, i == 0 ? "settings" : "");
		print_row(&rows->rows[i], out);
	}
}

/* ---- JSON ---- */

static void put_scope(struct json_writer *writer, enum change_scope scope, uint32_t number)
{
	static const char *const names[] = { "device", "queue", "napi" };

	json_put_string(writer, "scope", names[scope]);
	if (scope != SCOPE_OF_DEVICE) {
		json_put_unsigned(writer, scope == SCOPE_OF_QUEUE ? "queue" : "napi_id", number);
	}
}

static void put_value(struct json_writer *writer, const char *key, enum change_value kind, uint64_t value)
{
	if (kind == VALUE_SWITCH) {
		json_put_boolean(writer, key, value);
	} else {
		json_put_unsigned(writer, key, value);
	}
}

void change_rows_put(const struct change_rows *rows, struct json_writer *writer)
{
	json_begin_array(writer, "fields");
	for (unsigned i = 0; i < rows->count; i++) {
		const struct change_row *const row = &rows->rows[i];

		json_begin_object(writer, NULL);
		put_scope(writer, row->scope, row->number);
		json_put_string(writer, "field", row->json_key);
		put_value(writer, "was", row->value, row->was);
		if (row->is_requested) {
			put_value(writer, "requested", row->value, row->requested);
		}
		if (row->outcome != OUTCOME_NOT_SENT) {
			put_value(writer, "reported", row->value, row->reported);
		}
		json_put_string(writer, "outcome", outcome_keys[row->outcome]);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_settings(struct json_writer *writer, enum change_scope scope, uint32_t number,
			 const struct coalesce *settings)
{
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (!coalesce_has(settings, field)) {
			continue;
		}
		json_begin_object(writer, NULL);
		put_scope(writer, scope, number);
		json_put_string(writer, "field", coalesce_fields[field].json_key);
		put_value(writer, "value",
			  coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? VALUE_SWITCH : VALUE_COUNT,
			  settings->value[field]);
		json_end_object(writer);
	}
}

static void put_napi(struct json_writer *writer, const struct nic_napi *napi)
{
	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		if (napi->present & change_napi_fields[i].field) {
			json_begin_object(writer, NULL);
			put_scope(writer, SCOPE_OF_NAPI, napi->id);
			json_put_string(writer, "field", change_napi_fields[i].json_key);
			json_put_unsigned(writer, "value", change_napi_value(napi, change_napi_fields[i].field));
			json_end_object(writer);
		}
	}
}

void change_set_put(const struct change_set *set, const char *key, struct json_writer *writer)
{
	json_begin_array(writer, key);
	put_settings(writer, SCOPE_OF_DEVICE, 0, &set->device);
	for (unsigned i = 0; i < set->queue_count; i++) {
		if (!change_queue_follows(set, i)) {
			put_settings(writer, SCOPE_OF_QUEUE, set->queues[i].queue, &set->queues[i].settings);
		}
	}
	for (unsigned i = 0; i < set->napi_count; i++) {
		put_napi(writer, &set->napis[i]);
	}
	json_end_array(writer);
}

static void print_napi(const struct nic_napi *napi, const char *label, FILE *out)
{
	char text[CHANGE_NAPI_TEXT_MAX] = "", value[VALUE_TEXT_MAX];
	size_t length = 0;

	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		const struct change_napi_field *const field = &change_napi_fields[i];

		if (napi->present & field->field) {
			length += (size_t)snprintf(text + length, sizeof(text) - length, " %s %s", field->name,
						   print_value(value, napi_value_kind(field->field),
							       change_napi_value(napi, field->field)));
			assert(length < sizeof(text));
		}
	}
	cmd_print_labelled(out, LABEL_WIDTH, label, "napi %" PRIu32 "%s", napi->id, text);
}

void change_set_print(const struct change_set *set, const char *label, FILE *out)
{
	char settings[COALESCE_TEXT_MAX];

	if (set->device.present) {
		cmd_print_labelled(out, LABEL_WIDTH, label, "%s", coalesce_print(&set->device, settings));
	}
	for (unsigned i = 0; i < set->queue_count; i++) {
		if (!change_queue_follows(set, i)) {
			cmd_print_labelled(out, LABEL_WIDTH, label, "queue %" PRIu32 " %s", set->queues[i].queue,
					   coalesce_print(&set->queues[i].settings, settings));
		}
	}
	for (unsigned i = 0; i < set->napi_count; i++) {
		if (set->napis[i].present) {
			print_napi(&set->napis[i], label, out);
		}
	}
}
