/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holdoff infer found, for people. */
#include <stdlib.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/infer.h"
#include "stats/middle.h"

#define LABEL_WIDTH 10
#define PLOT_COLUMNS 48
#define PLOT_ROWS 12
#define PAIRS_MAX 1024
#define HEADERS_BYTES 46 /* of a frame, with FCS, around an echo's payload; IPv6 has 20 more */

/* To 0.1 us, from a ms on to 1 us: more than is known. */
static const char *print_span(int64_t span_ns, char buffer[TEXT_DURATION_MAX])
{
	const int64_t unit_ns = span_ns >= NS_PER_MS ? NS_PER_US : NS_PER_US / 10;

	return text_print_duration((span_ns + unit_ns / 2) / unit_ns * unit_ns, buffer);
}

/* ---- kind and limits ---- */

static void print_kind(const struct infer_direction *of, FILE *out)
{
	const struct fit *const fit = &of->plan.fit;
	char error[TEXT_DURATION_MAX], next[TEXT_DURATION_MAX];

	if (fit->has_kind) {
		cmd_print_labelled(out, LABEL_WIDTH, "kind", "%s (mean error %s, %s of a %s)",
				   mechanism_words(fit->kind), print_span(fit->error_ns, error),
				   print_span(fit->rival_error_ns, next), mechanism_key(fit->rival));
	} else {
		cmd_print_labelled(out, LABEL_WIDTH, "kind",
				   "cannot tell: a %s fits with a mean error of %s, a %s with %s",
				   mechanism_key(fit->kind), print_span(fit->error_ns, error),
				   mechanism_key(fit->rival), print_span(fit->rival_error_ns, next));
	}
	if (fit->has_kind && fit->mechanism.other == OTHER_TAKES_ALONG) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "interrupts of sent frames take along received ones");
	} else if (fit->has_kind && fit->mechanism.other == OTHER_HAS_SAME_TIMER) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "sent and received frames share the timer");
	}
}

static unsigned frame_of(const struct infer_session *session, unsigned payload_bytes)
{
	return payload_bytes + HEADERS_BYTES + (session->host.is_ipv6 ? 20 : 0);
}

static void print_limits(const struct infer_session *session, const struct infer_direction *of, FILE *out)
{
	const struct plan *const plan = &of->plan;

	if (plan->has_bypass) {
		cmd_print_labelled(out, LABEL_WIDTH, "sizes", "frames %s %u bytes (with FCS) are not held",
				   plan->small_are_held ? "of at least" : "below",
				   frame_of(session, plan->bypass_below_payload));
	} else if (plan->looked_at_sizes) {
		cmd_print_labelled(out, LABEL_WIDTH, "sizes", "frames of %u and of %u bytes are held alike",
				   frame_of(session, plan->options.smallest_payload),
				   frame_of(session, plan->options.largest_payload));
	}
	if (plan->has_frames) {
		cmd_print_labelled(out, LABEL_WIDTH, "frames", "%u frames end the wait", plan->frames);
	} else if (plan->looked_at_frames) {
		cmd_print_labelled(out, LABEL_WIDTH, "frames", "no number up to %u ends the wait", plan->frames_seen);
	}
}

static void print_path(const struct infer_direction *of, FILE *out)
{
	const struct fit *const fit = &of->plan.fit;
	char delay[TEXT_DURATION_MAX], jitter[TEXT_DURATION_MAX], least[TEXT_DURATION_MAX], hold[TEXT_DURATION_MAX],
		spacing[TEXT_DURATION_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, "path",
			   "%s without what is held here, jitter %s: less than %s cannot be told from nothing",
			   print_span(fit->path.delay_ns + fit->path.peer_hold_ns, delay),
			   print_span(fit->jitter_ns, jitter), print_span(fit->resolution_ns, least));
	if (fit->kind == MECHANISM_THROTTLE) {
		cmd_print_labelled(out, LABEL_WIDTH, "",
				   "frames come no closer than %s: a throttle up to that does not show here",
				   print_span(fit->path.spacing_ns, spacing));
	}
	if (fit->path.peer_hold_ns) {
		cmd_print_labelled(
			out, LABEL_WIDTH, "",
			"%s of it does not move with the settings here and looks like a hold-off at the far end",
			print_span(fit->path.peer_hold_ns, hold));
	}
	if (fit->setting_count == 1 && fit->has_kind && fit->kind != MECHANISM_NONE) {
		cmd_print_labelled(out, LABEL_WIDTH, "",
				   "nothing was varied here: the far end may be what holds, and not this one");
	}
}

