/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every key that is found is counted off against the tables; what is left over is unknown. Complaints name the place as
 * "findings.cpus[1].app_ns".
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/record.h"
#include "report/record_private.h"

/* So many other CPUs that their time together fits 63 bits. */
#define OTHER_CPUS_MAX 512

struct place {
	const char *outer; /* "findings", "findings.cpus" */
	int index;         /* of an element; -1: none */
};

static int wrong(const struct place *place, const char *key, const char *why, struct err *err)
{
	char index[16] = "";

	if (place->index >= 0) {
		snprintf(index, sizeof(index), "[%d]", place->index);
	}
	return err_set(err, -EINVAL, "%s%s.%.40s: %s", place->outer, index, key, why);
}

/* Cut between characters where there is no room. */
static void copy_text(char *into, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size) {
		length = size - 1;
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
			length--;
		}
	}
	memcpy(into, text, length);
	into[length] = '\0';
}

/* Digits as a text stand for what is above 2^63 - 1, and for nothing else. */
static bool read_unsigned(const json_t *value, uint64_t most, uint64_t *number)
{
	if (json_is_string(value)) {
		return text_parse_u64(json_string_value(value), "", number, NULL) == 0 && *number > INT64_MAX &&
		       *number <= most;
	}
	if (!json_is_integer(value) || json_integer_value(value) < 0) {
		return false;
	}
	*number = (uint64_t)json_integer_value(value);
	return *number <= most;
}

static const char *take_number(enum record_type type, const json_t *value, void *at)
{
	uint64_t number;

	if (type == RECORD_I64) {
		*(int64_t *)at = json_integer_value(value);
		return json_is_integer(value) ? NULL : "expected a whole number";
	}
	if (type == RECORD_SPAN) {
		*(int64_t *)at = json_integer_value(value);
		return json_is_integer(value) && json_integer_value(value) >= 0 &&
				       json_integer_value(value) <= RECORD_SPAN_MAX
			       ? NULL
			       : "expected a span in ns";
	}
	if (!read_unsigned(value, type == RECORD_U32 ? UINT32_MAX : UINT64_MAX, &number)) {
		return "expected a whole number, 0 or more, that fits";
	}
	if (type == RECORD_U32) {
		*(uint32_t *)at = (uint32_t)number;
	} else {
		*(uint64_t *)at = number;
	}
	return NULL;
}

static enum coalesce_field field_of_key(const char *key)
{
	enum coalesce_field field = 0;

	while (field < COALESCE_FIELDS && strcmp(coalesce_fields[field].json_key, key) != 0) {
		field++;
	}
	return field;
}

static const char *take_settings(const json_t *object, struct coalesce *settings)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object)) {
		return "expected an object of settings";
	}
	json_object_foreach((json_t *)object, key, value)
	{
		const enum coalesce_field field = field_of_key(key);
		const bool is_switch = field < COALESCE_FIELDS && coalesce_fields[field].unit == COALESCE_UNIT_SWITCH;
		uint64_t number = json_is_true(value);

		if (field == COALESCE_FIELDS) {
			return "a setting that is not known";
		}
		if (is_switch ? !json_is_boolean(value) : !read_unsigned(value, UINT32_MAX, &number)) {
			return "a setting with a value that it cannot have";
		}
		coalesce_put(settings, field, (uint32_t)number);
	}
	return NULL;
}

/* Takes the value of one of the types that are texts. */
static const char *take_text(const struct record_field *field, const char *text, void *at)
{
	switch (field->type) {
	case RECORD_TEXT:
		copy_text(at, field->size, text);
		return NULL;
	case RECORD_HOLD_KIND:
		*(const char **)at = run_hold_kind(text);
		return *(const char **)at ? NULL : "a kind of hold-off that is not known";
	case RECORD_WORKLOAD:
		return workload_parse(at, text, NULL) ? "a workload that is not known" : NULL;
	default: /* RECORD_SOURCE */
		*(enum run_source *)at = strcmp(text, "model") == 0 ? RUN_MODEL : RUN_MEASURED;
		return *(enum run_source *)at == RUN_MODEL || strcmp(text, "measured") == 0
			       ? NULL
			       : "expected model or measured";
	}
}

static const char *take_value(const struct record_field *field, const json_t *value, void *at)
{
	switch (field->type) {
	case RECORD_BOOL:
		*(bool *)at = json_is_true(value);
		return json_is_boolean(value) ? NULL : "expected true or false";
	case RECORD_U32:
	case RECORD_U64:
	case RECORD_I64:
	case RECORD_SPAN:
		return take_number(field->type, value, at);
	case RECORD_SETTINGS:
		return take_settings(value, at);
	default:
		return json_is_string(value) ? take_text(field, json_string_value(value), at) : "expected a text";
	}
}

