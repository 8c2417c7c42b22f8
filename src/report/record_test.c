/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of random contents come back to the byte, no member is forgotten, and what is not a record is refused with its place. */
#include "report/record.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "report/record_private.h"
#include "report/run_json.h"
#include "tap.h"

/* Holes that the compiler leaves in a run, where a pointer has 8 bytes. */
#define PADDING_BYTES 73

static void fill_text(struct random *random, char *text, size_t size)
{
	static const char *const parts[] = {
		"a", "\"", "\\", "\n", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82", " "
	};
	size_t length = 0;

	for (uint64_t left = random_below(random, size); left; left--) {
		const char *const part = parts[random_below(random, sizeof(parts) / sizeof(parts[0]))];

		if (length + strlen(part) >= size) {
			return;
		}
		strcpy(text + length, part);
		length += strlen(part);
	}
}

static void fill_settings(struct random *random, struct coalesce *settings)
{
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		const bool is_switch = coalesce_fields[field].unit == COALESCE_UNIT_SWITCH;

		if (random_below(random, 3) == 0) {
			coalesce_put(settings, field,
				     (uint32_t)random_below(random, is_switch ? 2 : UINT64_C(1) << 32));
		}
	}
}

static void fill_workload(struct random *random, struct workload *workload)
{
	static const char *const texts[] = {
		"ping interval=0", "rr connections=7",   "udp rate=20k size=64 pattern=poisson",
		"tcp dir=tx",      "tftp bytes=1000000", "voip"
	};

	workload_parse(workload, texts[random_below(random, sizeof(texts) / sizeof(texts[0]))], NULL);
}

/* Of any size, the ends of the range among them. */
static uint64_t any_number(struct random *random, uint64_t most)
{
	const uint64_t kind = random_below(random, 4);

	return kind == 0 ? 0 : kind == 1 ? most : random_u64(random) >> random_below(random, 64) & most;
}

static void fill_field(struct random *random, const struct record_field *field, void *object)
{
	void *const at = (char *)object + field->offset;
	static const char *const kinds[] = { "none", "hold-off", "restarting hold-off", "throttle", "frame count" };

	switch (field->type) {
	case RECORD_BOOL:
		*(bool *)at = random_below(random, 2);
		break;
	case RECORD_U32:
		*(uint32_t *)at = (uint32_t)any_number(random, UINT32_MAX);
		break;
	case RECORD_U64:
		*(uint64_t *)at = any_number(random, UINT64_MAX);
		break;
	case RECORD_I64:
		*(int64_t *)at = (int64_t)any_number(random, UINT64_MAX);
		break;
	case RECORD_SPAN:
		*(int64_t *)at = (int64_t)any_number(random, RECORD_SPAN_MAX - 1);
		break;
	case RECORD_TEXT:
		fill_text(random, at, field->size);
		break;
	case RECORD_HOLD_KIND:
		*(const char **)at = run_hold_kind(kinds[random_below(random, 5)]);
		break;
	case RECORD_SETTINGS:
		fill_settings(random, at);
		break;
	case RECORD_WORKLOAD:
		fill_workload(random, at);
		break;
	case RECORD_SOURCE:
		break;
	}
}

static void fill_list(struct random *random, const struct record_list *list, void *object)
{
	unsigned *const count = (unsigned *)((char *)object + list->count_offset);

	*count = (unsigned)random_below(random, list->most + (list->counts_on ? 9 : 1));
	for (unsigned i = 0; i < *count && i < list->most; i++) {
		void *const at = (char *)object + list->offset + i * list->stride;

		memset(at, 0, list->stride);
		for (unsigned j = 0; j < list->field_count; j++) {
			fill_field(random, &list->fields[j], at);
		}
	}
}

static void fill_histogram(struct random *random, struct histogram *histogram)
{
	for (uint64_t left = random_below(random, 200); left; left--) {
		histogram_record(histogram, (int64_t)(random_u64(random) >> (15 + random_below(random, 49))));
	}
	if (histogram->count && random_below(random, 5) == 0) {
		histogram->bucket[histogram_bucket_of((uint64_t)histogram->max_ns)] =
			UINT32_MAX; /* more than it can tell */
		histogram->count += UINT32_MAX;
		histogram->sum = wide_product(histogram->count, (uint64_t)histogram->max_ns);
	}
}

