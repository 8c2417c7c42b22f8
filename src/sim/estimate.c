/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many frames and polls a run moves at most: what it will take is about proportional to that. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/time.h"
#include "base/wide.h"
#include "sim/plan.h"
#include "sim/wire.h"

/* rate times span, and one for the start. */
static uint64_t frames_at_rate(uint64_t per_s, int64_t span_ns)
{
	const uint64_t frames = wide_scale(per_s, (uint64_t)span_ns, (uint64_t)NS_PER_S);

	return frames < UINT64_MAX ? frames + 1 : frames;
}

static uint64_t frames_every(int64_t interval_ns, int64_t span_ns)
{
	return (uint64_t)(span_ns / (interval_ns > 0 ? interval_ns : 1)) + 1;
}

static uint64_t line_rate(const struct world_config *config, uint32_t payload)
{
	return wire_line_rate(config->speed_mbps, workload_frame_bytes(config->workload.kind, payload)) + 1;
}

static uint64_t udp_rate(const struct world_config *config)
{
	const struct workload *workload = &config->workload;
	const uint64_t line = line_rate(config, workload->size);
	uint64_t rate = workload->rate_per_s;

	if (workload->pattern == WORKLOAD_BURST && workload->burst_every_ns > 0) {
		const uint64_t bursts_per_s = (uint64_t)(NS_PER_S / workload->burst_every_ns) + 1;

		rate = bursts_per_s * workload->burst_count;
	}
	return rate == 0 || rate > line ? line : rate;
}

/* A closed loop can be no faster than its two frames on the wire; a quarter of that is what fast hosts reach. */
static uint64_t closed_loop_rate(const struct world_config *config)
{
	return line_rate(config, config->workload.size) / 4 + 1;
}

/* Deferral polls without frames as well: so many after each frame, and one in each period of the timer. */
static uint64_t deferred_polls(const struct end_config *end, uint64_t frames, int64_t span_ns)
{
	const int64_t period_ns = end->gro_flush_timeout_ns + end->profile.timer_irq_ns + end->profile.poll_ns;

	if (end->ideal || end->gro_flush_timeout_ns == 0 || end->defer_hard_irqs == 0) {
		return 0;
	}
	const uint64_t most = frames_every(period_ns, span_ns);

	return frames > most / end->defer_hard_irqs ? most : frames * end->defer_hard_irqs;
}

static uint64_t workload_frames(const struct world_config *config, int64_t span_ns)
{
	const struct workload *workload = &config->workload;

	switch (workload->kind) {
	case WORKLOAD_PING:
	case WORKLOAD_FIELDBUS:
	case WORKLOAD_RR:
		return workload->interval_ns > 0 ? 2 * frames_every(workload->interval_ns, span_ns)
						 : frames_at_rate(closed_loop_rate(config), span_ns);
	case WORKLOAD_UDP:
		return frames_at_rate(udp_rate(config), span_ns);
	case WORKLOAD_VOIP:
		return frames_every(2 * NS_PER_MS, span_ns);
	case WORKLOAD_TCP:
		return frames_at_rate(2 * line_rate(config, workload->mss), span_ns);
	case WORKLOAD_TFTP:
	case WORKLOAD_KINDS:
		break;
	}
	return frames_at_rate(closed_loop_rate(config), span_ns);
}

uint64_t plan_frames(const struct world_config *config)
{
	const int64_t span_ns = config->duration_ns + config->warmup_ns;
	const uint64_t frames = workload_frames(config, span_ns);
	const uint64_t polls = deferred_polls(&config->end[0], frames, span_ns);

	return frames + polls < frames ? UINT64_MAX : frames + polls;
}

#define UNASKED_MAX_S 600

static void print_span(uint64_t seconds, char text[32])
{
	if (seconds >= 2 * 86400) {
		snprintf(text, 32, "%" PRIu64 " days", seconds / 86400);
	} else if (seconds >= 2 * 3600) {
		snprintf(text, 32, "%" PRIu64 " hours", seconds / 3600);
	} else {
		snprintf(text, 32, "%" PRIu64 " minutes", seconds / 60);
	}
}

int plan_check_length(const char *what, uint64_t frames, unsigned cores, struct err *err)
{
	const uint64_t seconds = frames / PLAN_FRAMES_PER_CORE_S / cores;
	char span[32];

	if (seconds <= UNASKED_MAX_S) {
		return 0;
	}
	print_span(seconds, span);
	return err_set(err, -EINVAL,
		       "%s would move up to %" PRIu64 " frames and run for about %s: add --yes to begin all the same",
		       what, frames, span);
}
