/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff ping --intervals: round trips by the gap before them, and what that shape says. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"

#define LEAST_PPM 50000
#define SAMPLES_DEFAULT 60
#define LABEL_WIDTH 10
#define SHORT_NS (200 * NS_PER_US)

static void show_progress(void *context, unsigned done, unsigned wanted)
{
	(void)context;
	fprintf(stderr, "\r%u of %u blocks of probes ", done, wanted);
}

/* ---- text ---- */

static void print_row(const struct gap_point *point)
{
	char gap[TEXT_DURATION_MAX], actual[TEXT_DURATION_MAX], min[TEXT_DURATION_MAX], median[TEXT_DURATION_MAX],
		low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX], period[TEXT_DURATION_MAX];

	printf("%10s %12s %6u %12s %12s %12s %12s %12s\n", text_print_duration(point->gap_ns, gap),
	       text_print_duration(point->actual_ns, actual), point->rtt.count,
	       text_print_duration(point->rtt.min_ns, min), text_print_duration(point->rtt.median_ns, median),
	       point->rtt.is_sure ? text_print_duration(point->rtt.low_ns, low) : "-",
	       point->rtt.is_sure ? text_print_duration(point->rtt.high_ns, high) : "-",
	       text_print_duration(point->period_ns, period));
}

static void print_throttle(const struct gap_finding *finding)
{
	char throttle[TEXT_DURATION_MAX], until[TEXT_DURATION_MAX];

	cmd_print_labelled(
		stdout, LABEL_WIDTH, "throttle",
		"at %u gaps the slow replies come %s after the one before, whatever the gap, and from a gap of %s on "
		"none does: a least time between interrupts (ITR of Intel's NICs), somewhere on the path",
		finding->points, text_print_duration(finding->ns, throttle),
		text_print_duration(finding->until_ns, until));
}

/* How long something was quiet before it went to sleep is all that is known of it. */
static const char words_short[] =
	"replies to quick probes find something awake: a NAPI instance that is still polling and takes them without an "
	"interrupt, a timer that a frame before has started, a CPU that has not gone idle, caches that are warm. It "
	"cannot "
	"be told which; with /dev/cpu_dma_latency held at 0 idle states are out of it";
static const char words_long[] =
	"something went to sleep meanwhile: idle states of a CPU, power saving of the link (EEE) or of PCIe (ASPM), a "
	"lower "
	"clock; or caches got cold. With /dev/cpu_dma_latency held at 0 idle states are out of it";

static void print_rise(const struct gap_finding *finding)
{
	char rise[TEXT_DURATION_MAX], from[TEXT_DURATION_MAX], until[TEXT_DURATION_MAX];

	cmd_print_labelled(stdout, LABEL_WIDTH, "rise", "%s longer after a gap of %s than after %s: %s",
			   text_print_duration(finding->ns, rise), text_print_duration(finding->until_ns, until),
			   text_print_duration(finding->from_ns, from),
			   finding->until_ns <= SHORT_NS ? words_short : words_long);
}

static void print_fall(const struct gap_finding *finding)
{
	char fall[TEXT_DURATION_MAX], from[TEXT_DURATION_MAX], until[TEXT_DURATION_MAX];

	cmd_print_labelled(stdout, LABEL_WIDTH, "fall",
			   "%s shorter after a gap of %s than after %s, not as a plain throttle does it: what was left "
			   "over from the "
			   "probe before (a timer, an adaptive moderation, work that was not done) delays the next",
			   text_print_duration(finding->ns, fall), text_print_duration(finding->until_ns, until),
			   text_print_duration(finding->from_ns, from));
}

static void print_shape(const struct gap_shape *shape)
{
	char least[TEXT_DURATION_MAX];

	putchar('\n');
	for (unsigned i = 0; i < shape->count; i++) {
		static void (*const print[])(const struct gap_finding *) = {
			[GAP_THROTTLE] = print_throttle,
			[GAP_RISE] = print_rise,
			[GAP_FALL] = print_fall,
		};

		print[shape->finding[i].kind](&shape->finding[i]);
	}
	if (shape->is_flat) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "flat",
				   "no difference of %s or more: no throttle that ends within these gaps, and nothing "
				   "that falls asleep. A "
				   "hold-off from the first frame looks like this, and so does none at all: --sizes, "
				   "or another setting, "
				   "tells them apart",
				   text_print_duration(shape->least_ns, least));
	}
	if (shape->count == 0 && !shape->is_flat) {
		puts("too few round trips to compare gaps");
	}
}

