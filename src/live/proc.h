/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts for each CPU, as its files in /proc say it. Pure functions over text that somebody else has
 * read. Each takes whatever it is given: a line that it does not know is passed over, and a CPU that is not in the
 * text is not marked as seen. CPUs are indexed by the kernel's own number; those from PROC_CPUS_MAX on are left out.
 */
#ifndef HOLDOFF_LIVE_PROC_H
#define HOLDOFF_LIVE_PROC_H

#include <stdbool.h>
#include <stdint.h>

#define PROC_CPUS_MAX 512

/* /proc/stat, proc_stat(5): how a CPU's time was used, in steps of a tick of clock_hz (sysconf(_SC_CLK_TCK)). */
struct proc_cpu_time {
	bool seen;
	int64_t user_ns, system_ns; /* user with nice; guests are counted in it, too, by the kernel */
	int64_t idle_ns, iowait_ns, hardirq_ns, softirq_ns, steal_ns;
};

/* Returns how many CPUs were seen. */
unsigned proc_read_stat(const char *text, unsigned clock_hz, struct proc_cpu_time times[PROC_CPUS_MAX]);

/* /proc/softirqs: how often one kind ("NET_RX") ran on each CPU. False when there is no such kind. */
bool proc_read_softirqs(const char *text, const char *kind, uint64_t counts[PROC_CPUS_MAX]);

/* /proc/net/softnet_stat (net/core/net-procfs.c): counters of 32 bits that wrap. */
struct proc_softnet {
	bool seen;
	uint32_t processed, dropped, time_squeeze;
};

/*
 * Kernels before 5.10 do not say which CPU a line is of: CPUs are then counted from 0, which is wrong where one is
 * offline. Returns how many CPUs were seen.
 */
unsigned proc_read_softnet(const char *text, struct proc_softnet softnet[PROC_CPUS_MAX]);

/*
 * /proc/timer_list (kernel/time/timer_list.c), for root: time that a CPU has been idle, to the ns, up to when the
 * text was made, but for less than a tick of a CPU that ticks on. Only where the tick is stopped in idle (NOHZ), and
 * wrong for CPUs of nohz_full.
 */
struct proc_idle {
	bool seen;
	int64_t idle_ns; /* with waiting for input and output; a sleep that goes on is counted up to now */
};

/* Returns how many CPUs were seen; *now_at_ns is the instant of the text, CLOCK_MONOTONIC. */
unsigned proc_read_timer_list(const char *text, struct proc_idle idle[PROC_CPUS_MAX], int64_t *now_at_ns);

#endif
