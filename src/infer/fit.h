/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which mechanism explains what single frames and pairs of frames took, at several settings, and with what span at each.
 *
 * A sample is a frame that went alone after a quiet time, or two with a gap between. Round trips tell of receive: the
 * path gives back each request after the same delay, then the NIC decides when the host is told. Times to drain tell of
 * transmit. The rules:
 *
 *  F1 The delay of the path is what a lone frame, and what the second of a pair, take at the setting where that is least
 *     (the floor). Since even that setting may hold, it may be what the quickest frames of all take, or less by what was
 *     asked for at the floor, or by some part, or where a line through all settings begins; but this has to explain clearly more. Frames leave the path no closer than
 *     the wire lets them, and than the closest that were seen.
 *  F2 The far end may hold requests by itself, from the first one: that is tried too, with the span that fits the floor
 *     best. It is the same at all settings; what it explains is not the local NIC's. With one setting alone that cannot be
 *     told, and a hold at the far end is taken for one here.
 *  F3 Each mechanism (mechanism.h) with each path is fitted at each setting: the span is the one with the least mean error,
 *     an error counting for no more than a cap, so that few stray frames do not decide.
 *  F4 The kind is the one with the least error over all settings. It is only told when the error is small against its
 *     spans and the path's jitter, and every other kind's is clearly larger.
 *  F5 The span at a setting is the median of what each frame says that depends on it, and its interval is that of this
 *     median, with what is not known of the path added, how far that can be moved before the error is clearly larger, and half of
 *     the mean error, by which the rules are not what happens, and a part of the path, since frames that had
 *     to wait find another CPU.
 *  F6 Spans that do not stand out of the jitter are none, and throttles that are over before the path lets the next frame come; at the floor that may be as much as was asked for, and half more.
 */
#ifndef HOLDOFF_INFER_FIT_H
#define HOLDOFF_INFER_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "infer/mechanism.h"

#define FIT_SETTINGS_MAX 24
#define FIT_SAMPLES_MAX 8192

enum fit_direction { FIT_RX, FIT_TX };

struct fit_sample {
	unsigned setting;
	bool is_pair;
	int64_t gap_ns; /* between the two sendings */
	int64_t first_ns,
		last_ns; /* round trip or drain time, from the sending of each; -1: did not come. last: pairs only */
};

struct fit_span {
	bool is_known;
	bool never_came; /* lone frames: there is no time to be known */
	int64_t span_ns, low_ns, high_ns;
	unsigned count; /* frames that this comes from */
	int64_t common_ns; /* so much of the interval, to either side, is the same at all settings: it moves them together */
};

struct fit_path {
	int64_t delay_ns, later_delay_ns; /* of the first frame after a quiet time, and of one soon after another */
	int64_t spacing_ns;
	int64_t other_at_ns;  /* M7: when the interrupt of what was sent comes, after the sending */
	int64_t look_ns;      /* M8; part of the delay */
	int64_t peer_hold_ns; /* F2; 0: none */
};

struct fit {
	unsigned setting_count;
	unsigned floor;                    /* the setting with the least lone time */
	int64_t lone_ns[FIT_SETTINGS_MAX]; /* medians; -1: less than half of them came */
	int64_t jitter_ns;                 /* half of the lone frames at the floor lie within so much of their median */
	int64_t resolution_ns;             /* smaller spans cannot be told from none */
	bool has_kind;                     /* F4; else kind is only what fits best */
	enum mechanism_kind kind, rival;   /* rival: the kind that comes next */
	struct mechanism mechanism;        /* of the best, without its span */
	struct fit_path path;
	int64_t error_ns, rival_error_ns;       /* mean over the settings */
	struct fit_span span[FIT_SETTINGS_MAX]; /* of the best */
};

/*
 * Samples in order of setting; requested_ns: at each setting, -1 where that is not known; frame_ns: of a
 * frame on the wire, 0 if that is not known. The work memory, about 450 KB, is the caller's.
 */
struct fit_work {
	struct fit_sample samples[FIT_SAMPLES_MAX];
	int64_t values_ns[2 * FIT_SAMPLES_MAX];
};

void fit_find(struct fit *fit, struct fit_work *work, unsigned sample_count, unsigned setting_count,
	      const int64_t *requested_ns, int64_t frame_ns, enum fit_direction direction);

#endif
