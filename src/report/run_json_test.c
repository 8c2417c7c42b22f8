/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run with everything in it is written and read back by another parser; the example in docs/ has the same
 * keys in the same order. Run from the top of the source.
 */
#include "report/run_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static void fill_conditions(struct run_conditions *conditions)
{
	workload_parse(&conditions->workload, "ping size=56 interval=1s", NULL);
	conditions->seed = UINT64_C(9007199254740993);
	strcpy(conditions->board, "imx8mm");
	strcpy(conditions->driver, "fec@old");
	strcpy(conditions->host, "cortex-a53");
	strcpy(conditions->host_source, "fitted on \"something\"");
	strcpy(conditions->peer, "ideal:1ms");
	conditions->speed_mbps = 1000;
	conditions->duration_ns = 3 * NS_PER_S;
	coalesce_put(&conditions->requested, COALESCE_RX_USECS, 0);
	coalesce_put(&conditions->requested, COALESCE_ADAPTIVE_RX, 0);
	coalesce_put(&conditions->reported, COALESCE_RX_USECS, 1000);
	conditions->reports_settings = true;
	conditions->programmed_count = 1;
	strcpy(conditions->programmed[0].name, "RXIC0");
	conditions->programmed[0].value = 0xc8801000;
	conditions->effective_rx_kind = "hold-off";
	conditions->effective_rx_ns = 1000000;
	conditions->effective_rx_frames = 200;
	conditions->effective_tx_frames = 200;
	conditions->effective_rx_throttle_ns = 99840;
	conditions->effective_tx_limit_ns = 32768;
	conditions->effective_tx_bypass_below_bytes = 128;
	conditions->assume_count = 1;
	strcpy(conditions->assumes[0].name, "fec-shared-poll");
}

static void fill(struct run *run)
{
	struct run_findings *findings = &run->findings;

	run_init(run);
	fill_conditions(&run->conditions);
	findings->has = (1u << RUN_LATENCIES) - 1;
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		histogram_record(&findings->latency[i], 1000 + i);
	}
	findings->irq_count = 3;
	findings->irq_frames = 5;
	findings->napi_polls = 7;
	findings->napi_frames = 5;
	findings->irq_masked_ns = 3 * NS_PER_MS;
	findings->cpus = 1;
	findings->rx_frames = 4;
	findings->cpu[0].app_ns = NS_PER_S;
	findings->app_bytes = 1000;
	findings->app_bytes_span_ns = NS_PER_S;
}

static char *written(const struct run *run)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	tap_is(run_json_write(run, out), 0, "a run is written");
	fclose(out);
	return text;
}

static const json_t *at(const json_t *document, const char *path)
{
	char copy[128], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", path);
	while (document && (part = strtok_r(rest, "/", &rest))) {
		document = json_is_array(document) ? json_array_get(document, (size_t)atoi(part))
						   : json_object_get(document, part);
	}
	return document;
}

static void test_values(const json_t *document)
{
	static const struct {
		const char *path;
		int64_t value;
	} integers[] = {
		{ "seed", INT64_C(9007199254740993) },
		{ "settings/requested/rx_usecs", 0 },
		{ "settings/reported/rx_usecs", 1000 },
		{ "settings/programmed/0/value", 0xc8801000 },
		{ "settings/effective/rx_ns", 1000000 },
		{ "settings/effective/rx_throttle_ns", 99840 },
		{ "settings/effective/tx_limit_ns", 32768 },
		{ "settings/effective/tx_bypass_below_bytes", 128 },
		{ "payload_bytes", 56 },
		{ "frame_bytes", 102 },
		{ "rtt_ns/mean", 1000 },
		{ "one_way_ns/count", 1 },
		{ "tx_stages_ns/irq_to_completion/max", 1003 },
		{ "rx_stages_ns/poll_to_app/p50", 1006 },
		{ "napi/irq_masked_ppm", 1000 },
		{ "cpus/0/busy_ppm", 333333 },
		{ "goodput_bps", 8000 },
	};

	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
		const json_t *value = at(document, integers[i].path);

		tap_ok(json_is_integer(value), "%s is an integer", integers[i].path);
		tap_is(json_integer_value(value), integers[i].value, "%s is what was put", integers[i].path);
	}
	tap_ok(json_is_false(at(document, "settings/requested/adaptive_rx")), "a switch is a boolean");
	tap_ok(json_is_true(at(document, "model")), "it is said to be a model");
	tap_is_text(json_string_value(at(document, "schema")), RUN_SCHEMA, "the schema is named");
	tap_is_text(json_string_value(at(document, "host_source")), "fitted on \"something\"",
		    "with what the host was fitted on");
	tap_is_text(json_string_value(at(document, "settings/programmed/0/register")), "RXIC0",
		    "registers keep their name");
}

static void test_decimals(const char *text)
{
	tap_ok(strstr(text, "\"rate_hz\": 1.000,"), "a rate has three digits");
	tap_ok(strstr(text, "\"frames_per_irq\": 1.667,"), "a quotient is rounded to three digits");
	tap_ok(strstr(text, "\"frames_per_poll\": 0.714,"), "also frames per poll");
}

