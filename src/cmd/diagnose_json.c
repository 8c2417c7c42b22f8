/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A diagnosis as one document, schema holdoff.diagnose/1. What the text does not say is absent. */
#include <string.h>

#include "base/time.h"
#include "cmd/diagnose.h"
#include "report/run_json.h"

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_device_name(struct json_writer *writer, const struct diagnosis *diagnosis, int device)
{
	if (device >= 0) {
		put_text(writer, "device", diagnosis->devices[device].name);
	}
}

/* ---- what was read ---- */

static void put_pieces(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	json_begin_array(writer, "read");
	for (unsigned i = 0; i < diagnosis->piece_count; i++) {
		const struct diagnose_piece *const piece = &diagnosis->pieces[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "kind", diagnose_kind_name(piece->kind));
		json_put_string(writer, "file", diagnosis->files[piece->file]);
		json_put_unsigned(writer, "first_line", piece->first);
		json_put_unsigned(writer, "last_line", piece->last);
		put_device_name(writer, diagnosis, piece->device);
		json_put_unsigned(writer, "odd_lines", piece->odd);
		json_end_object(writer);
	}
	json_end_array(writer);
	json_begin_array(writer, "not_read");
	for (unsigned i = 0; i < diagnosis->unread_count; i++) {
		const struct diagnose_unread *const unread = &diagnosis->unread[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "file", diagnosis->files[unread->file]);
		json_put_unsigned(writer, "first_line", unread->first);
		json_put_unsigned(writer, "last_line", unread->last);
		json_put_string(writer, "begins", unread->text);
		json_end_object(writer);
	}
	json_end_array(writer);
	json_put_unsigned(writer, "lines_not_read", diagnosis->unread_lines);
}

/* ---- interfaces ---- */

static void put_counts(struct json_writer *writer, const char *key, const struct diagnose_counts *counts)
{
	json_begin_object(writer, key);
	for (unsigned i = 0; i < DIAGNOSE_COUNTS; i++) {
		if (counts->count[i] >= 0) {
			json_put_integer(writer, diagnose_count_names[i], counts->count[i]);
		}
	}
	json_end_object(writer);
}

static void put_settings(struct json_writer *writer, const struct diagnose_device *device)
{
	static const char *const supports[] = { [DIAGNOSE_SUPPORT_SAID] = "said",
						[DIAGNOSE_SUPPORT_UNKNOWN] = "unknown",
						[DIAGNOSE_SUPPORT_NONE] = "none" };

	if (!device->has_settings && device->support != DIAGNOSE_SUPPORT_NONE) {
		return;
	}
	json_put_string(writer, "support", supports[device->support]);
	if (!device->has_settings) {
		return;
	}
	run_json_put_settings(writer, "coalesce", &device->settings);
	json_begin_array(writer, "unsupported");
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (device->absent & COALESCE_BIT(field)) {
			json_put_string(writer, NULL, coalesce_fields[field].name);
		}
	}
	json_end_array(writer);
}

