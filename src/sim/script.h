/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script: frames that the board sends one by one, each at its own time and of its own size, and what became of each.
 * It takes the place of ping's size and interval, for those who ask a question that no workload asks.
 */
#ifndef HOLDOFF_SIM_SCRIPT_H
#define HOLDOFF_SIM_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

struct script_frame {
	int64_t send_at_ns; /* since traffic begins; none before its predecessor's */
	uint32_t payload;
	bool is_answered; /* an echo request; else an echo reply that nobody asked for, and nobody answers */
	/* Written by the run; -1: it did not happen. */
	int64_t sent_at_ns; /* since traffic begins: user space before the send */
	int64_t rtt_ns;     /* from there to the kernel's receive stamp of the answer */
	int64_t drain_ns;   /* from there until the driver has let go of the frame, as a socket's queue shows it */
};

/* The caller's memory, for as long as the run takes. */
struct script {
	struct script_frame *frames;
	unsigned count;
};

#endif