static void test_absent(struct run *run)
{
	run->findings.has = 1u << RUN_XMIT_TO_IRQ;
	run->findings.irq_count = 0;
	run->findings.app_bytes_span_ns = 0;
	run->conditions.reports_settings = false;
	char *text = written(run);
	json_t *document = json_loads(text, 0, NULL);
	static const char *const paths[] = {
		"rtt_ns",
		"one_way_ns",
		"rx_stages_ns",
		"tx_stages_ns/irq_to_completion",
		"irq/frames_per_irq",
		"goodput_bps",
		"settings/reported",
		"settings/requested/tx_usecs",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		tap_ok(!at(document, paths[i]), "%s is absent when it was not observed", paths[i]);
	}
	tap_ok(at(document, "tx_stages_ns/xmit_to_irq"), "what was observed is there");
	json_decref(document);
	free(text);
}

/* Every key of the example is one that the writer writes, in that order. */
static void compare_keys(json_t *example, json_t *whole, const char *where)
{
	const char *key;
	json_t *value;
	void *iterator = json_object_iter(whole);

	json_object_foreach(example, key, value)
	{
		while (iterator && strcmp(json_object_iter_key(iterator), key) != 0) {
			iterator = json_object_iter_next(whole, iterator);
		}
		if (!iterator) {
			tap_ok(false, "%s/%s of the example is written, and in this place", where, key);
			return;
		}
		json_t *other = json_object_iter_value(iterator);
		const bool is_settings = strcmp(key, "requested") == 0 || strcmp(key, "reported") == 0;

		if (json_typeof(value) != json_typeof(other)) {
			tap_ok(false, "%s/%s of the example has the type of the writer's", where, key);
		} else if (json_is_object(value) && !is_settings) {
			compare_keys(value, other, key);
		}
	}
	tap_ok(true, "the keys of %s in the example are those of the writer", where);
}

static void test_example(const char *text)
{
	json_error_t error;
	json_t *example = json_load_file("docs/holdoff.run.json", 0, &error), *whole = json_loads(text, 0, NULL);

	if (!tap_ok(example != NULL, "docs/holdoff.run.json is JSON")) {
		tap_note("line %d: %s", error.line, error.text);
	} else {
		compare_keys(example, whole, "the document");
	}
	json_decref(example);
	json_decref(whole);
}

static void fill_measured(struct run *run)
{
	struct run_measured *const measured = &run->conditions.measured;

	run->conditions.source = RUN_MEASURED;
	strcpy(measured->device, "eth1");
	measured->repeats = 6;
	measured->median_ns = 500;
	measured->median_low_ns = 490;
	measured->median_high_ns = 510;
	run_condition_put(&measured->around, "irq.24.affinity", "%u-%u", 0, 3);
	run_taint(measured, "irq.24.affinity changed");
	run->findings.cpu[0].number = 5;
	run->findings.other_cpus = 3;
	run->findings.other_cpu.softirq_ns = NS_PER_S;
}

/* Of a machine's counters each may be missing. */
static void test_lacks(struct run *run)
{
	static const char *const paths[] = { "irq", "napi", "cpus", "other_cpus", "cpu_per_frame_ns", "rx", "tx" };

	run->findings.lacks = UINT32_MAX;
	char *text = written(run);
	json_t *document = json_loads(text, 0, NULL);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		tap_ok(!at(document, paths[i]), "%s is absent when the machine does not count it", paths[i]);
	}
	json_decref(document);
	free(text);
	run->findings.lacks = RUN_LACKS_POLL_KINDS | RUN_LACKS_IRQ_WORK;
	text = written(run);
	document = json_loads(text, 0, NULL);
	tap_ok(at(document, "napi/polls") && !at(document, "napi/irq_masked_ppm"), "polls without how they ended");
	tap_ok(at(document, "irq/count") && !at(document, "irq/rx_count"), "interrupts without what they found");
	json_decref(document);
	free(text);
}

static void test_measured(struct run *run)
{
	fill(run);
	fill_measured(run);
	char *text = written(run);
	json_t *document = json_loads(text, 0, NULL);

	tap_ok(json_is_false(at(document, "model")), "a measured run is no model");
	tap_ok(!at(document, "board") && !at(document, "assumptions"), "and has neither board nor assumptions");
	tap_is_text(json_string_value(at(document, "device")), "eth1", "but a device");
	tap_is(json_integer_value(at(document, "median_of_medians_ns/low")), 490, "an interval");
	tap_is_text(json_string_value(json_object_get(json_array_get(at(document, "around"), 0), "value")), "0-3",
		    "a circumstance");
	tap_is((int64_t)json_array_size(at(document, "taints")), 1, "a taint");
	tap_is(json_integer_value(json_object_get(json_array_get(at(document, "cpus"), 0), "cpu")), 5,
	       "a CPU under the kernel's number");
	/* One CPU was busy for 1 s with applications, three others together for 1 s. */
	tap_is(json_integer_value(at(document, "cpu_per_frame_ns")), NS_PER_S / 2, "all CPU time over all frames");
	tap_is(json_integer_value(at(document, "other_cpus/busy_ppm")), 111111, "1 s of 3 times 3 s");
	json_decref(document);
	free(text);
	test_lacks(run);
}

int main(void)
{
	struct run *run = malloc(sizeof(*run));

	if (!run) {
		return 1;
	}
	fill(run);
	char *text = written(run);
	json_t *document = json_loads(text, 0, NULL);

	tap_ok(document != NULL, "another parser reads it");
	test_values(document);
	test_decimals(text);
	test_example(text);
	test_absent(run);
	json_decref(document);
	free(text);
	test_measured(run);
	free(run);
	return tap_done();
}
