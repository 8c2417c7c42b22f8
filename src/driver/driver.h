/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver: what Linux does with a chip. Settings to registers with the errno and the rounding of the
 * real driver, what `get` reports, and the steps of its interrupt handler and NAPI poll. Drivers
 * come in variants ("fec@old", "fec@6.12"): the same chip met several rules over the years, which is the
 * story of the threads behind this project. A driver is a value: it can be copied and needs no destruction.
 *
 * A driver never touches a chip. It answers with register writes, which the owner performs in order; and with
 * what to do next, which the owner does. So the same code serves explain, tests against recorded vectors of the
 * real drivers, and the simulator.
 */
#ifndef HOLDOFF_DRIVER_DRIVER_H
#define HOLDOFF_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "chip/chip.h"
#include "coalesce/settings.h"

struct driver_ops;

/* One row of the table of variants. */
struct driver_variant {
	const char *name;             /* "fec@6.12" */
	enum chip_family families[2]; /* that it drives; the same twice for one */
	const char *kernels;          /* which kernels, as text */
	const char *set_rule;         /* one sentence each, for people */
	const char *default_rule;
	const char *poll_rule;
	uint32_t supported;        /* mask of coalesce fields that the ethtool core lets through; 0: no get, no set */
	bool per_queue;            /* get and set for single queues */
	unsigned rx_ring, tx_ring; /* descriptors */
	bool uses_bql;             /* byte queue limits */
	bool obeys_napi_complete;  /* leaves the interrupt masked when napi_complete_done answers false */
	bool defers_by_default;    /* sets gro_flush_timeout 20000 and napi_defer_hard_irqs 1 at probe */
	const struct driver_ops *ops;
};

/* The variants, oldest first within a driver; *count is set. */
const struct driver_variant *driver_variants(unsigned *count);
/* By name, or NULL. */
const struct driver_variant *driver_variant_find(const char *name);

/* What the board tells the driver. */
struct driver_config {
	enum chip_family family;
	bool has_coalesce;     /* fec: FEC_QUIRK_HAS_COALESCE; rtl8125 and later: false */
	bool has_multi_queues; /* fec: FEC_QUIRK_HAS_MULTI_QUEUES: rings 1 and 2 are written too */
	unsigned queues;
	uint32_t clock_hz; /* the rate that the driver converts with (fec: "ahb", stmmac: stmmac clock); else 0 */
	uint32_t rx_usecs_default;       /* fec@seed: the per-SoC default; 0: the driver's own */
	bool has_packet_counter_disable; /* rtl8168evl and later: CPlusCmd bit 7 is toggled */
	bool tx_only_queue;              /* tsnep: the last queue has no RX (none of our boards) */
	bool has_msix;                   /* e1000e: 82574, whose vectors have throttle registers of their own */
	struct assume assume;
};

#define DRIVER_STATE_WORDS 32

struct driver {
	const struct driver_variant *variant;
	struct driver_config config;
	unsigned link_mbps;                 /* 0: unknown, link down */
	uint64_t state[DRIVER_STATE_WORDS]; /* the variant's own */
};

#define DRIVER_WRITES_MAX 24
#define DRIVER_WARNINGS_MAX 12

struct driver_write {
	uint32_t offset, value;
};

/* What became of a request, or of probe/open. */
struct driver_result {
	bool quiet;                /* only whether it is accepted matters: no texts (the search for nearest values) */
	int error;                 /* 0 or the negative errno that the caller of ethtool sees */
	bool core_refused;         /* the ethtool core said no; the driver was not called */
	bool resets_chip;          /* close: the registers are as after power-on, before any writes */
	bool unchanged;            /* nothing differs from what is reported: the core does not call the driver */
	char why[240];             /* the refusal in one sentence, "" on success */
	enum coalesce_field field; /* the field that was refused, or COALESCE_FIELDS */
	unsigned write_count;
	struct driver_write writes[DRIVER_WRITES_MAX]; /* in the driver's order */
	unsigned warning_count; /* quantised, clamped, wrapped, ignored, both zero, speed dependent, creeping ... */
	char warnings[DRIVER_WARNINGS_MAX][200];
};

/* Probe: the state after module load, with the variant's defaults; no interface is up yet. -EINVAL if the variant
 * does not drive this family. Values of config out of range are brought into it. */
int driver_init(struct driver *driver, const struct driver_variant *variant, const struct driver_config *config,
		struct err *err);

/* ifup: the register writes of open (a driver may lose settings here: r8169). Also what unmasks the interrupts.
 * Writes of probe that have not been reported yet come first (tsnep). */
void driver_open(struct driver *driver, struct driver_result *result);

/* ifdown. The speed of the link stays what the driver takes it for, until driver_link says otherwise. */
void driver_close(struct driver *driver, struct driver_result *result);

/* The link is at speed_mbps now (0: down). Returns writes that the driver does then (fec restarts; r8169 does
 * nothing). */
void driver_link(struct driver *driver, unsigned speed_mbps, struct driver_result *result);

/* `ethtool -c`: 0 with the reported fields present, or the negative errno. */
int driver_get(const struct driver *driver, struct coalesce *reported);

