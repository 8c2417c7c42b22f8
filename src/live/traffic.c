/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/traffic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "live/ping.h"

#define PING_TIMEOUT_NS (1 * NS_PER_S)

static bool is_stopped(const struct traffic *traffic)
{
	return traffic->load.stop && *traffic->load.stop;
}

static void put_latency(struct run *found, enum run_latency latency, const struct histogram *histogram)
{
	if (histogram->count) {
		found->findings.latency[latency] = *histogram;
		found->findings.has |= 1u << latency;
	}
}

/* ---- ping ---- */

/* Carrier that was lost and came back is not seen in what was so before and after. */
static void taint_by_events(const struct ping_result *result, struct run_measured *measured)
{
	for (unsigned i = 0; i < result->event_count; i++) {
		const struct ping_event *const event = &result->events[i];

		if (event->change == LINK_WENT_DOWN || event->change == LINK_LOST_CARRIER) {
			run_taint(measured, "%s %s meanwhile", event->name, link_change_words(event->change));
		}
	}
}

static void put_ping(const struct ping_result *result, struct run *found)
{
	const enum ping_span span = result->has_stamps ? PING_TO_KERNEL : PING_TO_APPLICATION;
	const struct tally_counts *const counts = &result->counts;

	put_latency(found, RUN_RTT, &result->rtt[span]);
	found->findings.sent = counts->sent;
	found->findings.received = counts->received;
	found->findings.dropped = counts->lost + counts->late + counts->spoiled;
	found->findings.in_flight = result->waiting;
	found->findings.socket_dropped = result->overrun;
	snprintf(found->conditions.measured.traffic, sizeof(found->conditions.measured.traffic), "ICMP echo, %s, %s",
		 result->is_raw ? "raw socket" : "datagram socket", ping_span_words(span));
	taint_by_events(result, &found->conditions.measured);
	if (result->unsent || counts->duplicate || counts->corrupt) {
		run_taint(&found->conditions.measured,
			  "of the probes %llu could not be sent; %llu replies came twice, %llu damaged",
			  (unsigned long long)result->unsent, (unsigned long long)counts->duplicate,
			  (unsigned long long)counts->corrupt);
	}
}

static int run_ping(struct traffic *traffic, int64_t duration_ns, uint64_t seed, struct run *found, struct err *err)
{
	const struct workload *const workload = &traffic->load.workload;
	struct ping_request request = {
		.ifindex = traffic->nic->ifindex,
		.payload_bytes = workload->size,
		.interval_ns = workload->interval_ns,
		.duration_ns = duration_ns,
		.timeout_ns = PING_TIMEOUT_NS,
		.seed = seed,
		.stop_fd = traffic->stop_fd,
	};
	struct ping_result *const result = calloc(1, sizeof(*result));
	int ret = result ? host_find(traffic->load.host, HOST_ANY, traffic->nic->ifindex, &request.host, err)
			 : err_set(err, -ENOMEM, "no memory for probes");

	ret = ret ? ret : ping_measure(&request, result, err);
	if (ret == 0) {
		put_ping(result, found);
		ret = is_stopped(traffic) ? -EINTR : 0;
	}
	free(result);
	return ret;
}

/* ---- everything else ---- */

/* The far end's share, when it is a process of this machine. */
static int64_t peer_cpu_ns(const struct load_result *result)
{
	const struct way *const away = &result->ways[WORKLOAD_TX], *const here = &result->ways[WORKLOAD_RX];

	return (int64_t)(way_has(away, WAY_RECEIVER_CPU_NS) ? away->count[WAY_RECEIVER_CPU_NS] : 0) +
	       (int64_t)(way_has(here, WAY_SENDER_CPU_NS) ? here->count[WAY_SENDER_CPU_NS] : 0);
}

static void put_way(const struct way *way, struct run_findings *findings)
{
	uint64_t lost;

	findings->sent += way_has(way, WAY_SENT) ? way->count[WAY_SENT] : 0;
	findings->received += way_has(way, WAY_RECEIVED) ? way->count[WAY_RECEIVED] : 0;
	findings->dropped += way_lost(way, &lost) ? lost : 0;
	findings->retransmitted += way_has(way, WAY_RETRANSMITTED) ? way->count[WAY_RETRANSMITTED] : 0;
	if (way_has(way, WAY_SOCKET_DROPPED)) {
		findings->socket_dropped += way->count[WAY_SOCKET_DROPPED];
	} else if (way->has) {
		findings->lacks |= RUN_LACKS_SOCKET_DROPS;
	}
}

/* Payload that the receiver of the workload's data got, over the time in which it got it. */
static void put_goodput(const struct way *way, struct run_findings *findings)
{
	if (way_has(way, WAY_RECEIVED_BYTES) && way_has(way, WAY_RECEIVING_NS) && way->count[WAY_RECEIVING_NS]) {
		findings->app_bytes = way->count[WAY_RECEIVED_BYTES];
		findings->app_bytes_span_ns = (int64_t)way->count[WAY_RECEIVING_NS];
	}
}

static void put_load(const struct traffic *traffic, const struct load_result *result, struct run *found)
{
	const struct way *const data = &result->ways[traffic->load.workload.direction];

	put_way(&result->ways[WORKLOAD_TX], &found->findings);
	put_way(&result->ways[WORKLOAD_RX], &found->findings);
	put_goodput(data, &found->findings);
	if (result->has_rtt) {
		put_latency(found, RUN_RTT, &result->rtt);
	}
	if (way_has_span(data, WAY_ONE_WAY)) {
		put_latency(found, RUN_ONE_WAY, &data->span[WAY_ONE_WAY]);
	}
	snprintf(found->conditions.measured.traffic, sizeof(found->conditions.measured.traffic), "%s%s%.90s",
		 result->program[0] ? result->program : "ICMP echo", data->method[0] ? ", " : "", data->method);
	if (result->shares_clock) {
		found->conditions.measured.own_cpu_ns = peer_cpu_ns(result);
	}
}

static int run_load(struct traffic *traffic, int64_t duration_ns, uint64_t seed, struct run *found, struct err *err)
{
	struct load_result *const result = calloc(1, sizeof(*result));

	if (!result) {
		return err_set(err, -ENOMEM, "no memory for traffic");
	}
	traffic->load.device = traffic->nic->name;
	traffic->load.duration_ns = duration_ns;
	traffic->load.seed = seed;
	int ret = load_run(&traffic->load, result, err);

	if (ret == 0) {
		put_load(traffic, result, found);
		if (is_stopped(traffic)) {
			ret = -EINTR;
		} else if (result->is_incomplete) {
			run_taint(&found->conditions.measured, "%.200s", result->why);
		}
		if (result->link_trouble[0]) {
			run_taint(&found->conditions.measured, "%s", result->link_trouble);
		}
	}
	free(result);
	return ret;
}

int traffic_run(void *context, int64_t duration_ns, uint64_t seed, struct run *found, struct err *err)
{
	struct traffic *const traffic = context;

	if (is_stopped(traffic)) {
		return err_set(err, -EINTR, "stopped");
	}
	return traffic->load.workload.kind == WORKLOAD_PING ? run_ping(traffic, duration_ns, seed, found, err)
							    : run_load(traffic, duration_ns, seed, found, err);
}