static void print_text(const struct ping_command *command, const struct gap_sweep_result *result)
{
	ping_print_counts(command, &result->ping, stdout);
	printf("\n%10s %12s %6s %12s %12s %12s %12s %12s\n", "gap", "was", "n", "min", "p50", "from", "to",
	       "reply-reply");
	for (unsigned i = 0; i < result->count; i++) {
		print_row(&result->point[i]);
	}
	print_shape(&result->shape);
	printf("round trips: %s; from, to: where the median is at 99.9 %%\n", ping_span_words(result->span));
	ping_print_local(command, LABEL_WIDTH, stdout);
}

/* ---- JSON ---- */

static void put_point(struct json_writer *writer, const struct gap_point *point)
{
	json_begin_object(writer, NULL);
	json_put_integer(writer, "gap_ns", point->gap_ns);
	json_put_unsigned(writer, "count", point->rtt.count);
	if (point->rtt.count) {
		json_put_integer(writer, "actual_gap_ns", point->actual_ns);
		json_put_integer(writer, "min_ns", point->rtt.min_ns);
		json_put_integer(writer, "median_ns", point->rtt.median_ns);
		json_put_integer(writer, "reply_to_reply_ns", point->period_ns);
	}
	if (point->rtt.is_sure) {
		json_put_integer(writer, "median_low_ns", point->rtt.low_ns);
		json_put_integer(writer, "median_high_ns", point->rtt.high_ns);
	}
	json_end_object(writer);
}

static void put_finding(struct json_writer *writer, const struct gap_finding *finding)
{
	static const char *const kinds[] = { [GAP_THROTTLE] = "throttle", [GAP_RISE] = "rise", [GAP_FALL] = "fall" };

	json_begin_object(writer, NULL);
	json_put_string(writer, "kind", kinds[finding->kind]);
	json_put_integer(writer, finding->kind == GAP_THROTTLE ? "throttle_ns" : "change_ns", finding->ns);
	json_put_integer(writer, "gap_from_ns", finding->from_ns);
	json_put_integer(writer, "gap_until_ns", finding->until_ns);
	json_end_object(writer);
}

static int print_json(const struct ping_command *command, const struct gap_sweep_result *result)
{
	struct json_writer writer;

	ping_json_begin(&writer, command);
	ping_json_result(&writer, &result->ping);
	json_put_boolean(&writer, "is_complete", !result->is_cut);
	json_put_string(&writer, "gaps_of", ping_span_key(result->span));
	json_begin_array(&writer, "gaps");
	for (unsigned i = 0; i < result->count; i++) {
		put_point(&writer, &result->point[i]);
	}
	json_end_array(&writer);
	json_put_integer(&writer, "least_ns", result->shape.least_ns);
	json_put_boolean(&writer, "is_flat", result->shape.is_flat);
	json_begin_array(&writer, "findings");
	for (unsigned i = 0; i < result->shape.count; i++) {
		put_finding(&writer, &result->shape.finding[i]);
	}
	json_end_array(&writer);
	return ping_json_end(&writer);
}

/* ---- all of it ---- */

static unsigned samples_of(const struct ping_command *command)
{
	const uint64_t wanted = command->count ? command->count : SAMPLES_DEFAULT;

	return wanted < GAP_SAMPLES_MAX ? (unsigned)wanted : GAP_SAMPLES_MAX;
}

static int sweep_and_print(struct ping_command *command, struct gap_sweep_result *result)
{
	struct gap_sweep_request request = {
		.ping = ping_base_request(command),
		.count = command->gap_count,
		.samples = samples_of(command),
		.least_ns = command->least_ns,
		.least_ppm = LEAST_PPM,
		.on_progress = !command->is_json && !command->is_quiet && isatty(STDERR_FILENO) ? show_progress : NULL,
	};
	struct err err = { "" };

	request.ping.count = 0;
	for (unsigned i = 0; i < command->gap_count; i++) {
		request.gap_ns[i] = command->gap_ns[i];
	}
	if (!command->is_json) {
		ping_print_heading(command, stdout);
		fflush(stdout);
	}
	const int ret = gap_sweep_run(&request, result, &err);

	if (request.on_progress) {
		fputs("\r\033[K", stderr);
	}
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	int written = CMD_FINE;

	if (command->is_json) {
		written = print_json(command, result);
	} else {
		print_text(command, result);
	}
	return written ? written : ping_status(&result->ping, result->is_cut ? CMD_INSUFFICIENT : CMD_FINE);
}

int ping_run_gaps(struct ping_command *command)
{
	struct gap_sweep_result *const result = calloc(1, sizeof(*result));

	if (!result) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the round trips" });
	}
	const int status = sweep_and_print(command, result);

	free(result);
	return status;
}
