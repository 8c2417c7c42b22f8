/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derived figures are computed here and nowhere else, from integers and with one rule of rounding, so that
 * the page for people, the table and the JSON of one run cannot differ.
 */
#include "run/run.h"

#include <assert.h>
#include <string.h>

#include "base/time.h"
#include "base/wide.h"

static const char *const latency_keys[] = {
	[RUN_RTT] = "rtt_ns",
	[RUN_ONE_WAY] = "one_way_ns",
	[RUN_XMIT_TO_IRQ] = "xmit_to_irq",
	[RUN_IRQ_TO_COMPLETION] = "irq_to_completion",
	[RUN_FRAME_TO_IRQ] = "frame_to_irq",
	[RUN_IRQ_TO_POLL] = "irq_to_poll",
	[RUN_POLL_TO_APP] = "poll_to_app",
	[RUN_SEND_TO_RECV] = "send_to_recv_ns",
};
static_assert(sizeof(latency_keys) / sizeof(latency_keys[0]) == RUN_LATENCIES, "a key for each latency");

void run_init(struct run *run)
{
	memset(run, 0, sizeof(*run));
	run->conditions.effective_rx_kind = "none";
	run->conditions.effective_tx_kind = "none";
	for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
		run->findings.cpu[i].number = i;
	}
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		histogram_init(&run->findings.latency[i]);
	}
}

/* factor * a / b, to nearest, at most UINT64_MAX; 0 where b is. */
static uint64_t scaled_quotient(uint64_t factor, uint64_t dividend, uint64_t divisor)
{
	return divisor ? wide_scale_to_nearest(factor, dividend, divisor) : 0;
}

uint64_t run_milli(uint64_t dividend, uint64_t divisor)
{
	return scaled_quotient(1000, dividend, divisor);
}

uint64_t run_goodput_bps(const struct run *run)
{
	const int64_t span_ns = run->findings.app_bytes_span_ns;

	return span_ns <= 0 ? 0 : scaled_quotient(8 * NS_PER_S, run->findings.app_bytes, (uint64_t)span_ns);
}

uint64_t run_irq_rate_milli_hz(const struct run *run)
{
	const int64_t duration_ns = run->conditions.duration_ns;

	return duration_ns <= 0 ? 0 : scaled_quotient(1000 * NS_PER_S, run->findings.irq_count, (uint64_t)duration_ns);
}

unsigned run_ppm(int64_t part_ns, int64_t whole_ns)
{
	if (part_ns <= 0 || whole_ns <= 0) {
		return 0;
	}
	const uint64_t ppm = scaled_quotient(1000000, (uint64_t)part_ns, (uint64_t)whole_ns);

	return ppm > UINT32_MAX ? UINT32_MAX : (unsigned)ppm;
}

int64_t run_cpu_busy_ns(const struct run_cpu *cpu)
{
	return cpu->hardirq_ns + cpu->softirq_ns + cpu->app_ns + cpu->idle_exit_ns;
}

int64_t run_busy_ns(const struct run *run)
{
	int64_t busy_ns = run_cpu_busy_ns(&run->findings.other_cpu);

	for (unsigned i = 0; i < run->findings.cpus; i++) {
		busy_ns += run_cpu_busy_ns(&run->findings.cpu[i]);
	}
	return busy_ns;
}

int64_t run_cpu_per_frame_ns(const struct run *run)
{
	const uint64_t frames = run->findings.rx_frames + run->findings.tx_frames;

	return frames ? (int64_t)(((uint64_t)run_busy_ns(run) + frames / 2) / frames) : 0;
}

const char *run_latency_key(enum run_latency latency)
{
	assert(latency < RUN_LATENCIES);
	return latency_keys[latency];
}

const char *run_hold_kind(const char *text)
{
	static const char *const kinds[] = { "none", "hold-off", "restarting hold-off", "throttle", "frame count" };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i], text) == 0) {
			return kinds[i];
		}
	}
	return NULL;
}
