/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of the kernel's tracer to events: what trace and trace_pipe of tracefs show, trace-cmd report and perf script
 * print, and lines that a driver's developer put in by hand with trace_printk. Pure.
 *
 * By hand, in the words of the FEC thread (Weinberger, February 2023); the name before the colon is the function's:
 *	fec_enet_start_xmit: START skb: 1          xmit begins
 *	fec_enet_start_xmit: DONE skb: 1           xmit is about to return
 *	fec_enet_interrupt:                        a handler runs
 *	fec_enet_interrupt: scheduling napi        it raises NET_RX
 *	fec_enet_rx_napi: TX DONE skb: 1           the skb is completed
 */
#ifndef HOLDOFF_TRACE_FTRACE_H
#define HOLDOFF_TRACE_FTRACE_H

#include <stddef.h>

#include "trace/path.h"

enum ftrace_line {
	FTRACE_EVENT, /* *event is filled in */
	FTRACE_OTHER, /* an event that the matcher has no use for, or no event at all */
	FTRACE_LOST   /* the kernel says that events of event->cpu are missing */
};

struct ftrace_facts {
	uint64_t lost;         /* how many events; where the text does not tell, one for each such line */
	int64_t resolution_ns; /* of the time stamps: 1000, or 1; 0: no event yet */
	bool by_hand;          /* there were lines that no tracepoint wrote */
};

/* length without the end of line; facts are added to. */
enum ftrace_line ftrace_read(const char *line, size_t length, struct path_event *event, struct ftrace_facts *facts);

#endif