/* ---- rows ---- */

static const char *print_setting(int64_t setting_ns, char buffer[TEXT_DURATION_MAX])
{
	return setting_ns < 0 ? "-" : setting_ns == 0 ? "0" : text_print_duration(setting_ns, buffer);
}

static void print_row(const struct verdict_row *row, FILE *out)
{
	const struct fit_span *const span = &row->effective;
	char requested[TEXT_DURATION_MAX], reported[TEXT_DURATION_MAX], effective[TEXT_DURATION_MAX],
		low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	fprintf(out, "%10s %10s ", print_setting(row->requested_ns, requested),
		print_setting(row->reported_ns, reported));
	if (span->never_came) {
		fprintf(out, "%10s %10s %10s %6s", "never", "-", "-", "-");
	} else if (!span->is_known) {
		fprintf(out, "%10s %10s %10s %6u", "?", "-", "-", span->count);
	} else if (span->span_ns == 0) {
		fprintf(out, "%10s %10s %10s %6s", "none", "0", print_span(span->high_ns, high), "-");
	} else {
		fprintf(out, "%10s %10s %10s %6u", print_span(span->span_ns, effective), print_span(span->low_ns, low),
			print_span(span->high_ns, high), span->count);
	}
	fputs(row->is_again ? "  again\n" : "\n", out);
}

static void print_rows(const struct infer_direction *of, FILE *out)
{
	fprintf(out, "\n%10s %10s %10s %10s %10s %6s\n", "requested", "reported", "effective", "from", "to", "n");
	for (unsigned i = 0; i < of->row_count; i++) {
		print_row(&of->rows[i], out);
	}
}

static void print_verdict(const struct infer_direction *of, FILE *out)
{
	const struct verdict *const verdict = &of->verdict;
	char low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX], step[TEXT_DURATION_MAX];

	putc('\n', out);
	cmd_print_labelled(out, LABEL_WIDTH, "verdict", "%s: %s", verdict_key(verdict->kind),
			   verdict_words(verdict->kind));
	if (verdict->is_unsteady) {
		cmd_print_labelled(out, LABEL_WIDTH, "", "the same setting, made twice, did not give the same");
	}
	if (verdict->has_low_limit) {
		cmd_print_labelled(out, LABEL_WIDTH, "limit", "never less than %s",
				   print_span(verdict->low_limit_ns, low));
	}
	if (verdict->has_high_limit) {
		cmd_print_labelled(out, LABEL_WIDTH, "limit", "never more than %s",
				   print_span(verdict->high_limit_ns, high));
	}
	if (verdict->dead_until_ns) {
		/* A throttle may be there and not be seen. */
		cmd_print_labelled(out, LABEL_WIDTH, "limit", "%s and less come to nothing%s",
				   print_span(verdict->dead_until_ns, low),
				   of->plan.fit.kind == MECHANISM_THROTTLE ? " that shows on this path" : "");
	}
	if (verdict->kind == VERDICT_SCALED) {
		cmd_print_labelled(out, LABEL_WIDTH, "scale", "%u.%02u of what is set", verdict->scale_ppm / 1000000,
				   verdict->scale_ppm % 1000000 / 10000);
	}
	if (verdict->step_ns) {
		cmd_print_labelled(out, LABEL_WIDTH, "step", "up to %s", print_span(verdict->step_ns, step));
	}
	if (verdict->misreports) {
		cmd_print_labelled(out, LABEL_WIDTH, "reported", "is not what happens, where the two differ above");
	}
}

/* ---- the plot ---- */

struct pair {
	int64_t gap_ns, last_ns;
};

static int compare(const void *a, const void *b)
{
	const struct pair *const x = a, *const y = b;

	return (x->gap_ns > y->gap_ns) - (x->gap_ns < y->gap_ns);
}

static unsigned gather(const struct plan *plan, unsigned setting, struct pair *pairs, unsigned max)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->sample_count && count < max; i++) {
		const struct fit_sample *const sample = &plan->work.samples[i];

		if (sample->setting == setting && sample->is_pair && sample->last_ns >= 0) {
			pairs[count++] = (struct pair){ sample->gap_ns, sample->last_ns };
		}
	}
	qsort(pairs, count, sizeof(*pairs), compare);
	return count;
}

