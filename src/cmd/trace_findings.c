/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is concluded from a trace: which stages it cannot have, where most of the time goes, how much was not matched. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/trace.h"
#include "trace/parts.h"

#define BIT(kind) (1u << (kind))
#define ENDS (BIT(PATH_EVENT_FREE) | BIT(PATH_EVENT_COMPLETION))

/* Events without which there is no such stage; of `any` one is enough. */
static const struct {
	uint32_t all, any;
} needs[PATH_STAGES] = {
	[PATH_QDISC] = { BIT(PATH_EVENT_QUEUE) | BIT(PATH_EVENT_XMIT) | BIT(PATH_EVENT_XMIT_DONE), 0 },
	[PATH_XMIT] = { BIT(PATH_EVENT_XMIT) | BIT(PATH_EVENT_XMIT_DONE), 0 },
	[PATH_XMIT_TO_IRQ] = { BIT(PATH_EVENT_XMIT_DONE) | BIT(PATH_EVENT_IRQ), ENDS },
	[PATH_TX_IRQ_TO_POLL] = { BIT(PATH_EVENT_IRQ) | BIT(PATH_EVENT_SOFTIRQ), ENDS },
	[PATH_POLL_TO_COMPLETION] = { BIT(PATH_EVENT_SOFTIRQ), ENDS },
	[PATH_IRQ_TO_COMPLETION] = { BIT(PATH_EVENT_IRQ), ENDS },
	[PATH_XMIT_TO_COMPLETION] = { BIT(PATH_EVENT_XMIT_DONE), ENDS },
	[PATH_IRQ_TO_RAISE] = { BIT(PATH_EVENT_IRQ) | BIT(PATH_EVENT_RAISE), 0 },
	[PATH_RAISE_TO_SOFTIRQ] = { BIT(PATH_EVENT_RAISE) | BIT(PATH_EVENT_SOFTIRQ), 0 },
	[PATH_RX_IRQ_TO_POLL] = { BIT(PATH_EVENT_IRQ) | BIT(PATH_EVENT_SOFTIRQ) | BIT(PATH_EVENT_RECEIVE), 0 },
	[PATH_POLL_TO_STACK] = { BIT(PATH_EVENT_SOFTIRQ) | BIT(PATH_EVENT_RECEIVE), 0 },
	[PATH_IRQ_TO_STACK] = { BIT(PATH_EVENT_IRQ) | BIT(PATH_EVENT_SOFTIRQ) | BIT(PATH_EVENT_RECEIVE), 0 },
	[PATH_STACK_TO_WAKE] = { BIT(PATH_EVENT_RECEIVE) | BIT(PATH_EVENT_WAKE), 0 },
	[PATH_WAKE_TO_RUN] = { BIT(PATH_EVENT_WAKE) | BIT(PATH_EVENT_RUN), 0 },
	[PATH_RUN_TO_COPY] = { BIT(PATH_EVENT_WAKE) | BIT(PATH_EVENT_RUN),
			       BIT(PATH_EVENT_COPY) | BIT(PATH_EVENT_FREE) },
	[PATH_STACK_TO_COPY] = { BIT(PATH_EVENT_RECEIVE), BIT(PATH_EVENT_COPY) | BIT(PATH_EVENT_FREE) },
	[PATH_IRQ_TO_COPY] = { BIT(PATH_EVENT_IRQ) | BIT(PATH_EVENT_RECEIVE),
			       BIT(PATH_EVENT_COPY) | BIT(PATH_EVENT_FREE) },
	[PATH_ECHO] = { BIT(PATH_EVENT_RECEIVE) | BIT(PATH_EVENT_XMIT) | BIT(PATH_EVENT_SOFTIRQ), 0 },
	[PATH_IRQ_GAP] = { BIT(PATH_EVENT_IRQ), 0 },
};

static enum path_kind first_of(uint32_t kinds)
{
	enum path_kind kind = 0;

	while (kind < PATH_EVENTS - 1 && !(kinds & BIT(kind))) {
		kind++;
	}
	return kind;
}

