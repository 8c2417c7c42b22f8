/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iperf3_json.c"

#include <stdlib.h>

#include "tap.h"

static char text[16384];
static size_t size;
static struct iperf3_report report;

static void load(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "test/data/iperf3/%s", name);
	FILE *const file = fopen(path, "re");

	size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[size] = '\0';
	if (file) {
		fclose(file);
	}
}

static int read_report(bool is_udp, bool comes, bool both, struct err *err)
{
	const struct iperf3_expectation expected = { .is_udp = is_udp, .comes = comes, .both = both };

	return iperf3_json_read(text, size, &expected, &report, err);
}

static void test_udp(void)
{
	const struct way *const way = &report.ways[WORKLOAD_TX];
	uint64_t lost;

	load("udp.json");
	tap_is(read_report(true, false, false, NULL), 0, "UDP is read");
	tap_is((int64_t)way->count[WAY_SENT], 95040, "sent");
	tap_ok(way_lost(way, &lost) && lost == 54185, "lost");
	tap_is((int64_t)way->count[WAY_RECEIVED_BYTES], 2614720, "bytes at the receiver");
	tap_is((int64_t)way->count[WAY_RECEIVING_NS], 1002901000, "in this time");
	tap_is((int64_t)way->count[WAY_SENDER_CPU_NS] / 1000, 391232, "with this CPU time");
	tap_is_text(report.program, "iperf 3.12", "by this program");
	tap_ok(!report.ways[WORKLOAD_RX].has, "nothing came the other way");
	load("udp_both.json");
	tap_is(read_report(true, false, true, NULL), 0, "UDP both ways");
	tap_is((int64_t)report.ways[WORKLOAD_TX].count[WAY_RECEIVED], 9758, "there");
	tap_is((int64_t)report.ways[WORKLOAD_RX].count[WAY_RECEIVED], 9766, "and back");
	tap_ok(!way_has(&report.ways[WORKLOAD_TX], WAY_SENDER_CPU_NS), "whose CPU time it is can't be told");
}

static void test_tcp(void)
{
	load("tcp_reverse.json");
	tap_is(read_report(false, true, false, NULL), 0, "TCP that comes here");
	tap_is((int64_t)report.ways[WORKLOAD_RX].count[WAY_RECEIVED_BYTES], 1049493504, "bytes at the receiver");
	tap_is((int64_t)report.ways[WORKLOAD_RX].count[WAY_RETRANSMITTED], 1, "one segment was sent once more");
	tap_ok(!report.ways[WORKLOAD_TX].has, "nothing left");
	load("tcp_both.json");
	tap_is(read_report(false, false, true, NULL), 0, "TCP both ways");
	tap_is((int64_t)report.ways[WORKLOAD_TX].count[WAY_RECEIVED_BYTES], 698744832, "there");
	tap_is((int64_t)report.ways[WORKLOAD_RX].count[WAY_RECEIVED_BYTES], 497680384, "and back");
}

/* Puts `with` for the first `what`, of at least its length, in udp.json. */
static void refuse(const char *what, const char *with, const char *part)
{
	struct err err = { "" };

	load("udp.json");
	char *const place = strstr(text, what);

	if (place) {
		memset(place, ' ', strlen(what));
		memcpy(place, with, strlen(with));
	}
	const int ret = read_report(true, false, false, &err);

	tap_ok(place && ret < 0 && strstr(err.text, part), "%s for %s: %s", with, what, err.text);
}

static void test_refusals(void)
{
	struct err err = { "" };

	refuse("\"iperf 3.12\"", "\"iperf 4.0\"", "expected iperf 3.x");
	refuse("\"version\"", "\"v\"", "no \"version\"");
	refuse("\"UDP\"", "\"TCP\"", "another protocol");
	refuse("\"sum_received\"", "\"sum_x\"", "no \"sum_received\"");
	refuse("\"host_total\"", "\"host\"", "no \"host_total\"");
	load("udp.json");
	tap_ok(read_report(false, false, false, &err) < 0, "UDP is no TCP: %s", err.text);
	size /= 2;
	tap_ok(read_report(true, false, false, &err) < 0, "half of it: %s", err.text);
	size = 0;
	tap_ok(read_report(true, false, false, &err) < 0, "nothing: %s", err.text);
	strcpy(text, "{\"start\":{},\"end\":{},\"error\":\"unable to connect\"}");
	size = strlen(text);
	tap_is(read_report(true, false, false, &err), -EREMOTEIO, "its own complaint");
	tap_is_text(err.text, "iperf3: unable to connect", "is handed on");
}

int main(void)
{
	test_udp();
	test_tcp();
	test_refusals();
	return tap_done();
}
