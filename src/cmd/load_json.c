/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/load.h"
#include "report/histogram_json.h"
#include "report/json_writer.h"

static void put_rates(struct json_writer *writer, const struct way *way)
{
	uint64_t value;

	if (way_lost(way, &value)) {
		json_put_unsigned(writer, "lost", value);
	}
	if (way_departure_rate(way, &value)) {
		json_put_milli(writer, "departures_per_s", value);
	}
	if (way_arrival_rate(way, &value)) {
		json_put_milli(writer, "arrivals_per_s", value);
	}
	if (way_goodput(way, &value)) {
		json_put_unsigned(writer, "goodput_bps", value);
	}
}

static void put_way(struct json_writer *writer, const char *key, const struct way *way)
{
	if (!way->has && !way->has_spans) {
		return;
	}
	json_begin_object(writer, key);
	for (enum way_count count = 0; count < WAY_COUNTS; count++) {
		if (way_has(way, count)) {
			json_put_unsigned(writer, way_counts[count].name, way->count[count]);
		}
	}
	put_rates(writer, way);
	if (way->method[0]) {
		json_put_string(writer, "method", way->method);
	}
	for (enum way_span span = 0; span < WAY_SPANS; span++) {
		if (way_has_span(way, span)) {
			histogram_json_put(writer, way_spans[span].name, &way->span[span]);
		}
	}
	json_end_object(writer);
}

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text && text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_conditions(struct json_writer *writer, const struct load_request *request,
			   const struct load_result *result)
{
	static const char *const means[] = { [FIT_PEER] = "peer", [FIT_ECHO] = "icmp-echo", [FIT_IPERF3] = "iperf3" };
	char text[WORKLOAD_TEXT_MAX];

	json_put_string(writer, "schema", "holdoff.load/1");
	json_put_string(writer, "version", HOLDOFF_VERSION);
	json_put_string(writer, "workload", workload_print(&request->workload, text));
	json_put_string(writer, "dir", request->workload.direction == WORKLOAD_TX ? "tx" : "rx");
	json_put_boolean(writer, "both", request->both);
	json_put_string(writer, "means", means[request->means]);
	put_text(writer, "in_place_of_it", load_substitute(request));
	json_put_string(writer, "host", request->host);
	json_put_string(writer, "address", result->address);
	json_put_string(writer, "source", result->source);
	put_text(writer, "device", result->device);
	put_text(writer, "program", result->program);
	json_put_unsigned(writer, "payload_bytes", workload_payload(&request->workload));
	json_put_unsigned(writer, "frame_bytes", workload_data_frame_bytes(&request->workload));
	json_put_unsigned(writer, "seed", request->seed);
	json_put_integer(writer, "duration_ns", request->duration_ns);
	json_put_integer(writer, "lasted_ns", result->lasted_ns);
	json_put_boolean(writer, "one_clock", result->shares_clock);
}

int load_write_json(const struct load_request *request, const struct load_result *result, FILE *out)
{
	struct json_writer writer;
	char why[ERR_TEXT_MAX];

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	put_conditions(&writer, request, result);
	json_put_boolean(&writer, "complete", !result->is_incomplete);
	if (load_is_insufficient(result, why)) {
		json_put_string(&writer, "insufficient", why);
	}
	if (request->workload.kind == WORKLOAD_TFTP && request->workload.total_bytes) {
		json_put_boolean(&writer, "whole_file", result->is_complete_file);
	}
	put_way(&writer, "tx", &result->ways[WORKLOAD_TX]);
	put_way(&writer, "rx", &result->ways[WORKLOAD_RX]);
	if (result->has_rtt) {
		histogram_json_put(&writer, "rtt_ns", &result->rtt);
	}
	json_end_object(&writer);
	return json_end(&writer);
}
