/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages of one interface's packets, found by programs in the kernel: needs CAP_BPF and CAP_PERFMON (or root), a kernel
 * with BTF, and a holdoff that was built with BPF. Nothing is left behind, however the process ends: programs and tables
 * are held by its file descriptors alone.
 */
#ifndef HOLDOFF_TRACE_PROBES_H
#define HOLDOFF_TRACE_PROBES_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/path.h"

struct probes; /* owned by whoever opened it */

/* Which packets are looked at. */
struct probes_choice {
	uint8_t protocol; /* IPPROTO_ICMP (ICMPv6 as well), IPPROTO_TCP, IPPROTO_UDP; 0: all */
	uint16_t port;    /* either end's; host order; 0: all */
	uint32_t address; /* of IPv4, either end's; network order; 0: all */
};

/* "icmp", "udp", "tcp", "udp port 53", "tcp port 80", "host 10.0.0.1". -EINVAL with a sentence. */
int probes_choice_parse(struct probes_choice *choice, const char *text, struct err *err);

#define PROBES_ALL_KINDS ((1u << PATH_EVENTS) - 1)

struct probes_request {
	char device[PATH_NAME_MAX]; /* its name, for events */
	int ifindex;                /* of the network namespace that the process is in */
	struct probes_choice choice;
	bool without_answers; /* what answers what is not asked for */
	uint32_t kinds;       /* 1u << enum path_kind: which events are needed, PROBES_ALL_KINDS or fewer */
	unsigned irq_count;   /* its vectors; those above PATH_IRQS_MAX are not seen */
	uint32_t irq[PATH_VECTORS_MAX];
	char irq_name[PATH_VECTORS_MAX][64];
	char shared_action[16]; /* what its handler is called where a line is shared with other devices; "": none is */
	FILE *events;           /* borrowed; gets a line for each event, as `--from` reads them; or NULL */
};

struct probes_cost {
	uint64_t runs;
	int64_t run_ns;    /* of those runs */
	int64_t window_ns; /* while they were counted */
	int64_t timing_ns; /* of a run that does nothing: of each run's time, what taking it adds; negative: not known */
	int64_t once_ns;   /* of each program one run: about what a packet\'s way there and back meets */
};

/* Starts. -EPERM names the capability, -EOPNOTSUPP what the kernel or this build lacks. Borrows nothing but events. */
int probes_open(struct probes **probes, const struct probes_request *request, struct err *err);
void probes_close(struct probes *probes); /* NULL is fine */

/* No program runs any more; what was found stays. */
void probes_stop(struct probes *probes);

/* What was found since probes_open. */
int probes_read(struct probes *probes, struct path_result *result, struct err *err);

/* From now on one packet in `every` is followed, drawn at random; 1: all, as at first. */
void probes_follow(struct probes *probes, unsigned every);

/* Packets sent and received up to now, followed or not. */
int probes_packets(struct probes *probes, uint64_t *sent, uint64_t *received);

/* Writes the events that wait; *lost is how many found no room so far. -errno. */
int probes_write_events(struct probes *probes, uint64_t *lost, struct err *err);
/* After probes_stop: the rest of them, and what CPUs have lost since their last event, which no event of theirs could tell. */
int probes_end_events(struct probes *probes, uint64_t *lost, struct err *err);

/*
 * Between the two the kernel takes the time of programs, which itself costs about as much as a run. Adds to *cost.
 * -EOPNOTSUPP before Linux 5.8.
 */
int probes_cost_begin(struct probes *probes, struct err *err);
void probes_cost_end(struct probes *probes, struct probes_cost *cost);

#endif