/* *found counts the keys of the object that were in the table. */
static int take_fields(const struct record_field *fields, unsigned count, const json_t *object, void *into,
		       const struct place *place, size_t *found, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		const json_t *const value = json_object_get(object, fields[i].key);
		const char *const why = value ? take_value(&fields[i], value, (char *)into + fields[i].offset) : NULL;

		if (why) {
			return wrong(place, fields[i].key, why, err);
		}
		*found += value != NULL;
	}
	return 0;
}

static bool has_key(const struct record_field *fields, unsigned count, const char *key)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(fields[i].key, key) == 0) {
			return true;
		}
	}
	return false;
}

static bool has_list(const struct record_object *object, const char *key)
{
	for (unsigned i = 0; object && i < object->list_count; i++) {
		if (strcmp(object->lists[i].key, key) == 0) {
			return true;
		}
	}
	return false;
}

/* Names the first key that no table has. */
static int complain_of_unknown(const struct record_field *fields, unsigned count,
			       const struct record_object *with_lists, const char *also, const json_t *object,
			       const struct place *place, struct err *err)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		if (!has_key(fields, count, key) && !has_list(with_lists, key) && !(also && strcmp(also, key) == 0)) {
			return wrong(place, key, "not known to this version of holdoff", err);
		}
	}
	return wrong(place, "", "keys that do not fit together", err);
}

static int take_list(const struct record_list *list, const json_t *array, void *object, const struct place *outer,
		     struct err *err)
{
	const unsigned count = *(const unsigned *)((const char *)object + list->count_offset);
	const unsigned expected = count < list->most ? count : list->most;
	char name[64], *at = (char *)object + list->offset;

	if (count > list->most && !list->counts_on) {
		return wrong(outer, list->key, "more than there can be", err);
	}
	if ((array && !json_is_array(array)) || json_array_size(array) != expected) {
		return wrong(outer, list->key, "not a list of as many as its count says", err);
	}
	snprintf(name, sizeof(name), "%s.%s", outer->outer, list->key);
	for (unsigned i = 0; i < expected; i++, at += list->stride) {
		const struct place place = { name, (int)i };
		const json_t *const element = json_array_get(array, i);
		size_t found = 0;

		memset(at, 0, list->stride);
		if (!json_is_object(element)) {
			return wrong(outer, list->key, "expected objects", err);
		}
		int ret = take_fields(list->fields, list->field_count, element, at, &place, &found, err);

		if (ret == 0 && found != json_object_size(element)) {
			ret = complain_of_unknown(list->fields, list->field_count, NULL, NULL, element, &place, err);
		}
		if (ret) {
			return ret;
		}
	}
	return 0;
}

static int take_object(const struct record_object *table, const json_t *object, struct run *run, struct err *err)
{
	const struct place place = { table->key, -1 };
	void *const at = (char *)run + table->offset;
	size_t found = 0;
	int ret = json_is_object(object) ? 0 : err_set(err, -EINVAL, "%s: expected an object", table->key);

	ret = ret ? ret : take_fields(table->fields, table->field_count, object, at, &place, &found, err);
	for (unsigned i = 0; ret == 0 && i < table->list_count; i++) {
		const json_t *const array = json_object_get(object, table->lists[i].key);

		found += array != NULL;
		ret = take_list(&table->lists[i], array, at, &place, err);
	}
	if (ret == 0 && found != json_object_size(object)) {
		ret = complain_of_unknown(table->fields, table->field_count, table, NULL, object, &place, err);
	}
	return ret;
}

/* "BUCKET:COUNT ...", buckets rising. */
static bool read_buckets(const char *text, uint32_t bucket[HISTOGRAM_BUCKETS])
{
	int64_t last = -1;

	while (*text) {
		char *end;

		if (*text < '0' || *text > '9') {
			return false;
		}
		const unsigned long long number = strtoull(text, &end, 10);

		if (*end != ':' || end[1] < '1' || end[1] > '9' || number >= HISTOGRAM_BUCKETS ||
		    (int64_t)number <= last) {
			return false;
		}
		const unsigned long long count = strtoull(end + 1, &end, 10);

		if (count > UINT32_MAX || (*end && (*end != ' ' || !end[1]))) {
			return false;
		}
		bucket[number] = (uint32_t)count;
		last = (int64_t)number;
		text = end + (*end == ' ');
	}
	return true;
}

