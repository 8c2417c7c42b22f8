/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff ping --sizes: at which frame size round trips jump, by how much, and what may be behind it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"
#include "live/size_steps.h"

#define LEAST_PPM 50000
#define DURATION_DEFAULT_NS (60 * NS_PER_S)
#define LABEL_WIDTH 10
#define PROGRESS_EVERY 50

/* ---- what may be behind it ---- */

struct mechanism {
	unsigned frame_above; /* the first frame that is treated otherwise; 0: any */
	bool is_rise;
	const char *words;
};

/* The first that fits. */
static const struct mechanism mechanisms[] = {
	{ 128, true,
	  "the hold-off of an RTL8168 or RTL8111 (driver r8169), which does not hold frames below 128 bytes (seen by "
	  "Kirill "
	  "Smelkov, September 2017)" },
	{ 0, true,
	  "a hold-off that shorter frames are exempt from, or more work per frame from this size on: a second buffer "
	  "or "
	  "descriptor, another path for copies" },
	{ 0, false, "something that shorter frames wait for: a copy, or a least size for passing on early" },
};

static const struct mechanism *find_mechanism(unsigned frame_above, bool is_rise)
{
	unsigned i = 0;

	while (mechanisms[i].is_rise != is_rise ||
	       (mechanisms[i].frame_above && mechanisms[i].frame_above != frame_above)) {
		i++;
	}
	return &mechanisms[i];
}

/* ---- progress ---- */

static void show_progress(void *context, const struct step_search *search)
{
	static const char *const phases[] = { "survey", "halving", "narrowing down", "done" };

	(void)context;
	if (search->asked % PROGRESS_EVERY == 0) {
		fprintf(stderr, "\r%" PRIu64 " probes: %s, round %u of %u, %u steps found ", search->asked,
			phases[search->phase], search->round + 1, search->rounds, search->step_count);
	}
}

static void end_progress(const struct size_steps_request *request)
{
	if (request->on_progress) {
		fputs("\r\033[K", stderr);
	}
}

/* ---- text ---- */

static void print_place(const struct ping_command *command, const struct step *step, char text[], size_t size)
{
	const unsigned below = ping_frame_bytes(command, (unsigned)step->below),
		       above = ping_frame_bytes(command, (unsigned)step->above);
	const int length =
		snprintf(text, size, "%" PRId64 " -> %" PRId64 " bytes of payload", step->below, step->above);

	if (above && length > 0) {
		snprintf(text + length, size - (size_t)length, ", frame %u -> %u bytes", below, above);
	}
}

static void print_height(const struct step *step)
{
	char height[TEXT_DURATION_MAX], low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX], minimum[TEXT_DURATION_MAX],
		below[TEXT_DURATION_MAX], above[TEXT_DURATION_MAX];
	const bool is_rise = step->height_ns > 0;

	cmd_print_labelled(stdout, LABEL_WIDTH, "height",
			   "%s%s (between %s and %s) in the median, from %s to %s; %s in the minimum; %u of %u "
			   "neighbouring pairs %s",
			   is_rise ? "+" : "", text_print_duration(step->height_ns, height),
			   text_print_duration(step->low_ns, low), text_print_duration(step->high_ns, high),
			   text_print_duration(step->median_below_ns, below),
			   text_print_duration(step->median_above_ns, above),
			   text_print_duration(step->height_of_min_ns, minimum),
			   is_rise ? step->rising : step->pairs - step->rising, step->pairs,
			   is_rise ? "rise" : "do not rise");
}

static void print_step(const struct ping_command *command, const struct step *step)
{
	char place[128];

	print_place(command, step, place, sizeof(place));
	putchar('\n');
	if (!step->count_below) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "step",
				   "somewhere in %s: the measurement ended before it was found", place);
		return;
	}
	cmd_print_labelled(stdout, LABEL_WIDTH, "step", "%s%s", place,
			   step->is_narrow ? "" : ": somewhere between, the measurement ended before it was found");
	print_height(step);
	cmd_print_labelled(
		stdout, LABEL_WIDTH, "where",
		"somewhere on the path, at either end: a round trip does not tell. If it changes with the settings "
		"of the local interface, it is here");
	if (step->is_narrow) {
		cmd_print_labelled(
			stdout, LABEL_WIDTH, "likely", "%s",
			find_mechanism(ping_frame_bytes(command, (unsigned)step->above), step->height_ns > 0)->words);
	}
	ping_print_local(command, LABEL_WIDTH, stdout);
}

static void print_none(const struct step_search *search)
{
	char least[TEXT_DURATION_MAX], unseen[TEXT_DURATION_MAX];

	putchar('\n');
	if (search->unseen_ns == INT64_MAX) {
		puts("no step was found, and the survey of the sizes was not finished: that says nothing");
	} else if (search->unseen_ns > search->least_ns) {
		printf("no step was found; one of less than %s could have been passed over\n",
		       text_print_duration(search->unseen_ns, unseen));
	} else {
		printf("no step of %s or more\n", text_print_duration(search->least_ns, least));
	}
}

