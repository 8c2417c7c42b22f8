/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two samples of test/data/proc, and texts made for one point each. */
#include "proc.c"

#include <stdio.h>

#include "tap.h"

static const char *read_sample(const char *name)
{
	static char text[8192];
	char path[160];

	snprintf(path, sizeof(path), "test/data/proc/%s.txt", name);
	FILE *file = fopen(path, "r");
	if (!file) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void test_stat(void)
{
	static struct proc_cpu_time times[PROC_CPUS_MAX];
	const char text[] = "cpu  30 2 40 500 6 7 8 9 0 0\n"
			    "cpu0 10 2 20 300 3 4 5 6 0 0\n"
			    "cpu3 20 0 20 200\n"
			    "cpu9999 1 1 1 1\n"
			    "cpufreq 1 1 1\n"
			    "intr 12345 0 0\n";

	tap_is(proc_read_stat(text, 100, times), 2, "two CPUs are seen: the sum and a number too large are none");
	tap_is(times[0].user_ns, 120 * NS_PER_MS, "user with nice, 12 ticks of 10 ms");
	tap_is(times[0].hardirq_ns, 40 * NS_PER_MS, "hardirq");
	tap_is(times[0].softirq_ns, 50 * NS_PER_MS, "softirq");
	tap_is(times[0].steal_ns, 60 * NS_PER_MS, "steal");
	tap_ok(!times[1].seen && times[3].seen, "CPUs 1 and 2 are offline");
	tap_is(times[3].steal_ns, 0, "a kernel with four columns");
	tap_is(proc_read_stat("cpu0 99999999999999999999999 99999999999999999999999 1 1\n", 100, times), 1,
	       "numbers beyond 64 bits are taken");
	tap_is(times[0].user_ns, INT64_MAX, "as the largest");
	tap_is(proc_read_stat("", 100, times), 0, "nothing in nothing");
}

static void test_softirqs(void)
{
	static uint64_t counts[PROC_CPUS_MAX];
	const char text[] = "                    CPU0       CPU2       \n"
			    "      NET_TX:         11         12\n"
			    "      NET_RX:        101        102\n";

	tap_ok(proc_read_softirqs(text, "NET_RX", counts), "NET_RX is there");
	tap_is((int64_t)counts[0], 101, "of CPU 0");
	tap_is((int64_t)counts[2], 102, "of CPU 2, the second column");
	tap_is((int64_t)counts[1], 0, "CPU 1 has none");
	tap_ok(!proc_read_softirqs(text, "NET", counts), "a part of a name is no name");
	tap_ok(!proc_read_softirqs("NET_RX: 1 2\n", "NET_RX", counts), "without a heading columns mean nothing");
}

static void test_softnet(void)
{
	static struct proc_softnet softnet[PROC_CPUS_MAX];

	tap_is(proc_read_softnet(read_sample("softnet_9col"), softnet), 2, "9 columns: two CPUs");
	tap_is(softnet[0].processed, 2567585, "processed");
	tap_is(softnet[0].time_squeeze, 20, "squeezed");
	tap_is(proc_read_softnet(read_sample("softnet_11col"), softnet), 2, "11 columns: two CPUs");
	tap_is(softnet[0].dropped, 42, "dropped");
	tap_is(softnet[0].time_squeeze, 5090, "squeezed");

	tap_is(proc_read_softnet("00000001 0 0 0 0 0 0 0 0 0 0 00000000 00000004 0 0\n", softnet), 1, "15 columns");
	tap_ok(softnet[4].seen && softnet[4].processed == 1, "say the CPU");
	tap_is(proc_read_softnet("00000001 0 0 0 0 0 0 0 0 0 0 0 00100000 0 0\n", softnet), 0,
	       "a CPU out of range is none");
	tap_is(proc_read_softnet("no such file\n\n1\n", softnet), 0, "text that is none");
}

static void test_timer_list(void)
{
	static struct proc_idle idle[PROC_CPUS_MAX];
	int64_t now_at_ns;
	const char text[] = "Timer List Version: v0.10\n"
			    "now at 5000 nsecs\n\n"
			    "cpu: 0\n"
			    " clock 0:\n"
			    "  .tick_stopped   : 1\n"
			    "  .idle_entrytime : 4000 nsecs\n"
			    "  .idle_sleeptime : 700 nsecs\n"
			    "  .iowait_sleeptime: 30 nsecs\n"
			    "cpu: 2\n"
			    "  .tick_stopped   : 0\n"
			    "  .idle_entrytime : 4000 nsecs\n"
			    "  .idle_sleeptime : 800 nsecs\n"
			    "Tick Device: mode:     1\n";

	tap_is(proc_read_timer_list(text, idle, &now_at_ns), 2, "two CPUs");
	tap_is(now_at_ns, 5000, "at this instant");
	tap_is(idle[0].idle_ns, 700 + 30 + 1000, "CPU 0 has slept since 4000");
	tap_is(idle[2].idle_ns, 800, "CPU 2 has not");
	tap_ok(!idle[1].seen, "CPU 1 is not there");
	tap_is(proc_read_timer_list("now at 9 nsecs\ncpu: 0\n  .tick_stopped   : 0\n", idle, &now_at_ns), 0,
	       "a kernel without NOHZ has no such lines");
}

int main(void)
{
	test_stat();
	test_softirqs();
	test_softnet();
	test_timer_list();
	return tap_done();
}
