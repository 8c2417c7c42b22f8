/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/ftrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "trace/from_file.h"

static struct from_file trace;

static int read_as(const char *name, const char *device, struct err *err)
{
	char path[128];

	snprintf(path, sizeof(path), "test/data/trace/%s", name);
	memset(&trace, 0, sizeof(trace));
	snprintf(trace.device, sizeof(trace.device), "%s", device);
	FILE *const file = fopen(path, "re");
	const int ret = file ? from_file_read(file, path, &trace, err) : -1;

	if (file) {
		fclose(file);
	}
	return ret;
}

static void test_threads(void)
{
	struct err err = { "" };

	tap_is(read_as("trace_fec_imx8mm.txt", "", &err), 0, "i.MX8MM can be read%s", err.text);
	tap_is(trace.result.stage[PATH_XMIT_TO_IRQ].max_ns, 1011000, "i.MX8MM: DONE to irq 1011 us");
	tap_is(trace.result.stage[PATH_XMIT_TO_COMPLETION].max_ns, 1034000, "i.MX8MM: DONE to TX DONE 1034 us");
	tap_is(trace.facts.resolution_ns, 1000, "in us");
	tap_ok(trace.facts.by_hand, "by hand");
	tap_is(read_as("trace_fec_imx6q.txt", "", &err), 0, "i.MX6Q can be read%s", err.text);
	tap_is(trace.result.stage[PATH_XMIT_TO_IRQ].max_ns, 34000, "i.MX6Q: 34 us");
	tap_is(trace.result.stage[PATH_XMIT_TO_COMPLETION].max_ns, 72000, "i.MX6Q: 72 us");
	tap_is((int64_t)trace.events, 5, "five events");
}

static void test_veth(void)
{
	struct err err = { "" };

	tap_ok(read_as("veth_ping_6.18.txt", "", &err) < 0 && strstr(err.text, "va, vb"), "two interfaces: %s",
	       err.text);
	tap_ok(read_as("veth_ping_6.18.txt", "eth7", &err) < 0 && strstr(err.text, "no event of eth7"),
	       "not a third: %s", err.text);
	tap_is(read_as("veth_ping_6.18.txt", "va", &err), 0, "one of them");
	tap_is((int64_t)trace.result.sums.sent, (int64_t)trace.result.sums.handed_on, "veth hands all on");
	tap_is(read_as("veth_ping_6.18.txt", "vb", &err), 0, "the other one");
	tap_is((int64_t)trace.result.stage[PATH_ECHO].count, 4, "an ARP reply and three echoes are made in the kernel");
}

static void test_other_forms(void)
{
	struct err err = { "" };

	tap_is(read_as("trace_cmd_form.txt", "eth0", &err), 0, "trace-cmd's form%s", err.text);
	tap_is(trace.result.stage[PATH_XMIT_TO_IRQ].max_ns, 100000, "xmit to irq");
	tap_is(trace.result.stage[PATH_WAKE_TO_RUN].max_ns, 10000, "its short forms of sched_waking and sched_switch");
	tap_is(trace.result.stage[PATH_RUN_TO_COPY].max_ns, 10000, "the reader's PID");
	tap_is(trace.result.stage[PATH_XMIT].max_ns, 8000, "perf's form, in ns");
	tap_is((int64_t)trace.result.stage[PATH_XMIT].count, 2, "both xmits");
	tap_is((int64_t)trace.facts.lost, 12, "twelve events are lost");
	tap_is(trace.result.irq[0].irq, 27, "the interrupt is known by its name");
}

static enum ftrace_line read_line(const char *line, struct path_event *event, struct ftrace_facts *facts)
{
	return ftrace_read(line, strlen(line), event, facts);
}

static void test_lines(void)
{
	static const char *const others[] = {
		"",
		"[",
		"[0]",
		"x-1 [000] 1.5: ",
		"x-1 [000] 1.5: y",
		"x-1 [000] 99999999999999999999.5: softirq_entry: vec=3",
		"x-1 [000] 1.5: net_dev_queue: dev=eth0 skbaddr=0x0 len=9",
		"x-1 [000] 1.5: net_dev_queue: skbaddr=0x9",
		"x-1 [000] 1.5: irq_handler_entry: irq=-1 name=eth0",
		"x-1 [123456] 1.5: softirq_entry: vec=3",
		"# tracer: nop",
		"CPU:",
		"x-1 [000] 1.5: sched_waking: [120]",
	};
	struct ftrace_facts facts = { 0 };
	struct path_event event;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		tap_is(read_line(others[i], &event, &facts), FTRACE_OTHER, "no event: \"%s\"", others[i]);
	}
	tap_is(read_line("a [000] b-77 (66) [002] d..1. 1.000000005: softirq_raise: vec=3 [action=NET_RX]", &event,
			 &facts),
	       FTRACE_EVENT, "a thread whose name has brackets in it");
	tap_is(event.cpu, 2, "on CPU 2");
	tap_is(event.pid, 77, "of PID 77");
	tap_is(event.at_ns, 1000000005, "to the ns");
	tap_is(read_line("CPU:3 [LOST 5 EVENTS]", &event, &facts), FTRACE_LOST, "lost events");
	tap_is((int64_t)facts.lost, 5, "five");
}

int main(void)
{
	test_threads();
	test_veth();
	test_other_forms();
	test_lines();
	return tap_done();
}