/* Only where there is one: of noise nobody wants to know the slope. */
static void print_slope(const struct step_search *search)
{
	char slope[TEXT_DURATION_MAX];

	printf("%s more for each 1000 bytes, which is no step\n", text_print_duration(search->slope_ps, slope));
}

static void print_text(const struct ping_command *command, const struct size_steps_result *result)
{
	const struct step_search *const search = &result->search;

	ping_print_counts(command, &result->ping, stdout);
	if (result->ping.counts.received == 0) {
		return;
	}
	for (unsigned i = 0; i < search->step_count; i++) {
		print_step(command, &search->steps[i]);
	}
	if (search->step_count == 0) {
		print_none(search);
	} else {
		putchar('\n');
	}
	print_slope(search);
	printf("round trips: %s\n", ping_span_words(result->span));
}

/* ---- JSON ---- */

static void put_step(struct json_writer *writer, const struct ping_command *command, const struct step *step)
{
	const unsigned frame_below = ping_frame_bytes(command, (unsigned)step->below);

	json_begin_object(writer, NULL);
	json_put_boolean(writer, "is_narrow", step->is_narrow);
	json_put_integer(writer, "payload_below_bytes", step->below);
	json_put_integer(writer, "payload_above_bytes", step->above);
	if (frame_below) {
		json_put_unsigned(writer, "frame_below_bytes", frame_below);
		json_put_unsigned(writer, "frame_above_bytes", ping_frame_bytes(command, (unsigned)step->above));
	}
	if (step->count_below) {
		json_put_integer(writer, "height_ns", step->height_ns);
		json_put_integer(writer, "height_low_ns", step->low_ns);
		json_put_integer(writer, "height_high_ns", step->high_ns);
		json_put_integer(writer, "height_of_min_ns", step->height_of_min_ns);
		json_put_integer(writer, "median_below_ns", step->median_below_ns);
		json_put_integer(writer, "median_above_ns", step->median_above_ns);
		json_put_unsigned(writer, "count_below", step->count_below);
		json_put_unsigned(writer, "count_above", step->count_above);
		json_put_unsigned(writer, "pairs", step->pairs);
		json_put_unsigned(writer, "rising_pairs", step->rising);
	}
	if (step->is_narrow) {
		json_put_string(
			writer, "likely",
			find_mechanism(ping_frame_bytes(command, (unsigned)step->above), step->height_ns > 0)->words);
	}
	json_end_object(writer);
}

static int print_json(const struct ping_command *command, const struct size_steps_result *result)
{
	const struct step_search *const search = &result->search;
	struct json_writer writer;

	ping_json_begin(&writer, command);
	ping_json_result(&writer, &result->ping);
	json_put_boolean(&writer, "is_complete", !search->is_cut);
	json_put_string(&writer, "steps_of", ping_span_key(result->span));
	json_put_integer(&writer, "least_ns", search->least_ns);
	if (search->unseen_ns < INT64_MAX) {
		json_put_integer(&writer, "unseen_below_ns", search->unseen_ns);
	}
	json_put_integer(&writer, "slope_ps_per_byte", search->slope_ps);
	json_begin_array(&writer, "steps");
	for (unsigned i = 0; i < search->step_count; i++) {
		put_step(&writer, command, &search->steps[i]);
	}
	json_end_array(&writer);
	return ping_json_end(&writer);
}

/* ---- all of it ---- */

static int find_and_print(struct ping_command *command, struct size_steps_result *result)
{
	struct size_steps_request request = {
		.ping = ping_base_request(command),
		.low_bytes = command->low_bytes,
		.high_bytes = command->high_bytes,
		.spacing_bytes = command->spacing_bytes,
		.least_ns = command->least_ns,
		.least_ppm = LEAST_PPM,
		.on_progress = !command->is_json && !command->is_quiet && isatty(STDERR_FILENO) ? show_progress : NULL,
	};
	struct err err = { "" };

	if (!request.ping.duration_ns) {
		request.ping.duration_ns = DURATION_DEFAULT_NS;
	}
	if (!command->is_json) {
		ping_print_heading(command, stdout);
		fflush(stdout);
	}
	const int ret = size_steps_find(&request, result, &err);

	end_progress(&request);
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	int written = CMD_FINE;

	if (command->is_json) {
		written = print_json(command, result);
	} else {
		print_text(command, result);
	}
	return written ? written : ping_status(&result->ping, result->search.is_cut ? CMD_INSUFFICIENT : CMD_FINE);
}

int ping_run_steps(struct ping_command *command)
{
	struct size_steps_result *const result = calloc(1, sizeof(*result));

	if (!result) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the round trips" });
	}
	const int status = find_and_print(command, result);

	free(result);
	return status;
}