/*
 * `ethtool -C`: as the netlink path of the core does it. Unsupported fields are refused, the rest is merged over what
 * is reported, no difference means no call; the driver checks in its own order. On error nothing has changed, but for
 * the receive part of stmmac, whose writes are then in the result.
 */
void driver_set(struct driver *driver, const struct coalesce *request, struct driver_result *result);

/*
 * The same through the ioctl that came before netlink, which systemd and NetworkManager use: all values are sent,
 * those not given as they are reported. A zero in an unsupported field is not seen, another value is -EOPNOTSUPP,
 * and the driver is called even if nothing changes.
 */
void driver_set_by_ioctl(struct driver *driver, const struct coalesce *request, struct driver_result *result);

/* `ethtool -Q ... --coalesce`: -EOPNOTSUPP where the variant has no such operation. */
int driver_get_queue(const struct driver *driver, unsigned queue, struct coalesce *reported);
void driver_set_queue(struct driver *driver, unsigned queue, const struct coalesce *request,
		      struct driver_result *result);

/* Takes a register word found in hardware for the driver's own, so that driver_get reports what it would for it.
 * False when the register means nothing to the driver. */
bool driver_adopt_register(struct driver *driver, uint32_t offset, uint32_t value);

/*
 * The nearest values of one field, below and above the refused one, that the driver accepts with the rest of the
 * request as it is. Either may not exist: false. Searches at most `reach` values each way.
 */
bool driver_nearest_below(const struct driver *driver, const struct coalesce *request, enum coalesce_field field,
			  uint32_t reach, uint32_t *value);
bool driver_nearest_above(const struct driver *driver, const struct coalesce *request, enum coalesce_field field,
			  uint32_t reach, uint32_t *value);

/* ---- interrupt and poll ---- */

/*
 * The steps of one NAPI instance. The owner reads the register `cause_offset` of the variant through chip_read just
 * before the steps marked (cause), hands the value in, performs the writes, then does what the answer says.
 */
enum driver_step {
	DRIVER_HARDIRQ,    /* (cause) an interrupt line is up and the handler runs */
	DRIVER_POLL,       /* (cause, if cause_in_poll) a poll round begins */
	DRIVER_ROUND_DONE, /* (cause, if cause_in_round) what serve_* asked for is done */
	DRIVER_COMPLETED,  /* napi_complete_done has answered */
	DRIVER_XMIT,       /* a frame goes to a TX ring: sets frame_flags, may arm the TX timer */
	DRIVER_TX_TIMER,   /* the driver's own TX timer has expired (stmmac) */
};

struct driver_input {
	uint32_t cause;
	bool under_budget;      /* ROUND_DONE: fewer frames than the budget were received */
	bool tx_all_reclaimed;  /* ROUND_DONE: no completed TX frame is left */
	bool completed;         /* COMPLETED: the answer of napi_complete_done */
	bool work_waiting;      /* COMPLETED: frames have arrived or left meanwhile (tsnep looks at its rings) */
	bool tx_frames_pending; /* ROUND_DONE: frames are in the TX ring, sent or not (stmmac re-arms its timer) */
	int64_t now_at_ns;      /* COMPLETED: for drivers that measure rates (enetc) */
	uint32_t packets[CHIP_DIRECTIONS]; /* ROUND_DONE: frames received and reclaimed in this round, */
	uint32_t bytes[CHIP_DIRECTIONS];   /* and their bytes without FCS (e1000e chooses its throttle by them) */
};

struct driver_actions {
	unsigned write_count;
	struct driver_write writes[4];
	bool handled; /* HARDIRQ: it was ours */
	/* Schedule NAPI. The owner knows whether it is scheduled already: then the last if_scheduled_writes of the
	 * writes are left out (fec and tsnep mask only when they schedule). */
	bool schedule;
	unsigned if_scheduled_writes;
	bool serve_rx, serve_tx; /* POLL, and ROUND_DONE with again: what the round serves; TX is reclaimed without
				  * budget unless tx_budget */
	bool rx_first;           /* order within the round */
	bool again;              /* ROUND_DONE: another round at once, same budget (fec: EIR had new bits) */
	bool complete;           /* ROUND_DONE: call napi_complete_done; else the instance stays on the poll list */
	uint32_t frame_flags;    /* XMIT: flags for chip_frame_sent */
	int64_t tx_timer_ns;     /* > 0: (re)arm the TX timer; 0: leave it; -1: cancel it */
};

/* How the owner has to feed the steps: constant per variant. */
struct driver_plan {
	uint32_t cause_offset;
	bool cause_in_poll, cause_in_round;
	unsigned weight;    /* NAPI weight, 64 */
	unsigned tx_budget; /* frames reclaimed per round at most; 0: all */
	/* Written before each received frame is taken (fec clears EIR.RXF0); offset 0: nothing is. */
	uint32_t rx_clear_offset, rx_clear_value;
};

/* The level of adaptive moderation that is in force for receive, 0 to DIM_LEVELS - 1 (driver/dim.h); -1: there is none. */
int driver_level(const struct driver *driver);

const struct driver_plan *driver_plan(const struct driver *driver);
/* Flags for chip_frame_received: whether the driver's receive descriptors ask for an interrupt. Changes with the
 * settings only. */
uint32_t driver_rx_frame_flags(const struct driver *driver);
void driver_step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions);

#endif