static void fill(struct random *random, struct run *run)
{
	run_init(run);
	run->conditions.source = random_below(random, 2) ? RUN_MODEL : RUN_MEASURED;
	for (unsigned i = 0; i < RECORD_OBJECTS; i++) {
		const struct record_object *const object = &record_objects[i];
		void *const at = (char *)run + object->offset;

		for (unsigned j = 0; record_has_object(object, run) && j < object->field_count; j++) {
			fill_field(random, &object->fields[j], at);
		}
		for (unsigned j = 0; record_has_object(object, run) && j < object->list_count; j++) {
			fill_list(random, &object->lists[j], at);
		}
	}
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		fill_histogram(random, &run->findings.latency[i]);
	}
	run->conditions.duration_ns &= RECORD_DURATION_MAX_NS - 1;
	run->findings.other_cpus &= 511;
	run->findings.has &= (1u << RUN_LATENCIES) - 1;
}

static bool comes_back(const struct run *run, struct run *copy, struct err *err)
{
	size_t length;
	char *const text = record_print(run, &length);
	const int ret = text ? record_parse(copy, text, length, err) : -1;

	free(text);
	return ret == 0 && memcmp(run, copy, sizeof(*run)) == 0;
}

static void test_random(struct run *run, struct run *copy)
{
	struct random random;
	struct err err = { "" };
	unsigned seed = 0;
	bool are_same = true;

	for (; seed < 200 && are_same; seed++) {
		random_init(&random, seed, 0);
		fill(&random, run);
		are_same = comes_back(run, copy, &err);
	}
	tap_ok(are_same, "200 random runs come back to the byte (the last had seed %u) %s", seed - 1, err.text);
}

/* ---- members without a row ---- */

static void mark(char *seen, const struct record_field *fields, unsigned count, size_t offset)
{
	for (unsigned i = 0; i < count; i++) {
		const size_t sizes[] = {
			[RECORD_BOOL] = sizeof(bool),
			[RECORD_U32] = 4,
			[RECORD_U64] = 8,
			[RECORD_I64] = 8,
			[RECORD_SPAN] = 8,
			[RECORD_TEXT] = fields[i].size,
			[RECORD_HOLD_KIND] = sizeof(char *),
			[RECORD_SETTINGS] = sizeof(struct coalesce),
			[RECORD_WORKLOAD] = sizeof(struct workload),
			[RECORD_SOURCE] = sizeof(enum run_source),
		};

		memset(seen + offset + fields[i].offset, 1, sizes[fields[i].type]);
	}
}

static void test_coverage(void)
{
	char *const seen = calloc(1, sizeof(struct run));
	unsigned unseen = 0;

	for (unsigned i = 0; i < RECORD_OBJECTS; i++) {
		const struct record_object *const object = &record_objects[i];

		mark(seen, object->fields, object->field_count, object->offset);
		for (unsigned j = 0; j < object->list_count; j++) {
			const struct record_list *const list = &object->lists[j];

			for (unsigned k = 0; k < list->most; k++) {
				mark(seen, list->fields, list->field_count,
				     object->offset + list->offset + k * list->stride);
			}
		}
	}
	memset(seen + offsetof(struct run, findings.latency), 1, sizeof(((struct run *)0)->findings.latency));
	for (size_t i = 0; i < sizeof(struct run); i++) {
		unseen += !seen[i];
	}
	free(seen);
	if (sizeof(void *) == 8) {
		tap_is(unseen, PADDING_BYTES, "every member of a run has a row in record_fields.c");
	} else {
		tap_skip("the holes were counted for pointers of 8 bytes", "every member of a run has a row");
	}
}

/* ---- what is refused ---- */

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *const at = strstr(text, from);
	char *changed = NULL;

	if (at && asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) < 0) {
		return NULL;
	}
	return changed;
}