/* Whether count, extremes and sum can be those of what is in the buckets. */
static bool agrees(const struct histogram *histogram)
{
	uint64_t counted = 0;
	unsigned first = HISTOGRAM_BUCKETS, last = 0;
	bool is_saturated = false;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (histogram->bucket[i]) {
			counted += histogram->bucket[i];
			is_saturated |= histogram->bucket[i] == UINT32_MAX;
			first = first < i ? first : i;
			last = i;
		}
	}
	if (counted != histogram->count && !(is_saturated && counted < histogram->count)) {
		return false;
	}
	if (!counted) {
		return !histogram->min_ns && !histogram->max_ns && !histogram->sum.low && !histogram->sum.high;
	}
	return histogram->min_ns <= histogram->max_ns && histogram->max_ns < INT64_C(1) << 48 &&
	       histogram_bucket_of((uint64_t)histogram->min_ns) == first &&
	       histogram_bucket_of((uint64_t)histogram->max_ns) == last &&
	       !wide_less(histogram->sum, wide_product(histogram->count, (uint64_t)histogram->min_ns)) &&
	       !wide_less(wide_product(histogram->count, (uint64_t)histogram->max_ns), histogram->sum);
}

static int take_histogram(struct histogram *histogram, const char *key, const json_t *object, struct err *err)
{
	char name[64];
	const struct place place = { name, -1 };
	const json_t *const buckets = json_object_get(object, "buckets");
	size_t found = 1;

	snprintf(name, sizeof(name), "histograms.%s", key);
	if (!json_is_object(object) || !json_is_string(buckets)) {
		return wrong(&place, "buckets", "expected an object with buckets", err);
	}
	int ret = take_fields(record_histogram_fields, RECORD_HISTOGRAM_FIELDS, object, histogram, &place, &found, err);

	if (ret) {
		return ret;
	}
	if (found != json_object_size(object)) {
		return complain_of_unknown(record_histogram_fields, RECORD_HISTOGRAM_FIELDS, NULL, "buckets", object,
					   &place, err);
	}
	if (!read_buckets(json_string_value(buckets), histogram->bucket)) {
		return wrong(&place, "buckets", "expected BUCKET:COUNT ..., buckets rising", err);
	}
	return agrees(histogram) ? 0 : wrong(&place, "count", "does not agree with buckets, extremes and sum", err);
}

static int take_histograms(struct run *run, const json_t *object, struct err *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object)) {
		return err_set(err, -EINVAL, "histograms: expected an object");
	}
	json_object_foreach((json_t *)object, key, value)
	{
		enum run_latency latency = 0;

		while (latency < RUN_LATENCIES && strcmp(run_latency_key(latency), key) != 0) {
			latency++;
		}
		if (latency == RUN_LATENCIES) {
			return err_set(err, -EINVAL, "histograms.%.40s: not known to this version of holdoff", key);
		}
		const int ret = take_histogram(&run->findings.latency[latency], key, value, err);

		if (ret) {
			return ret;
		}
	}
	return 0;
}

/* What has to be there, and what may not be so large that sums overflow. */
static int check_whole(const struct run *run, const json_t *object, struct err *err)
{
	const json_t *const conditions = json_object_get(object, "conditions");

	if (!json_object_get(conditions, "source") || !json_object_get(conditions, "workload")) {
		return err_set(err, -EINVAL, "conditions: source or workload is missing");
	}
	if (run->conditions.duration_ns > RECORD_DURATION_MAX_NS) {
		return err_set(err, -EINVAL, "conditions.duration_ns: more than %" PRId64, RECORD_DURATION_MAX_NS);
	}
	if (run->findings.other_cpus > OTHER_CPUS_MAX) {
		return err_set(err, -EINVAL, "findings.other_cpu_count: more than %d", OTHER_CPUS_MAX);
	}
	return run->findings.has >> RUN_LATENCIES
		       ? err_set(err, -EINVAL, "findings.has: not known to this version of holdoff")
		       : 0;
}

int record_take(struct run *run, const json_t *object, struct err *err)
{
	const json_t *const schema = json_object_get(object, "schema");
	size_t parts = 2; /* schema and histograms */

	run_init(run);
	if (!json_is_string(schema) || strcmp(json_string_value(schema), RECORD_SCHEMA) != 0) {
		return err_set(err, -EINVAL, "no record of a run: schema is not " RECORD_SCHEMA);
	}
	for (unsigned i = 0; i < RECORD_OBJECTS; i++) {
		const struct record_object *const table = &record_objects[i];

		/* conditions come first and say whether there is measured */
		if (record_has_object(table, run)) {
			const int ret = take_object(table, json_object_get(object, table->key), run, err);

			if (ret) {
				return ret;
			}
			parts++;
		}
	}
	if (json_object_size(object) != parts) {
		return err_set(err, -EINVAL, "a record with parts that this version of holdoff does not know");
	}
	const int ret = take_histograms(run, json_object_get(object, "histograms"), err);

	return ret ? ret : check_whole(run, object, err);
}

int record_parse(struct run *run, const char *text, size_t length, struct err *err)
{
	json_error_t error;
	json_t *const object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

	if (!object) {
		return err_set(err, -EINVAL, "no JSON: %s (line %d)", error.text, error.line);
	}
	const int ret = record_take(run, object, err);

	json_decref(object);
	return ret;
}
