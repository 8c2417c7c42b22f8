/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff ping --burst: echoes back to back, and how their replies lie in time. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"
#include "live/burst.h"

#define BURSTS_DEFAULT 100
#define LABEL_WIDTH 10

/* ---- text ---- */

static void print_times(const char *title, const struct histogram *histogram)
{
	char min[TEXT_DURATION_MAX], median[TEXT_DURATION_MAX], max[TEXT_DURATION_MAX];

	if (histogram->count) {
		printf("%-28s %6" PRIu64 " %12s %12s %12s\n", title, histogram->count,
		       text_print_duration(histogram->min_ns, min),
		       text_print_duration(histogram_percentile(histogram, 500000), median),
		       text_print_duration(histogram->max_ns, max));
	}
}

static void print_numbers(const char *title, const struct histogram *histogram)
{
	printf("%-28s %6" PRIu64 " %12" PRId64 " %12" PRId64 " %12" PRId64 "\n", title, histogram->count,
	       histogram->min_ns, histogram_percentile(histogram, 500000), histogram->max_ns);
}

/* Most bursts decide what is said. */
static void print_verdict(const struct burst_result *result)
{
	char gap[TEXT_DURATION_MAX], spread[TEXT_DURATION_MAX];

	putchar('\n');
	if (2 * result->bundled > result->bursts) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "bundled",
				   "%" PRIu64 " of %" PRIu64
				   " bursts come back in several bundles, %s from one to the next, of up to %" PRId64
				   " replies: interrupts collect frames, at the peer (requests) or here (replies)",
				   result->bundled, result->bursts,
				   text_print_duration(histogram_percentile(&result->gap, 500000), gap),
				   histogram_percentile(&result->largest, 500000));
	} else {
		cmd_print_labelled(stdout, LABEL_WIDTH, "even",
				   "%" PRIu64 " of %" PRIu64
				   " bursts come back without a gap, within %s: one interrupt takes all of it, or "
				   "each frame has its own",
				   result->bursts - result->bundled, result->bursts,
				   text_print_duration(histogram_percentile(&result->spread, 500000), spread));
	}
}

static void print_text(const struct ping_command *command, const struct burst_result *result)
{
	ping_print_counts(command, &result->ping, stdout);
	if (result->bursts) {
		printf("\n%-28s %6s %12s %12s %12s\n", "bursts", "n", "min", "p50", "max");
		print_times("first to last reply", &result->spread);
		print_times("reply to reply", &result->spacing);
		print_numbers("bundles", &result->bundles);
		print_numbers("replies in the largest", &result->largest);
		print_times("bundle to bundle", &result->gap);
		printf("%" PRIu64 " of %" PRIu64 " bursts came back whole\n", result->complete, result->bursts);
		print_verdict(result);
	}
	ping_print_spans(command, &result->ping, stdout);
	ping_print_last_line(&result->ping, stdout);
}

/* ---- JSON ---- */

static int print_json(const struct ping_command *command, const struct burst_result *result)
{
	struct json_writer writer;

	ping_json_begin(&writer, command);
	json_put_unsigned(&writer, "burst_frames", command->burst_frames);
	ping_json_result(&writer, &result->ping);
	json_begin_object(&writer, "bursts");
	json_put_unsigned(&writer, "answered", result->bursts);
	json_put_unsigned(&writer, "whole", result->complete);
	json_put_unsigned(&writer, "bundled", result->bundled);
	ping_json_histogram(&writer, "first_to_last_ns", &result->spread);
	ping_json_histogram(&writer, "reply_to_reply_ns", &result->spacing);
	ping_json_histogram(&writer, "bundle_to_bundle_ns", &result->gap);
	ping_json_histogram(&writer, "bundles", &result->bundles);
	ping_json_histogram(&writer, "largest_bundle", &result->largest);
	json_end_object(&writer);
	return ping_json_end(&writer);
}

/* ---- all of it ---- */

static int run_and_print(struct ping_command *command, struct burst_result *result)
{
	struct burst_request request = {
		.ping = ping_base_request(command),
		.frames = command->burst_frames,
		.least_ns = command->least_ns,
	};
	struct err err = { "" };

	if (!request.ping.count && !request.ping.duration_ns) {
		request.ping.count = BURSTS_DEFAULT;
	}
	if (!command->is_json) {
		ping_print_heading(command, stdout);
		fflush(stdout);
	}
	const int ret = burst_run(&request, result, &err);

	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	int written = CMD_FINE;

	if (command->is_json) {
		written = print_json(command, result);
	} else {
		print_text(command, result);
	}
	return written ? written : ping_status(&result->ping, CMD_FINE);
}

int ping_run_bursts(struct ping_command *command)
{
	struct burst_result *const result = calloc(1, sizeof(*result));

	if (!result) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the round trips" });
	}
	const int status = run_and_print(command, result);

	free(result);
	return status;
}
