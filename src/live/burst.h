/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bursts: echoes sent back to back, which any Linux peer answers with a burst. How their replies lie in time shows how
 * interrupts bundled them: those that one poll took follow each other closely, between two polls there is a gap. Whether
 * the requests were bundled at the peer or the replies here, the times alone cannot tell.
 */
#ifndef HOLDOFF_LIVE_BURST_H
#define HOLDOFF_LIVE_BURST_H

#include "live/ping.h"

#define BURST_MAX 1024

/* How the replies of one burst lie. Pure. */
struct burst_shape {
	unsigned replies;
	int64_t spread_ns;  /* from the first to the last */
	int64_t spacing_ns; /* median of the times between neighbours */
	unsigned bundles;   /* parts between which there are gaps; 1: none */
	unsigned largest;   /* replies in the largest of them */
	int64_t gap_ns;     /* median of the times from bundle to bundle, begin to begin; 0: one bundle */
};

/*
 * Sorts the times. A gap is a time between neighbours of more than four times the spacing, of more than a quarter
 * of the longest, and of least_ns and more: less is what a busy CPU does.
 */
struct burst_shape burst_shape_find(int64_t *received_at_ns, unsigned count, int64_t least_ns);

struct burst_request {
	struct ping_request
		ping;    /* interval_ns: from the begin of one burst to that of the next; its next, on_reply and
				     context are not used; count: of bursts */
	unsigned frames; /* 2 .. BURST_MAX */
	int64_t least_ns;
};

struct burst_result {
	uint64_t bursts;                       /* of which something came back */
	uint64_t complete;                     /* of which all did */
	uint64_t bundled;                      /* that came in more than one bundle */
	struct histogram spread, spacing, gap; /* of each burst; gap: of bundled ones */
	struct histogram bundles, largest;     /* counts, not times */
	struct ping_result ping;
};

int burst_run(const struct burst_request *request, struct burst_result *result, struct err *err);

#endif
