/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the numbers of a driver mean where ethtool's words do not say it: mode codes among the values, units of
 * another kind, timers that two directions or two ports share, algorithms of its own. For drivers that are modelled
 * as for those that are not; for the latter it is all that is known. Each row has its source.
 */
#ifndef HOLDOFF_NIC_QUIRK_H
#define HOLDOFF_NIC_QUIRK_H

#include <stdbool.h>
#include <stdint.h>

#include "coalesce/settings.h"

enum nic_quirk_flag {
	NIC_QUIRK_THROTTLE = 1u << 0, /* usecs keep interrupts apart: a frame after a quiet time does not wait */
	NIC_QUIRK_REARMS =
		1u << 1, /* re-arms its interrupt whatever napi_complete_done answers: deferral keeps nothing off */
	NIC_QUIRK_NANOSECONDS = 1u << 2,   /* rx-usecs is a number of nanoseconds */
	NIC_QUIRK_TX_FOLLOWS_RX = 1u << 3, /* both directions share the vector's timer, tx-usecs or not */
	NIC_QUIRK_TX_IGNORED = 1u << 4,    /* tx-usecs is taken and does nothing */
	NIC_QUIRK_NO_TX_TIMER = 1u << 5,   /* of sent frames only their number ends the wait */
	NIC_QUIRK_ZERO_FRAMES = 1u << 6,   /* frames 0 is an interrupt each, not "no limit" */
	NIC_QUIRK_IRQ_FIELDS = 1u << 7,    /* the delay stands in rx-usecs-irq and tx-usecs-irq */
	NIC_QUIRK_BATCH = 1u << 8,         /* frames are the size of a batch that somebody hands over: no delay */
	NIC_QUIRK_HIGH_IS_RATE = 1u << 9,  /* rx-usecs-high is the least time between interrupts of a vector */
	NIC_QUIRK_LOW_HIGH = 1u << 10,     /* adaptive moves between rx-usecs-low and rx-usecs-high */
	NIC_QUIRK_RING_EMPTY =
		1u << 11, /* sent frames: an interrupt also when the ring is empty, so that none waits for others */
	NIC_QUIRK_SOFTWARE = 1u << 12, /* no hardware, and no interrupts that could be held */
};

/* From the shortest to the longest delay that an algorithm chooses. */
struct nic_range {
	int64_t from_ns, to_ns; /* to_ns 0: none */
};

/* A value that is no time. */
struct nic_mode_code {
	uint32_t value;
	struct nic_range range;
	const char *name; /* "dynamic, conservative"; NULL ends the list */
};

#define NIC_QUIRK_DRIVERS_MAX 8
#define NIC_QUIRK_CODES_MAX 4
#define NIC_QUIRK_NOTES_MAX 4

struct nic_quirk {
	const char *drivers[NIC_QUIRK_DRIVERS_MAX];      /* as ETHTOOL_GDRVINFO has them */
	uint32_t flags;                                  /* enum nic_quirk_flag */
	struct nic_mode_code codes[NIC_QUIRK_CODES_MAX]; /* of rx-usecs and tx-usecs */
	struct nic_range adaptive_rx, adaptive_tx;       /* the driver's own; else those of DIM */
	const char *notes[NIC_QUIRK_NOTES_MAX];          /* one sentence each */
	const char *source;
};

/* The row of a driver, or NULL. */
const struct nic_quirk *nic_quirk_find(const char *driver);
/* All rows; *count is set. */
const struct nic_quirk *nic_quirks(unsigned *count);

static inline bool nic_quirk_has(const struct nic_quirk *quirk, enum nic_quirk_flag flag)
{
	return quirk && (quirk->flags & flag);
}

/* The meaning of a value of rx-usecs or tx-usecs that is a mode, or NULL. */
const struct nic_mode_code *nic_quirk_code(const struct nic_quirk *quirk, uint32_t usecs);

/* Between what adaptive moderation moves the delay of one direction (is_tx: of sent frames). quirk may be NULL. */
struct nic_range nic_adaptive_range(const struct nic_quirk *quirk, const struct coalesce *settings, bool is_tx);

#endif
