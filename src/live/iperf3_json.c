/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/iperf3_json.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "workload/workload.h"

/* More than any run of ours takes: what is larger is nonsense. */
#define SECONDS_MAX 1000000.0

static const json_t *member(const json_t *object, const char *name, struct err *err)
{
	const json_t *const found = json_object_get(object, name);

	if (!found) {
		err_set(err, -EBADMSG, "iperf3's output has no \"%s\" where it should be", name);
	}
	return found;
}

static int read_count(const json_t *object, const char *name, uint64_t *value, struct err *err)
{
	const json_t *const found = member(object, name, err);

	if (!found) {
		return -EBADMSG;
	}
	if (!json_is_integer(found) || json_integer_value(found) < 0) {
		return err_set(err, -EBADMSG, "iperf3's output: \"%s\" is no count", name);
	}
	*value = (uint64_t)json_integer_value(found);
	return 0;
}

static int read_seconds(const json_t *object, const char *name, int64_t *value_ns, struct err *err)
{
	const json_t *const found = member(object, name, err);

	if (!found) {
		return -EBADMSG;
	}
	const double seconds = json_number_value(found);

	if (!json_is_number(found) || !(seconds >= 0 && seconds < SECONDS_MAX)) {
		return err_set(err, -EBADMSG, "iperf3's output: \"%s\" is no time", name);
	}
	*value_ns = (int64_t)(seconds * (double)NS_PER_S);
	return 0;
}

/* "sum_sent" with the suffix that --bidir gives to the other way. */
static int find_sum(const json_t *end, const char *name, const char *suffix, const json_t **sum, struct err *err)
{
	char key[64];

	snprintf(key, sizeof(key), "%s%s", name, suffix);
	*sum = member(end, key, err);
	return *sum ? 0 : -EBADMSG;
}

static int read_sender(const json_t *sum, bool is_udp, struct way *way, struct err *err)
{
	uint64_t bytes, packets;
	int64_t span_ns;
	int ret = read_count(sum, "bytes", &bytes, err);

	ret = ret ? ret : read_seconds(sum, "seconds", &span_ns, err);
	if (ret) {
		return ret;
	}
	way_put(way, WAY_SENT_BYTES, bytes);
	way_put(way, WAY_SENDING_NS, (uint64_t)span_ns);
	if (!is_udp) {
		/* Not every system tells how many. */
		if (json_object_get(sum, "retransmits") && read_count(sum, "retransmits", &packets, NULL) == 0) {
			way_put(way, WAY_RETRANSMITTED, packets);
		}
		return 0;
	}
	ret = read_count(sum, "packets", &packets, err);
	if (ret == 0) {
		way_put(way, WAY_SENT, packets);
	}
	return ret;
}

static int read_receiver(const json_t *sum, bool is_udp, struct way *way, struct err *err)
{
	uint64_t bytes, packets, lost;
	int64_t span_ns;
	int ret = read_count(sum, "bytes", &bytes, err);

	ret = ret ? ret : read_seconds(sum, "seconds", &span_ns, err);
	if (ret) {
		return ret;
	}
	way_put(way, WAY_RECEIVED_BYTES, bytes);
	way_put(way, WAY_RECEIVING_NS, (uint64_t)span_ns);
	if (!is_udp) {
		return 0;
	}
	ret = read_count(sum, "packets", &packets, err);
	ret = ret ? ret : read_count(sum, "lost_packets", &lost, err);
	if (ret == 0 && lost > packets) {
		ret = err_set(err, -EBADMSG, "iperf3's output: more packets are lost than were sent");
	}
	if (ret == 0) {
		way_put(way, WAY_RECEIVED, packets - lost);
	}
	return ret;
}

static int read_way(const json_t *end, const char *suffix, bool is_udp, struct way *way, struct err *err)
{
	const json_t *sent, *received;
	int ret = find_sum(end, "sum_sent", suffix, &sent, err);

	ret = ret ? ret : find_sum(end, "sum_received", suffix, &received, err);
	ret = ret ? ret : read_sender(sent, is_udp, way, err);
	return ret ? ret : read_receiver(received, is_udp, way, err);
}