static void test_refused(struct run *run, struct run *copy)
{
	static const struct {
		const char *from, *to, *why;
	} rows[] = {
		{ "holdoff.record/1", "holdoff.run/1", "schema is not" },
		{ "\"model\"", "\"guessed\"", "conditions.source" },
		{ "\"seed\": 5", "\"seed\": -5", "conditions.seed" },
		{ "\"seed\": 5", "\"seed\": \"5\"", "conditions.seed" },
		{ "\"seed\": 5", "\"seed\": 99999999999999999999", "no JSON" },
		{ "\"seed\": 5", "\"sead\": 5", "conditions.sead: not known" },
		{ "\"seed\": 5", "\"hops\": 4294967296", "conditions.hops" },
		{ "\"rx_usecs\": 100", "\"rx_usec\": 100", "conditions.requested" },
		{ "\"rx_usecs\": 100", "\"adaptive_rx\": 1", "conditions.requested" },
		{ "\"hold-off\"", "\"held\"", "conditions.effective_rx_kind" },
		{ "\"ping interval=1ms\"", "\"pong\"", "conditions.workload" },
		{ "\"workload\": \"ping interval=1ms\",", "", "workload is missing" },
		{ "\"duration_ns\": 1000000000", "\"duration_ns\": -1", "conditions.duration_ns" },
		{ "\"duration_ns\": 1000000000", "\"duration_ns\": 9007199254740993", "conditions.duration_ns" },
		{ "\"has\": 1", "\"has\": 256", "findings.has" },
		{ "\"cpu_count\": 2", "\"cpu_count\": 3", "findings.cpus" },
		{ "\"cpu_count\": 2", "\"cpu_count\": 9", "findings.cpus: more than there can be" },
		{ "\"number\": 1", "\"name\": 1", "findings.cpus[1].name: not known" },
		{ "\"app_ns\": 7", "\"app_ns\": 144115188075855873", "findings.cpus[0].app_ns" },
		{ "\"rtt_ns\"", "\"rtt_us\"", "histograms.rtt_us" },
		{ "\"count\": 2", "\"count\": 3", "does not agree" },
		{ "\"min_ns\": 10", "\"min_ns\": 9", "does not agree" },
		{ "\"max_ns\": 1000", "\"max_ns\": 999000", "does not agree" },
		{ "\"sum_ns\": 1010", "\"sum_ns\": 2010", "does not agree" },
		{ "10:1", "10:0", "buckets" },
		{ "10:1", "10:4294967296", "buckets" },
		{ "10:1", "600:1", "buckets" },
		{ "10:1", "10:1 10:1", "buckets" },
		{ "10:1", "-1:1", "buckets" },
		{ "10:1", "10:1  11:1", "buckets" },
		{ "\"histograms\"", "\"histogram\"", "histograms" },
	};
	size_t length;

	run_init(run);
	workload_parse(&run->conditions.workload, "ping interval=1ms", NULL);
	run->conditions.seed = 5;
	run->conditions.duration_ns = 1000000000;
	run->conditions.effective_rx_kind = run_hold_kind("hold-off");
	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, 100);
	run->findings.has = 1;
	run->findings.cpus = 2;
	run->findings.cpu[0].app_ns = 7;
	histogram_record(&run->findings.latency[RUN_RTT], 10);
	histogram_record(&run->findings.latency[RUN_RTT], 1000);

	char *const text = record_print(run, &length);

	tap_is(record_parse(copy, text, length, NULL), 0, "the record that is changed is good");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *const changed = replaced(text, rows[i].from, rows[i].to);
		struct err err = { "" };

		if (changed) {
			const int ret = record_parse(copy, changed, strlen(changed), &err);

			tap_ok(ret < 0 && strstr(err.text, rows[i].why), "%s instead of %s is refused: %s", rows[i].to,
			       rows[i].from, err.text);
		} else {
			tap_ok(false, "the record has %s", rows[i].from);
		}
		free(changed);
	}
	tap_ok(record_parse(copy, text, length / 2, NULL) < 0, "half of it is refused");
	free(text);
}

static void test_text_that_is_no_utf8(struct run *run, struct run *copy)
{
	run_init(run);
	workload_parse(&run->conditions.workload, "voip", NULL);
	memset(run->conditions.board, 0xe4, sizeof(run->conditions.board) - 1);
	for (unsigned i = 0; i < 2; i++) {
		size_t length;
		char *const text = record_print(run, &length);

		tap_is(record_parse(copy, text, length, NULL), 0, "bytes that are no UTF-8 do no harm");
		tap_is((int64_t)strlen(copy->conditions.board), 63, "they are replaced, and cut between characters");
		free(text);
		*run = *copy;
	}
}

int main(void)
{
	struct run *const run = malloc(sizeof(*run)), *const copy = malloc(sizeof(*copy));

	test_random(run, copy);
	test_coverage();
	test_refused(run, copy);
	test_text_that_is_no_utf8(run, copy);
	free(run);
	free(copy);
	return tap_done();
}