static void put_queues(struct json_writer *writer, const struct diagnose_device *device)
{
	if (!device->queue_count) {
		return;
	}
	json_begin_array(writer, "queues");
	for (unsigned i = 0; i < device->queue_count; i++) {
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "queue", device->queues[i].queue);
		run_json_put_settings(writer, "coalesce", &device->queues[i].settings);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_facts(struct json_writer *writer, const struct diagnose_device *device)
{
	put_text(writer, "name", device->name);
	put_text(writer, "driver", device->driver);
	put_text(writer, "driver_version", device->version);
	put_text(writer, "firmware", device->firmware);
	put_text(writer, "bus", device->bus);
	put_text(writer, "chip", device->chip);
	if (device->speed_mbps) {
		json_put_unsigned(writer, "speed_mbps", device->speed_mbps);
	}
	if (device->has_channels) {
		put_counts(writer, "channels_max", &device->channels_max);
		put_counts(writer, "channels", &device->channels);
	}
	if (device->has_rings) {
		put_counts(writer, "rings_max", &device->rings_max);
		put_counts(writer, "rings", &device->rings);
	}
	if (device->has_knobs[0]) {
		json_put_unsigned(writer, "defer_hard_irqs", device->defer_hard_irqs);
	}
	if (device->has_knobs[1]) {
		json_put_unsigned(writer, "gro_flush_timeout_ns", device->gro_flush_timeout_ns);
	}
}

static void put_vectors(struct json_writer *writer, const struct diagnosis *diagnosis, unsigned device)
{
	const int64_t apart_ms =
		(diagnosis->options.interval_ns ? diagnosis->options.interval_ns : diagnosis->snapshots_apart_ns) /
		NS_PER_MS;

	json_begin_array(writer, "vectors");
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		const struct diagnose_vector *const vector = &diagnosis->vectors[i];
		const uint64_t more = vector->last - vector->first;

		if (!(vector->devices >> device & 1)) {
			continue;
		}
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "irq", vector->irq);
		json_put_string(writer, "action", vector->action);
		json_put_boolean(writer, "data", vector->is_data);
		json_put_boolean(writer, "shared", vector->is_shared);
		json_put_unsigned(writer, "count", vector->last);
		json_put_unsigned(writer, "busiest_cpu", vector->cpu);
		if (vector->seen > 1 && vector->last >= vector->first) {
			json_put_unsigned(writer, "counted_between", more);
			if (apart_ms > 0 && more < UINT64_MAX / 1000000) {
				json_put_milli(writer, "interrupts_per_s", more * 1000000 / (uint64_t)apart_ms);
			}
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_devices(struct json_writer *writer, const struct diagnosis *diagnosis, const struct show_device *shown)
{
	json_begin_array(writer, "devices");
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		json_begin_object(writer, NULL);
		put_facts(writer, &diagnosis->devices[i]);
		put_settings(writer, &diagnosis->devices[i]);
		put_queues(writer, &diagnosis->devices[i]);
		show_put_layers_json(writer, &shown[i]);
		put_vectors(writer, diagnosis, i);
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* ---- measurements ---- */

static void put_ping(struct json_writer *writer, const struct diagnosis *diagnosis, const struct diagnose_ping *ping)
{
	struct diagnose_span span;

	json_begin_object(writer, NULL);
	json_put_string(writer, "program", diagnose_ping_program_name(ping->program));
	json_put_string(writer, "file", diagnosis->files[ping->file]);
	json_put_unsigned(writer, "line", ping->line);
	put_text(writer, "target", ping->target);
	if (ping->payload_bytes >= 0) {
		json_put_integer(writer, "payload_bytes", ping->payload_bytes);
	}
	if (ping->has_counts) {
		json_put_unsigned(writer, "sent", ping->sent);
		json_put_unsigned(writer, "received", ping->received);
	}
	if (diagnose_ping_span(ping, &span)) {
		json_put_unsigned(writer, "n", span.n);
		json_put_integer(writer, "min_ns", span.min_ns);
		json_put_integer(writer, "mean_ns", span.mean_ns);
		json_put_integer(writer, "max_ns", span.max_ns);
	}
	if (ping->mdev_ns >= 0) {
		json_put_integer(writer, "mdev_ns", ping->mdev_ns);
	}
	if (ping->ipg_ns) {
		json_put_integer(writer, "ipg_ns", ping->ipg_ns);
	}
	if (ping->samples) {
		json_put_unsigned(writer, "below_resolution", ping->below);
	}
	if (ping->settings.present) {
		put_device_name(writer, diagnosis, ping->device);
		run_json_put_settings(writer, "coalesce", &ping->settings);
	}
	json_end_object(writer);
}

static void put_traces(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	json_begin_array(writer, "traces");
	for (unsigned i = 0; i < diagnosis->trace_count; i++) {
		const struct diagnose_trace *const trace = &diagnosis->traces[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "file", diagnosis->files[trace->file]);
		json_put_unsigned(writer, "line", trace->line);
		json_put_boolean(writer, "by_hand", trace->by_hand);
		json_put_integer(writer, "resolution_ns", trace->resolution_ns);
		json_put_unsigned(writer, "to_irq_count", trace->to_irq_count);
		if (trace->to_irq_count) {
			json_put_integer(writer, "xmit_to_irq_ns", trace->to_irq_ns);
		}
		json_put_unsigned(writer, "to_completion_count", trace->to_done_count);
		if (trace->to_done_count) {
			json_put_integer(writer, "xmit_to_completion_ns", trace->to_done_ns);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_iperf3(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	json_begin_array(writer, "iperf3");
	for (unsigned i = 0; i < diagnosis->iperf3_count; i++) {
		const struct diagnose_iperf3 *const run = &diagnosis->iperf3[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "protocol", run->is_udp ? "udp" : "tcp");
		json_put_string(writer, "program", run->program);
		json_put_integer(writer, "lasted_ns", run->lasted_ns);
		json_put_unsigned(writer, "received_bytes", run->bytes);
		if (run->has_packets) {
			json_put_unsigned(writer, "sent_packets", run->packets);
			json_put_unsigned(writer, "lost_packets", run->lost);
		}
		if (run->has_retransmitted) {
			json_put_unsigned(writer, "retransmitted", run->retransmitted);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_rates(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	json_begin_array(writer, "interrupt_rates");
	for (unsigned i = 0; i < diagnosis->rate_count; i++) {
		const struct diagnose_rate *const rate = &diagnosis->rates[i];

		if (rate->rows) {
			json_begin_object(writer, NULL);
			json_put_unsigned(writer, "irq", rate->irq);
			json_put_unsigned(writer, "n", rate->rows);
			json_put_unsigned(writer, "min_per_s", rate->min);
			json_put_milli(writer, "mean_per_s", rate->sum * 1000 / rate->rows);
			json_put_unsigned(writer, "max_per_s", rate->max);
			json_end_object(writer);
		}
	}
	json_end_array(writer);
}

static void put_softnet(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	const struct diagnose_softnet *const softnet = &diagnosis->softnet;

	json_begin_object(writer, "softnet");
	json_put_unsigned(writer, "snapshots", diagnosis->softnet_snapshots);
	json_put_unsigned(writer, "processed", softnet->processed);
	json_put_unsigned(writer, "dropped", softnet->dropped);
	json_put_unsigned(writer, "time_squeeze", softnet->time_squeeze);
	json_begin_array(writer, "cpus");
	for (unsigned i = 0; i < softnet->cpus && i < DIAGNOSE_CPUS_MAX; i++) {
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "cpu", softnet->rows[i].cpu);
		json_put_unsigned(writer, "processed", softnet->rows[i].processed);
		json_put_unsigned(writer, "dropped", softnet->rows[i].dropped);
		json_put_unsigned(writer, "time_squeeze", softnet->rows[i].time_squeeze);
		json_end_object(writer);
	}
	json_end_array(writer);
	json_end_object(writer);
}

static void put_measured(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	json_begin_array(writer, "pings");
	for (unsigned i = 0; i < diagnosis->ping_count; i++) {
		put_ping(writer, diagnosis, &diagnosis->pings[i]);
	}
	json_end_array(writer);
	json_begin_array(writer, "pairs_ns");
	for (unsigned i = 0; i < diagnosis->pair_count; i++) {
		json_put_integer(writer, NULL, diagnosis->pairs_ns[i]);
	}
	json_end_array(writer);
	put_traces(writer, diagnosis);
	put_iperf3(writer, diagnosis);
	put_rates(writer, diagnosis);
	if (diagnosis->has_softnet) {
		put_softnet(writer, diagnosis);
	}
	put_text(writer, "affinity_cpus", diagnosis->affinity);
}

/* ---- what it means ---- */

static void put_remarks(struct json_writer *writer, const struct diagnosis *diagnosis)
{
	json_begin_array(writer, "findings");
	for (unsigned i = 0; i < diagnosis->remark_count; i++) {
		const struct diagnose_remark *const remark = &diagnosis->remarks[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "kind", diagnose_remark_kind_name(remark->kind));
		json_put_string(writer, "rule", remark->rule);
		put_device_name(writer, diagnosis, remark->device);
		if (remark->line) {
			json_put_string(writer, "file", diagnosis->files[remark->file]);
			json_put_unsigned(writer, "line", remark->line);
		}
		json_put_string(writer, "text", remark->text);
		put_text(writer, "command", remark->command);
		json_put_string(writer, "source", remark->source);
		json_end_object(writer);
	}
	json_end_array(writer);
}

void diagnose_print_json(const struct diagnosis *diagnosis, const struct show_device *shown, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.diagnose/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	put_pieces(&writer, diagnosis);
	put_text(&writer, "kernel", diagnosis->kernel);
	put_devices(&writer, diagnosis, shown);
	put_measured(&writer, diagnosis);
	put_remarks(&writer, diagnosis);
	json_end_object(&writer);
	json_end(&writer);
}