/* Of the program here: it sends, or receives, or both; only in the first two cases it is known for what. */
static int read_cpu(const json_t *end, const struct iperf3_expectation *expected, struct iperf3_report *report,
		    struct err *err)
{
	const json_t *const cpu = member(end, "cpu_utilization_percent", err);
	const json_t *const total = cpu ? member(cpu, "host_total", err) : NULL;
	const double percent = total ? json_number_value(total) : -1;

	if (!total) {
		return -EBADMSG;
	}
	if (!json_is_number(total) || !(percent >= 0 && percent < 1000000)) {
		return err_set(err, -EBADMSG, "iperf3's output: \"host_total\" is no share");
	}
	if (!expected->both) {
		way_put(&report->ways[expected->comes ? WORKLOAD_RX : WORKLOAD_TX],
			expected->comes ? WAY_RECEIVER_CPU_NS : WAY_SENDER_CPU_NS,
			(uint64_t)(percent / 100 * (double)report->lasted_ns));
	}
	return 0;
}

static int read_end(const json_t *end, const struct iperf3_expectation *expected, struct iperf3_report *report,
		    struct err *err)
{
	struct way *const first = &report->ways[expected->comes ? WORKLOAD_RX : WORKLOAD_TX];
	int ret = read_way(end, "", expected->is_udp, first, err);

	if (ret == 0 && expected->both) {
		ret = read_way(end, "_bidir_reverse", expected->is_udp, &report->ways[WORKLOAD_RX], err);
	}
	if (ret == 0) {
		report->lasted_ns = (int64_t)first->count[WAY_SENDING_NS];
		ret = read_cpu(end, expected, report, err);
	}
	return ret;
}

static int read_start(const json_t *start, const struct iperf3_expectation *expected, struct iperf3_report *report,
		      struct err *err)
{
	const json_t *const version = member(start, "version", err);
	const json_t *const test = version ? member(start, "test_start", err) : NULL;
	const json_t *const protocol = test ? member(test, "protocol", err) : NULL;

	if (!protocol) {
		return -EBADMSG;
	}
	if (!json_is_string(version) || strncmp(json_string_value(version), "iperf 3.", 8) != 0) {
		return err_set(err, -EBADMSG, "iperf3 is of a version that is not known: \"%.40s\", expected iperf 3.x",
			       json_is_string(version) ? json_string_value(version) : "");
	}
	if (!json_is_string(protocol) || strcmp(json_string_value(protocol), expected->is_udp ? "UDP" : "TCP") != 0) {
		return err_set(err, -EBADMSG, "iperf3's output is of another protocol than was asked for");
	}
	snprintf(report->program, sizeof(report->program), "%.60s", json_string_value(version));
	return 0;
}

static int read_document(const json_t *document, const struct iperf3_expectation *expected,
			 struct iperf3_report *report, struct err *err)
{
	const json_t *const error = json_object_get(document, "error");

	if (json_is_string(error)) {
		return err_set(err, -EREMOTEIO, "iperf3: %.200s", json_string_value(error));
	}
	const json_t *const start = member(document, "start", err);
	const json_t *const end = start ? member(document, "end", err) : NULL;

	if (!end) {
		return -EBADMSG;
	}
	const int ret = read_start(start, expected, report, err);

	return ret ? ret : read_end(end, expected, report, err);
}

int iperf3_json_read(const char *text, size_t size, const struct iperf3_expectation *expected,
		     struct iperf3_report *report, struct err *err)
{
	json_error_t error;
	/* iperf3 3.12 itself writes keys twice with --bidir. */
	json_t *const document = json_loadb(text, size, 0, &error);

	*report = (struct iperf3_report){ .program = "" };
	if (!document) {
		return err_set(err, -EBADMSG, "iperf3's output is no JSON: %.100s", error.text);
	}
	const int ret = read_document(document, expected, report, err);

	json_decref(document);
	return ret;
}
