/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "report/record_private.h"
#include "report/run_json.h"

static void put_unsigned(struct json_writer *writer, const char *key, uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX) {
		json_put_unsigned(writer, key, value);
		return;
	}
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	json_put_string(writer, key, digits);
}

static void put_number(struct json_writer *writer, const struct record_field *field, const void *at)
{
	uint64_t value = 0;

	switch (field->type) {
	case RECORD_BOOL:
		if (*(const bool *)at) {
			json_put_boolean(writer, field->key, true);
		}
		return;
	case RECORD_I64:
	case RECORD_SPAN:
		if (*(const int64_t *)at) {
			json_put_integer(writer, field->key, *(const int64_t *)at);
		}
		return;
	case RECORD_U32:
		value = *(const uint32_t *)at;
		break;
	default:
		value = *(const uint64_t *)at;
	}
	if (value) {
		put_unsigned(writer, field->key, value);
	}
}

static void put_workload(struct json_writer *writer, const char *key, const struct workload *workload)
{
	char text[WORKLOAD_TEXT_MAX];

	json_put_string(writer, key, workload_print(workload, text));
}

static void put_field(struct json_writer *writer, const struct record_field *field, const void *object)
{
	const void *const at = (const char *)object + field->offset;

	switch (field->type) {
	case RECORD_TEXT:
		if (*(const char *)at) {
			json_put_string(writer, field->key, at);
		}
		break;
	case RECORD_HOLD_KIND:
		json_put_string(writer, field->key, *(const char *const *)at);
		break;
	case RECORD_SETTINGS:
		if (((const struct coalesce *)at)->present) {
			run_json_put_settings(writer, field->key, at);
		}
		break;
	case RECORD_WORKLOAD:
		put_workload(writer, field->key, at);
		break;
	case RECORD_SOURCE:
		json_put_string(writer, field->key, *(const enum run_source *)at == RUN_MODEL ? "model" : "measured");
		break;
	default:
		put_number(writer, field, at);
	}
}

static void put_list(struct json_writer *writer, const struct record_list *list, const void *object)
{
	const unsigned count = *(const unsigned *)((const char *)object + list->count_offset);
	const char *at = (const char *)object + list->offset;

	if (!count) {
		return;
	}
	json_begin_array(writer, list->key);
	for (unsigned i = 0; i < count && i < list->most; i++, at += list->stride) {
		json_begin_object(writer, NULL);
		for (unsigned j = 0; j < list->field_count; j++) {
			put_field(writer, &list->fields[j], at);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_object(struct json_writer *writer, const struct record_object *object, const struct run *run)
{
	const void *const at = (const char *)run + object->offset;

	json_begin_object(writer, object->key);
	for (unsigned i = 0; i < object->field_count; i++) {
		put_field(writer, &object->fields[i], at);
	}
	for (unsigned i = 0; i < object->list_count; i++) {
		put_list(writer, &object->lists[i], at);
	}
	json_end_object(writer);
}

/* "BUCKET:COUNT ..." of those that hold something; an element of an array would take a line each. */
static void put_buckets(struct json_writer *writer, const struct histogram *histogram)
{
	char *text = NULL;
	size_t length;
	FILE *const out = open_memstream(&text, &length);
	const char *before = "";

	if (!out) {
		writer->error = writer->error ? writer->error : -ENOMEM;
		return;
	}
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (histogram->bucket[i]) {
			fprintf(out, "%s%u:%" PRIu32, before, i, histogram->bucket[i]);
			before = " ";
		}
	}
	fclose(out);
	json_put_string(writer, "buckets", text);
	free(text);
}

static bool is_untouched(const struct histogram *histogram)
{
	return histogram->count == 0 && histogram->out_of_range == 0;
}

static void put_histograms(struct json_writer *writer, const struct run_findings *findings)
{
	json_begin_object(writer, "histograms");
	for (enum run_latency i = 0; i < RUN_LATENCIES; i++) {
		const struct histogram *const histogram = &findings->latency[i];

		if (is_untouched(histogram)) {
			continue;
		}
		json_begin_object(writer, run_latency_key(i));
		for (unsigned j = 0; j < RECORD_HISTOGRAM_FIELDS; j++) {
			put_field(writer, &record_histogram_fields[j], histogram);
		}
		put_buckets(writer, histogram);
		json_end_object(writer);
	}
	json_end_object(writer);
}

void record_put(struct json_writer *writer, const char *key, const struct run *run)
{
	json_begin_object(writer, key);
	json_put_string(writer, "schema", RECORD_SCHEMA);
	for (unsigned i = 0; i < RECORD_OBJECTS; i++) {
		if (record_has_object(&record_objects[i], run)) {
			put_object(writer, &record_objects[i], run);
		}
	}
	put_histograms(writer, &run->findings);
	json_end_object(writer);
}

char *record_print(const struct run *run, size_t *length)
{
	char *text = NULL;
	FILE *const out = open_memstream(&text, length);
	struct json_writer writer;

	if (!out) {
		return NULL;
	}
	json_begin(&writer, out);
	record_put(&writer, NULL, run);
	const bool is_whole = json_end(&writer) == 0;

	if (fclose(out) != 0 || !is_whole) {
		free(text);
		return NULL;
	}
	return text;
}
