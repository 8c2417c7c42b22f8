/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct run model, measured;

static void observe(struct run *run, enum run_latency latency, int64_t span_ns, unsigned times)
{
	while (times--) {
		histogram_record(&run->findings.latency[latency], span_ns);
	}
	run->findings.has |= 1u << latency;
}

static char *text_of(const struct run *left, const struct run *right)
{
	char *text = NULL;
	size_t length;
	FILE *const out = open_memstream(&text, &length);

	stages_write(left, right, out);
	fclose(out);
	return text;
}

static void test_text(void)
{
	char *const text = text_of(&model, &measured);

	tap_ok(strstr(text, "MODEL") && strstr(text, "measured"), "each side says what it is");
	tap_ok(strstr(text, "xmit to irq                  3") && strstr(text, " +20ns\n"),
	       "a stage of both, and how far apart");
	tap_ok(strstr(text,
		      "frame to irq                 2        100ns        100ns         -            -            -\n"),
	       "a stage of one is absent from the other, not 0");
	tap_ok(!strstr(text, "irq to poll"), "a stage of neither is no row");
	free(text);
	char *const back = text_of(&measured, &model);

	tap_ok(strstr(back, " -20ns\n") != NULL, "the other way round it is less");
	free(back);
}

static void test_json(void)
{
	char *text = NULL;
	size_t length;
	FILE *const out = open_memstream(&text, &length);
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	stages_put(&writer, "beside", &model, &measured);
	json_end_object(&writer);
	json_end(&writer);
	fclose(out);
	tap_ok(strstr(text, "\"source\": \"model\"") && strstr(text, "\"source\": \"measured\""),
	       "JSON says which is which");
	tap_ok(strstr(text, "\"difference_p50_ns\": 20") != NULL, "and how far apart, of what both have");
	free(text);
}

int main(void)
{
	run_init(&model);
	run_init(&measured);
	model.conditions.source = RUN_MODEL;
	measured.conditions.source = RUN_MEASURED;
	observe(&model, RUN_XMIT_TO_IRQ, 100, 3);
	observe(&measured, RUN_XMIT_TO_IRQ, 120, 5);
	observe(&model, RUN_FRAME_TO_IRQ, 100, 2);
	test_text();
	test_json();
	return tap_done();
}
