/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the kernel sends by time, the sending call says nothing of when a message leaves: the driver's transmit stamps do. They
 * are of CLOCK_REALTIME; a step of it meanwhile spoils lateness, and one gap.
 */
#include "base/time.h"
#include "live/clocks.h"
#include "live/pace_private.h"

void pace_stamps_open(struct pace_stamps *stamps, int fd)
{
	const struct clocks clocks = clocks_read(0);

	stamps->is_on = stamps_open(&stamps->stamps, fd, NULL, NULL) == 0 && stamps->stamps.is_numbered;
	stamps->offset_ns = clocks_offset_ns(&clocks);
}

void pace_stamps_request(struct pace_stamps *stamps, struct msghdr *message, unsigned index, int64_t due_at_ns)
{
	if (stamps->is_on) {
		const uint32_t id = stamps_request(&stamps->stamps, message) + index;

		stamps->due_at_ns[id % PACE_STAMPS_MAX] = due_at_ns;
	}
}

void pace_stamps_sent(struct pace_stamps *stamps, unsigned taken, bool all)
{
	for (unsigned i = 0; stamps->is_on && i < taken; i++) {
		stamps_requested(&stamps->stamps, true);
	}
	if (stamps->is_on && !all) {
		stamps_requested(&stamps->stamps, false);
		stamps->has_last = false;
	}
}

static int64_t distance(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

static void take(struct pace_stamps *stamps, const struct stamp_report *report)
{
	const int64_t left_at_ns = report->at.software_at_ns - stamps->offset_ns;
	const int64_t due_at_ns = stamps->due_at_ns[report->id % PACE_STAMPS_MAX];

	histogram_record(&stamps->lateness, time_max(left_at_ns - due_at_ns, 0));
	if (stamps->has_last && report->id == stamps->last_id + 1) {
		histogram_record(&stamps->gap_error,
				 distance(left_at_ns - stamps->last_left_at_ns, due_at_ns - stamps->last_due_at_ns));
	}
	stamps->has_last = true;
	stamps->last_id = report->id;
	stamps->last_left_at_ns = left_at_ns;
	stamps->last_due_at_ns = due_at_ns;
}

void pace_stamps_take(struct pace_stamps *stamps)
{
	struct stamp_report report = { .kind = STAMP_REPORT_NONE };

	while (stamps->is_on && stamps_next_report(&stamps->stamps, &report, NULL) == 0 &&
	       report.kind != STAMP_REPORT_NONE) {
		if (report.kind == STAMP_REPORT_TRANSMIT && report.at.has & STAMP_SOFTWARE) {
			take(stamps, &report);
		} else if (report.kind == STAMP_REPORT_ERROR && report.error.ee_origin == SO_EE_ORIGIN_TXTIME) {
			stamps->missed++;
		}
	}
}
