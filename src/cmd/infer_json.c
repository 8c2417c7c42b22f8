/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holdoff infer found, as one document. */
#include "cmd/infer.h"
#include "report/json_writer.h"

#define HEADERS_BYTES 46
#define HEADERS_BYTES_IPV6 66

static void put_row(struct json_writer *writer, const struct verdict_row *row)
{
	const struct fit_span *const span = &row->effective;

	json_begin_object(writer, NULL);
	if (row->requested_ns >= 0) {
		json_put_integer(writer, "requested_ns", row->requested_ns);
	}
	if (row->reported_ns >= 0) {
		json_put_integer(writer, "reported_ns", row->reported_ns);
	}
	json_put_boolean(writer, "is_again", row->is_again);
	if (span->is_known) {
		json_put_integer(writer, "effective_ns", span->span_ns);
		json_put_integer(writer, "effective_low_ns", span->low_ns);
		json_put_integer(writer, "effective_high_ns", span->high_ns);
		json_put_unsigned(writer, "count", span->count);
	}
	if (span->never_came) {
		json_put_boolean(writer, "never_came", true);
	}
	if (row->step_ns) {
		json_put_integer(writer, "step_ns", row->step_ns);
	}
	json_end_object(writer);
}

static void put_fit(struct json_writer *writer, const struct infer_direction *of)
{
	const struct fit *const fit = &of->plan.fit;
	static const char *const others[] = { "apart", "takes along", "same timer" };

	json_put_boolean(writer, "is_kind_told", fit->has_kind);
	json_put_string(writer, "kind", mechanism_key(fit->kind));
	json_put_integer(writer, "error_ns", fit->error_ns);
	json_put_string(writer, "next_kind", mechanism_key(fit->rival));
	json_put_integer(writer, "next_error_ns", fit->rival_error_ns);
	json_put_string(writer, "other_direction", others[fit->mechanism.other]);
	json_put_integer(writer, "path_ns", fit->path.delay_ns + fit->path.peer_hold_ns);
	if (fit->path.peer_hold_ns) {
		json_put_integer(writer, "far_end_hold_ns", fit->path.peer_hold_ns);
	}
	json_put_integer(writer, "spacing_ns", fit->path.spacing_ns);
	json_put_integer(writer, "jitter_ns", fit->jitter_ns);
	json_put_integer(writer, "resolution_ns", fit->resolution_ns);
}

static void put_limits(struct json_writer *writer, const struct infer_session *session,
		       const struct infer_direction *of)
{
	const struct plan *const plan = &of->plan;
	const unsigned headers_bytes = session->host.is_ipv6 ? HEADERS_BYTES_IPV6 : HEADERS_BYTES;

	if (plan->has_bypass) {
		json_put_unsigned(writer, plan->small_are_held ? "held_below_bytes" : "bypass_below_bytes",
				  plan->bypass_below_payload + headers_bytes);
	}
	if (plan->has_frames) {
		json_put_unsigned(writer, "frames", plan->frames);
	} else if (plan->looked_at_frames) {
		json_put_unsigned(writer, "frames_above", plan->frames_seen);
	}
}

static void put_verdict(struct json_writer *writer, const struct verdict *verdict)
{
	json_put_string(writer, "verdict", verdict_key(verdict->kind));
	if (verdict->has_low_limit) {
		json_put_integer(writer, "low_limit_ns", verdict->low_limit_ns);
	}
	if (verdict->has_high_limit) {
		json_put_integer(writer, "high_limit_ns", verdict->high_limit_ns);
	}
	if (verdict->dead_until_ns) {
		json_put_integer(writer, "dead_until_ns", verdict->dead_until_ns);
	}
	if (verdict->step_ns) {
		json_put_integer(writer, "widest_step_ns", verdict->step_ns);
	}
	if (verdict->kind == VERDICT_SCALED) {
		json_put_unsigned(writer, "scale_ppm", verdict->scale_ppm);
	}
	json_put_boolean(writer, "is_unsteady", verdict->is_unsteady);
	json_put_boolean(writer, "misreports", verdict->misreports);
}

static void put_direction(struct json_writer *writer, const struct infer_session *session,
			  const struct infer_direction *of)
{
	json_begin_object(writer, infer_direction_name(of->direction));
	if (of->skipped) {
		json_put_string(writer, "not_tried", of->skipped);
	}
	json_begin_array(writer, "refused");
	for (unsigned i = 0; i < of->refusal_count; i++) {
		json_begin_object(writer, NULL);
		json_put_unsigned(writer, "usecs", of->refusals[i].usecs);
		json_put_string(writer, "why", of->refusals[i].why);
		json_end_object(writer);
	}
	json_end_array(writer);
	if (of->is_done) {
		put_fit(writer, of);
		put_limits(writer, session, of);
		json_begin_array(writer, "settings");
		for (unsigned i = 0; i < of->row_count; i++) {
			put_row(writer, &of->rows[i]);
		}
		json_end_array(writer);
		json_put_unsigned(writer, "trains_sent", of->sent);
		json_put_unsigned(writer, "trains_lost", of->lost);
	}
	if (of->has_verdict) {
		put_verdict(writer, &of->verdict);
	}
	json_end_object(writer);
}

int infer_print_json(const struct infer_session *session, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", INFER_SCHEMA);
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "device", session->nic.name);
	if (session->identity.has & NIC_HAS_DRIVER) {
		json_put_string(&writer, "driver", session->identity.driver);
	}
	if (session->identity.has & NIC_HAS_SPEED) {
		json_put_unsigned(&writer, "speed_mbps", session->identity.speed_mbps);
	}
	json_put_string(&writer, "peer_host", session->host.text);
	if (session->defer_hard_irqs) {
		json_put_unsigned(&writer, "defer_hard_irqs", session->defer_hard_irqs);
		json_put_unsigned(&writer, "gro_flush_timeout_ns", session->gro_flush_timeout_ns);
	}
	for (unsigned d = 0; d < 2; d++) {
		if (session->directions[d].is_done || session->directions[d].skipped) {
			put_direction(&writer, session, &session->directions[d]);
		}
	}
	json_end_object(&writer);
	return json_end(&writer);
}
