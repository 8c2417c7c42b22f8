/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.c"

#include <string.h>

#include "tap.h"

/* part NULL: fits. */
static void fits(const char *text, bool both, enum fit_means means, const char *part)
{
	struct workload workload;
	struct err err = { "" };

	if (workload_parse(&workload, text, &err)) {
		tap_ok(false, "%s is a workload: %s", text, err.text);
		return;
	}
	const int ret = fit_check(&workload, both, means, &err);

	tap_ok(part ? ret < 0 && strstr(err.text, part) : ret == 0, "%s%s: %s", text, both ? " both ways" : "",
	       err.text);
}

static void test_what_fits(void)
{
	fits("udp rate=20k size=18", false, FIT_PEER, NULL);
	fits("udp rate=20k size=17", false, FIT_PEER, "at least 18 bytes");
	fits("udp rate=max", true, FIT_PEER, NULL);
	fits("udp rate=1k xdp=on", false, FIT_PEER, "XDP");
	fits("rr connections=64", false, FIT_PEER, NULL);
	fits("rr interval=1ms", false, FIT_PEER, "only the model");
	fits("rr", true, FIT_PEER, "both ways by itself");
	fits("rr size=1", false, FIT_PEER, "at least 18 bytes");
	fits("tcp", true, FIT_PEER, NULL);
	fits("tcp gro=off", false, FIT_PEER, "ethtool -K");
	fits("tftp blksize=14", false, FIT_PEER, NULL);
	fits("tftp blksize=13", false, FIT_PEER, "at least 14 bytes");
	fits("fieldbus size=46", false, FIT_PEER, NULL);
	fits("fieldbus size=45", false, FIT_PEER, "at least 46 bytes");
	fits("ping", false, FIT_PEER, "what holdoff ping does");
	fits("voip", true, FIT_PEER, NULL);
	fits("udp rate=1k", false, FIT_ECHO, NULL);
	fits("tcp", false, FIT_ECHO, "--iperf3");
	fits("tftp", false, FIT_ECHO, "--peer");
	fits("tcp", false, FIT_IPERF3, NULL);
	fits("udp rate=1k size=4", false, FIT_IPERF3, NULL);
	fits("udp pattern=burst count=2 every=1ms", false, FIT_IPERF3, "in this pattern");
	fits("rr", false, FIT_IPERF3, "not rr");
}

static void test_sizes(void)
{
	struct workload workload, schedule;

	workload_parse(&workload, "fieldbus size=64 interval=250us", NULL);
	tap_is((int64_t)workload_frame_bytes(WORKLOAD_UDP, fit_size(&workload)),
	       workload_frame_bytes(WORKLOAD_FIELDBUS, 64), "a frame of the bus and its datagram are equally long");
	fit_schedule(&workload, &schedule);
	tap_ok(schedule.pattern == WORKLOAD_BURST && schedule.burst_count == 1 && schedule.burst_every_ns == 250000,
	       "the bus is paced by its interval");
	tap_is(fit_longest_pause(&workload), 250000, "which is its longest pause");
	workload_parse(&workload, "udp pattern=burst count=32 every=5ms", NULL);
	tap_is(fit_burst_gap(&workload), 2500000, "a burst ends where half a period is empty");
	workload_parse(&workload, "udp rate=10", NULL);
	tap_is(fit_longest_pause(&workload), 100000000, "10 a second pause for 100 ms");
	tap_is(fit_burst_gap(&workload), 0, "and have no bursts");
}

static void test_blocks(void)
{
	struct workload workload;

	workload_parse(&workload, "tftp blksize=512 bytes=1024", NULL);
	tap_is((int64_t)block_count(&workload), 3, "a file that fills its last block is ended by an empty one");
	tap_is(block_data(&workload, 1), 512, "a full block");
	tap_is(block_data(&workload, 2), 0, "an empty one");
	tap_is(block_size(&workload, 2), PACKET_HEADER_BYTES, "which is a packet all the same");
	tap_is((int64_t)workload_frame_bytes(WORKLOAD_UDP, block_size(&workload, 0)),
	       workload_data_frame_bytes(&workload), "a full one's frame is as long as TFTP's");
	workload_parse(&workload, "tftp blksize=512 bytes=1000", NULL);
	tap_is((int64_t)block_count(&workload), 2, "1000 bytes are two blocks");
	tap_is(block_data(&workload, 1), 488, "the last of 488");
}

int main(void)
{
	test_what_fits();
	test_sizes();
	test_blocks();
	return tap_done();
}
