/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/run_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static char *written(const struct run *run)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	tap_is(run_text_write(run, out), 0, "a page is written");
	fclose(out);
	return text;
}

static void fill(struct run *run)
{
	struct run_conditions *conditions = &run->conditions;

	run_init(run);
	workload_parse(&conditions->workload, "ping size=82 interval=0", NULL);
	strcpy(conditions->board, "rtl8168d");
	strcpy(conditions->driver, "r8169@4.13");
	strcpy(conditions->host, "desktop");
	strcpy(conditions->host_source, "fitted on two rows");
	strcpy(conditions->peer, "rtl8168d");
	conditions->speed_mbps = 1000;
	conditions->hops = 1;
	conditions->cpus = 1;
	conditions->duration_ns = 2999 * NS_PER_MS;
	conditions->effective_rx_kind = "hold-off";
	conditions->effective_rx_ns = 200 * NS_PER_US;
	conditions->effective_rx_bypass_below_bytes = 128;
	run->findings.cpus = 1;
	run->findings.cpu[0].softirq_ns = 299900 * NS_PER_US;
	run->findings.has = 1u << RUN_RTT;
	run->findings.dropped = 1;
	histogram_record(&run->findings.latency[RUN_RTT], 274400);
	histogram_record(&run->findings.latency[RUN_RTT], 606500);
	histogram_record(&run->findings.latency[RUN_RTT], 485000);
}

static const char *last_line(const char *text)
{
	const char *line = text;

	for (const char *end = strchr(text, '\n'); end && end[1]; end = strchr(end + 1, '\n')) {
		line = end + 1;
	}
	return line;
}

static void test_ping(const struct run *run)
{
	char *text = written(run);

	tap_ok(strncmp(text, "MODEL by holdoff " HOLDOFF_VERSION ", not a measurement\n",
		       strlen(HOLDOFF_VERSION) + 36) == 0,
	       "the first line says MODEL and the version");
	tap_ok(strstr(text, "desktop: fitted on two rows\n"), "the second the profile and what it was fitted on");
	tap_ok(strstr(text, "payload 82 bytes, frame 128 with FCS"), "payload and frame are said");
	tap_ok(strstr(text, "  effective  rx hold-off 200us; not below 128 bytes\n             tx none\n"),
	       "what is effective");
	tap_ok(strstr(text, "the driver has no get"), "a driver without get reports nothing");
	tap_ok(strstr(text, "busy 10.00%: hardirq 0.00%, softirq 10.00%"), "shares of the CPU");
	tap_ok(strstr(text, "\n4 packets transmitted, 3 received, 25% packet loss, time 2999ms\n"),
	       "the line of ping before the last");
	tap_is_text(last_line(text), "rtt min/avg/max/mdev = 0.274/0.455/0.607/0.137 ms\n", "the last line of ping");
	free(text);
}

static void test_one_way(struct run *run)
{
	workload_parse(&run->conditions.workload, "udp rate=1k", NULL);
	run->findings.has = 1u << RUN_ONE_WAY;
	run->findings.app_bytes = 117625000;
	run->findings.app_bytes_span_ns = NS_PER_S;
	char *text = written(run);

	tap_ok(!strstr(text, "rtt"), "without round trips there is no rtt");
	tap_ok(strstr(text, "wire to application"), "but the latency that was observed");
	tap_ok(strstr(text, "goodput    941.000 Mb/s\n"), "and goodput");
	free(text);
	workload_parse(&run->conditions.workload, "tcp", NULL);
	text = written(run);
	tap_ok(strstr(text, "wire to socket") && !strstr(text, "wire to application"),
	       "which ends at the socket for bulk TCP");
	free(text);
	run->conditions.source = RUN_MEASURED;
	text = written(run);
	tap_ok(strstr(text, "send to application") && !strstr(text, "wire"), "measured, it begins in the sender");
	free(text);
	run->conditions.source = RUN_MODEL;
}

/* An e1000e: what rx-usecs sets there is the gap between interrupts, not the hold-off. */
static void test_throttle(struct run *run)
{
	struct run_conditions *conditions = &run->conditions;

	conditions->effective_rx_ns = 1024;
	conditions->effective_rx_bypass_below_bytes = 0;
	conditions->effective_rx_throttle_ns = 99840;
	conditions->effective_tx_kind = "restarting hold-off";
	conditions->effective_tx_ns = 8192;
	conditions->effective_tx_limit_ns = 32768;
	conditions->programmed_count = RUN_REGISTERS_MAX;
	for (unsigned i = 0; i < RUN_REGISTERS_MAX; i++) {
		snprintf(conditions->programmed[i].name, sizeof(conditions->programmed[i].name), "REGISTER%u", i);
		conditions->programmed[i].value = 0xcc801046;
	}
	char *text = written(run);

	tap_ok(strstr(text, "rx hold-off 1.024us; at least 99.84us between interrupts\n"), "a throttle on top");
	tap_ok(strstr(text, "tx restarting hold-off 8.192us, at most 32.768us\n"), "a restarting hold-off has a limit");
	tap_ok(strstr(text, "  programmed REGISTER0=0xcc801046 REGISTER1=0xcc801046 "),
	       "registers as options take them");
	size_t longest = 0;
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		longest = strcspn(line, "\n") > longest ? strcspn(line, "\n") : longest;
	}
	tap_ok(longest <= 100, "many registers take more than one line: %zu columns", longest);
	free(text);
}

static void test_tftp(struct run *run)
{
	workload_parse(&run->conditions.workload, "tftp", NULL);
	char *text = written(run);

	tap_ok(strstr(text, "payload 512 bytes, frame 562 with FCS"), "a block has a header of 4 bytes before it");
	free(text);
}

static void test_full_disk(const struct run *run)
{
	FILE *out = fopen("/dev/full", "w");

	if (!out) {
		tap_skip("no /dev/full", "a full disk is noticed");
		return;
	}
	tap_is(run_text_write(run, out), -ENOSPC, "a full disk is noticed");
	fclose(out);
}

int main(void)
{
	struct run *run = malloc(sizeof(*run));

	if (!run) {
		return 1;
	}
	fill(run);
	test_ping(run);
	test_one_way(run);
	test_throttle(run);
	test_tftp(run);
	test_full_disk(run);
	free(run);
	return tap_done();
}
