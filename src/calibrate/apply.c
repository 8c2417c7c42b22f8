/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What parameters are, and what they change in a config. */
#include <math.h>
#include <stddef.h>

#include "base/time.h"
#include "calibrate/calibrate.h"
#include "calibrate/calibrate_private.h"
#include "host/profile.h"

const struct calibrate_parameter_info calibrate_parameters[CALIBRATE_PARAMETERS] = {
	[CALIBRATE_KERNEL] = { "kernel", "what interrupts, polls, the stack and transmitting cost", false },
	[CALIBRATE_IDLE] = { "idle", "what an idle CPU takes to its interrupt handler, and cold caches", false },
	[CALIBRATE_TASK] = { "task", "what system calls, wake-ups and the program itself cost", false },
	[CALIBRATE_BYTE] = { "byte", "what each byte costs", false },
	[CALIBRATE_DMA] = { "dma", "what a frame takes between NIC and memory", false },
	[CALIBRATE_TIMER] = { "timer", "how long the chip's times are", false },
	[CALIBRATE_PATH] = { "path", "from the last bit sent to the first bit of the reply: peer and wires", true },
};

#define COST(parameter, member)                                         \
	{                                                               \
		CALIBRATE_##parameter, offsetof(struct profile, member) \
	}

/* What the kernel is told (budgets, slices) is the base's. */
static const struct {
	enum calibrate_parameter parameter;
	size_t offset;
} costs[] = {
	COST(KERNEL, irq_entry_busy_ns),
	COST(KERNEL, irq_handler_ns),
	COST(KERNEL, irq_exit_ns),
	COST(KERNEL, softirq_entry_ns),
	COST(KERNEL, timer_irq_ns),
	COST(KERNEL, poll_ns),
	COST(KERNEL, poll_complete_ns),
	COST(KERNEL, poll_exit_ns),
	COST(KERNEL, rx_driver_ns),
	COST(KERNEL, rx_refill_ns),
	COST(KERNEL, rx_stack_ns),
	COST(KERNEL, rx_merge_ns),
	COST(KERNEL, wake_ns),
	COST(KERNEL, tx_clean_ns),
	COST(KERNEL, gro_timer_poll_ns),
	COST(KERNEL, xmit_ns),
	COST(KERNEL, echo_ns),
	COST(KERNEL, echo_exit_ns),
	COST(KERNEL, ack_ns),
	COST(KERNEL, ack_rx_ns),
	COST(KERNEL, segment_ns),
	COST(IDLE, irq_entry_idle_ns),
	COST(TASK, send_ns),
	COST(TASK, send_exit_ns),
	COST(TASK, wakeup_ns),
	COST(TASK, remote_wakeup_ns),
	COST(TASK, recv_ns),
	COST(TASK, think_ns),
	COST(TASK, block_ns),
	COST(TASK, switch_ns),
	COST(TASK, ping_ns),
	COST(TASK, ping_line_ns),
	COST(TASK, tftp_ns),
	COST(TASK, ping_send_ns),
	COST(BYTE, rx_byte_ps),
	COST(BYTE, send_byte_ps),
	COST(BYTE, echo_byte_ps),
	COST(BYTE, recv_byte_ps),
	COST(BYTE, ping_byte_ps),
	COST(IDLE, cold_max_ns),
	COST(DMA, dma_latency_ns),
	COST(DMA, dma_byte_ps),
};

static void scale_costs(const struct calibrate_value value[CALIBRATE_PARAMETERS], struct profile *profile)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		int64_t *const cost = (int64_t *)(void *)((char *)profile + costs[i].offset);

		*cost = llround((double)*cost * value[costs[i].parameter].value);
	}
	/* A send that costs nothing would have no end at an instant. */
	profile->send_ns += profile->send_ns == 0;
}

void calibrate_apply(const struct calibrate_value value[CALIBRATE_PARAMETERS], struct world_config *config)
{
	const struct assume_info *const timer = &assume_infos[ASSUME_TIMER_PPM];
	const int64_t ppm = llround(value[CALIBRATE_TIMER].value * ASSUME_TIMER_PPM_NOMINAL);
	const unsigned ends = config->end[1].ideal ? 1 : 2;

	for (unsigned i = 0; i < ends; i++) {
		struct end_config *const end = &config->end[i];

		scale_costs(value, &end->profile);
		end->board.assume.value[ASSUME_TIMER_PPM] = ppm < timer->min   ? timer->min
							    : ppm > timer->max ? timer->max
									       : ppm;
	}
	if (config->end[1].ideal) {
		config->end[1].delay_ns = llround(value[CALIBRATE_PATH].value);
	}
}

static bool has_dma(const struct profile *profile)
{
	return profile->dma_latency_ns > 0 || profile->dma_byte_ps > 0;
}

static bool is_timed(const struct calibrate_point *points, unsigned count)
{
	bool is_any = false;

	for (unsigned i = 0; i < count; i++) {
		const enum chip_family family = points[i].config.end[0].board.family;

		is_any |= family != CHIP_MACB;
	}
	return is_any;
}

uint32_t calibrate_parameters_of(const struct calibrate_point *points, unsigned count)
{
	uint32_t parameters = (1u << CALIBRATE_PARAMETERS) - 1;

	if (!points[0].config.end[1].ideal) {
		parameters &= ~(1u << CALIBRATE_PATH);
	}
	if (!has_dma(&points[0].config.end[0].profile)) {
		parameters &= ~(1u << CALIBRATE_DMA);
	}
	if (!is_timed(points, count)) {
		parameters &= ~(1u << CALIBRATE_TIMER);
	}
	return parameters;
}