/* Of the pairs from .. to, in order of gap. */
static struct pair median_pair(const struct pair *pairs, unsigned from, unsigned to)
{
	int64_t last_ns[PAIRS_MAX];

	for (unsigned i = from; i < to; i++) {
		last_ns[i - from] = pairs[i].last_ns;
	}
	return (struct pair){ pairs[(from + to) / 2].gap_ns, middle_find(last_ns, to - from).median_ns };
}

/* A bar for each part of the gaps: what the second frame of pairs took, at the setting that holds longest. */
static void print_plot(const struct infer_direction *of, FILE *out)
{
	static struct pair pairs[PAIRS_MAX];
	struct pair bars[PLOT_ROWS];
	const struct plan *const plan = &of->plan;
	const unsigned count = gather(plan, plan->most, pairs, PAIRS_MAX);
	char gap[TEXT_DURATION_MAX], took[TEXT_DURATION_MAX], setting[TEXT_DURATION_MAX];
	int64_t most_ns = 1;

	if (count < 2 * PLOT_ROWS) {
		return;
	}
	for (unsigned i = 0; i < PLOT_ROWS; i++) {
		bars[i] = median_pair(pairs, count * i / PLOT_ROWS, count * (i + 1) / PLOT_ROWS);
		most_ns = time_max(most_ns, bars[i].last_ns);
	}
	fprintf(out, "\n%10s  second frame of a pair (medians, n %u each", "gap", count / PLOT_ROWS);
	if (of->rows[plan->most].requested_ns >= 0) {
		fprintf(out, ", %s-usecs %s", infer_direction_name(of->direction),
			text_print_duration(of->rows[plan->most].requested_ns, setting));
	}
	fputs(")\n", out);
	for (unsigned i = 0; i < PLOT_ROWS; i++) {
		fprintf(out, "%10s  %-*.*s %s\n", print_span(bars[i].gap_ns, gap), PLOT_COLUMNS,
			(int)(bars[i].last_ns * PLOT_COLUMNS / most_ns),
			"################################################", print_span(bars[i].last_ns, took));
	}
}

/* ---- all of it ---- */

static void print_direction(const struct infer_session *session, const struct infer_direction *of, FILE *out)
{
	fprintf(out, "\n%s\n", of->direction == FIT_RX ? "receive" : "transmit");
	if (of->skipped) {
		cmd_print_labelled(out, LABEL_WIDTH, "not tried", "%s", of->skipped);
	}
	for (unsigned i = 0; i < of->refusal_count; i++) {
		cmd_print_labelled(out, LABEL_WIDTH, "refused", "%u: %s", of->refusals[i].usecs, of->refusals[i].why);
	}
	if (!of->is_done) {
		return;
	}
	print_kind(of, out);
	print_limits(session, of, out);
	print_path(of, out);
	print_rows(of, out);
	print_plot(of, out);
	if (of->has_verdict) {
		print_verdict(of, out);
	}
}

void infer_print_text(const struct infer_session *session, FILE *out)
{
	char timeout[TEXT_DURATION_MAX];

	cmd_print_labelled(out, LABEL_WIDTH, "device", "%s%s%s", session->nic.name,
			   session->identity.has & NIC_HAS_DRIVER ? ", " : "",
			   session->identity.has & NIC_HAS_DRIVER ? session->identity.driver : "");
	if (session->identity.has & NIC_HAS_SPEED) {
		cmd_print_labelled(out, LABEL_WIDTH, "link", "%u Mb/s, %s answers", session->identity.speed_mbps,
				   session->host.text);
	}
	if (session->defer_hard_irqs) {
		cmd_print_labelled(out, LABEL_WIDTH, "napi",
				   "defer-hard-irqs %u and gro-flush-timeout %s put polls off in software, too",
				   session->defer_hard_irqs,
				   text_print_duration((int64_t)session->gro_flush_timeout_ns, timeout));
	}
	for (unsigned d = 0; d < 2; d++) {
		if (session->directions[d].is_done || session->directions[d].skipped) {
			print_direction(session, &session->directions[d], out);
		}
	}
}