const char *trace_missing(const struct trace_report *report, enum path_stage stage, char buffer[ERR_TEXT_MAX])
{
	const uint32_t absent = needs[stage].all & ~report->kinds;
	const struct path_sums *const sums = &report->result.sums;

	if (report->result.stage[stage].count || (report->parts && !parts_have(report->parts, stage))) {
		return NULL;
	}
	if (stage == PATH_QDISC && report->has_no_queue) {
		snprintf(buffer, ERR_TEXT_MAX, "the interface has no queueing discipline");
	} else if (absent || (needs[stage].any && !(needs[stage].any & report->kinds))) {
		snprintf(buffer, ERR_TEXT_MAX, "there are no events %s",
			 path_kind_names[first_of(absent ? absent : needs[stage].any)]);
	} else if (stage <= PATH_XMIT_TO_COMPLETION && stage > PATH_XMIT && sums->handed_on && !sums->completed) {
		snprintf(buffer, ERR_TEXT_MAX,
			 "what is sent goes to another interface of this machine, without a completion");
	} else if (!sums->interrupts && (needs[stage].all & BIT(PATH_EVENT_IRQ))) {
		snprintf(buffer, ERR_TEXT_MAX, "no interrupt was seen to be the interface's");
	} else if (stage == PATH_IRQ_GAP) {
		snprintf(buffer, ERR_TEXT_MAX, "no vector had two interrupts on one CPU");
	} else {
		snprintf(buffer, ERR_TEXT_MAX, "no packet went that way");
	}
	return buffer;
}

/* Stages that lie beside one another, and what a long one means. */
static const struct {
	enum path_stage stage;
	const char *before, *after;
} parts[] = {
	{ PATH_QDISC, "packets wait", "in the queueing discipline before the driver gets them" },
	{ PATH_XMIT, "the driver's xmit takes", "for a packet" },
	{ PATH_XMIT_TO_IRQ, "transmit completions wait", "for their interrupt: tx hold-off" },
	{ PATH_TX_IRQ_TO_POLL, "transmit completions wait",
	  "from their interrupt to the poll: other softirqs, or ksoftirqd" },
	{ PATH_IRQ_TO_COMPLETION, "transmit completions take",
	  "from their interrupt on: the handler, softirqs and the poll" },
	{ PATH_IRQ_TO_RAISE, "handlers take", "to raise the softirq" },
	{ PATH_RAISE_TO_SOFTIRQ, "a raised softirq waits", "to be run" },
	{ PATH_POLL_TO_STACK, "a received frame waits", "in its poll for those before it" },
	{ PATH_STACK_TO_WAKE, "a received frame takes", "through the stack to its socket" },
	{ PATH_WAKE_TO_RUN, "a woken reader waits", "to run: another thread, or an idle state that is left slowly" },
	{ PATH_RUN_TO_COPY, "a running reader takes", "to fetch its data" },
	{ PATH_ECHO, "the kernel takes", "to answer by itself" },
};

/* Of all packets together. */
static int64_t total_ns(const struct histogram *stage)
{
	return (int64_t)wide_saturated(stage->sum);
}

const char *trace_likely(const struct trace_report *report, char buffer[ERR_TEXT_MAX])
{
	const struct histogram *longest = NULL;
	char duration[TEXT_DURATION_MAX];
	size_t which = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct histogram *const stage = &report->result.stage[parts[i].stage];

		if (stage->count && (!longest || total_ns(stage) > total_ns(longest))) {
			longest = stage;
			which = i;
		}
	}
	buffer[0] = '\0';
	if (!longest) {
		return buffer;
	}
	const int64_t step_ns = report->resolution_ns > 1 ? report->resolution_ns : 1;
	const int64_t median_ns = histogram_percentile(longest, 500000) / step_ns * step_ns;
	const int length = snprintf(buffer, ERR_TEXT_MAX, "%s %s (median of %" PRIu64 ") %s", parts[which].before,
				    text_print_duration(median_ns, duration), longest->count, parts[which].after);

	if (parts[which].stage == PATH_XMIT_TO_IRQ && report->has_tx_usecs) {
		snprintf(buffer + length, ERR_TEXT_MAX - (size_t)length, "; tx-usecs is %" PRIu32, report->tx_usecs);
	}
	return buffer;
}

unsigned trace_unmatched_ppm(const struct path_result *result)
{
	const uint64_t unmatched = result->sums.reused + result->sums.displaced;
	const uint64_t ended = result->sums.sent - result->in_flight;

	return ended ? (unsigned)(unmatched * 1000000 / ended) : 0;
}
