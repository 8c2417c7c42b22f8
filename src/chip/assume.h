/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model choices: what nobody outside a vendor knows, made a named number that anyone can change with
 * --assume NAME=VALUE. Each has a default whose source is said, and a range. A run lists those that differ.
 */
#ifndef HOLDOFF_CHIP_ASSUME_H
#define HOLDOFF_CHIP_ASSUME_H

#include <stdint.h>

#define ASSUME_TIMER_PPM_NOMINAL 1000000

enum assume_name {
	ASSUME_FEC_TIMER_CLOCK, /* Hz of the clock behind ICTT; 0: the one the driver converts with */
	ASSUME_FEC_RX_SCALE,    /* RX hold-off in ppm of nominal */
	ASSUME_FEC_EVENT_DELAYED, /* 1: EIR.RXF/TXF is set when the coalescer fires; 0: with the frame, only the line waits */
	ASSUME_FEC_SHARED_POLL, /* 1: a TX interrupt serves RX too */
	ASSUME_TSNEP_DELAY_FROM, /* 0: first event not signalled; 1: the enabling of the interrupt; 2: gap since the last interrupt */
	ASSUME_TSNEP_DELAY_RUNS,   /* how often the delay runs before the line rises: 1 or 2 */
	ASSUME_R8169_SMALL_BYPASS, /* frames below so many bytes (with FCS) are not moderated on 8168; 0: all are */
	ASSUME_R8169_FREE_RUNNING, /* 1: the timer counts edges of a free-running unit clock, so a wait is up to one unit short */
	ASSUME_R8169_EVENT_DELAYED, /* 1: IntrStatus RxOK/TxOK is set when the moderation fires; 0: with the frame */
	ASSUME_R8169_FRAME_COUNT,   /* 1: the frame nibble counts (in fours); 0: it is ignored */
	ASSUME_TIMER_PPM,           /* how long the chip's times are, in ppm of nominal */
	ASSUME_COUNT
};

struct assume_info {
	const char *name; /* "fec-timer-clock" */
	int64_t initial, min, max;
	const char *meaning; /* one line */
	const char *source;  /* why the default is what it is */
};

struct assume {
	int64_t value[ASSUME_COUNT];
};

extern const struct assume_info assume_infos[ASSUME_COUNT];

struct assume assume_defaults(void);
/* The choice called name, or ASSUME_COUNT. */
enum assume_name assume_find(const char *name);

#endif
