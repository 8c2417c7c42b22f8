/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic interrupt moderation, as the kernel's lib/dim does it for drivers that ask (net_dim): five levels of time and
 * frame count, among which it walks while the traffic's rates get better, and parks when they do not. A value, for any
 * driver whose chip holds off or restarts.
 *
 * Source of what it does: lib/dim/dim.c and net_dim.c of Linux 6.12, by a description of its states, not of its text.
 */
#ifndef HOLDOFF_DRIVER_DIM_H
#define HOLDOFF_DRIVER_DIM_H

#include <stdbool.h>
#include <stdint.h>

#define DIM_LEVELS 5

enum dim_profile { DIM_RX_EQE, DIM_RX_CQE, DIM_TX_EQE, DIM_TX_CQE, DIM_PROFILES };

struct dim_level {
	uint16_t usecs, frames;
};

extern const struct dim_level dim_levels[DIM_PROFILES][DIM_LEVELS];

/* Totals at an instant; events are interrupts, as the driver counts them, modulo 2^16. */
struct dim_sample {
	int64_t at_ns;
	uint32_t frames, bytes;
	uint16_t events;
};

/* Per ms. */
struct dim_rates {
	uint32_t frames, bytes, events;
};

struct dim {
	struct dim_sample start; /* of the present measurement */
	struct dim_rates before; /* what the last step was judged by */
	uint8_t level;
	uint8_t tuning;   /* enum in dim.c */
	uint8_t measures; /* a measurement is under way */
	uint8_t steps_left, steps_right, tired;
};

void dim_init(struct dim *dim);

/*
 * At the end of a poll. True when level has changed: the driver programs it. A measurement takes 64 events; one
 * of less than a us is not judged.
 */
bool dim_look(struct dim *dim, const struct dim_sample *now);

#endif
