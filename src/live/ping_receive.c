/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/time.h"
#include "live/ping_private.h"

/* How long after opening the kernel may take to turn its receive stamps on, and a pause for it to do so. */
#define STAMPS_ON_NS (500 * NS_PER_MS)
#define STAMPS_PAUSE_NS (10 * NS_PER_MS)

/* ---- spans ---- */

static const struct {
	const char *key, *words;
} spans[] = {
	[PING_TO_KERNEL] = { "rtt_to_kernel_ns", "user space before send to the kernel's receive stamp" },
	[PING_TO_APPLICATION] = { "rtt_to_application_ns",
				  "user space before send to the return of the receiving call" },
	[PING_FROM_DRIVER] = { "rtt_from_driver_ns", "the driver's transmit stamp to the kernel's receive stamp" },
	[PING_ON_WIRE] = { "rtt_on_wire_ns", "transmit stamp to receive stamp of the NIC" },
};
static_assert(sizeof(spans) / sizeof(spans[0]) == PING_SPANS, "a name for each span");

const char *ping_span_key(enum ping_span span)
{
	return spans[span].key;
}

const char *ping_span_words(enum ping_span span)
{
	return spans[span].words;
}

/* ---- what went wrong ---- */

void ping_add_trouble(struct ping *ping, enum trouble_origin origin, int error)
{
	troubles_add(&ping->result.troubles, &(struct trouble){ .origin = origin, .error = error });
}

static void take_error(struct ping *ping, const struct stamp_report *report)
{
	const struct sock_extended_err *const error = &report->error;
	const bool is_icmp = error->ee_origin == SO_EE_ORIGIN_ICMP || error->ee_origin == SO_EE_ORIGIN_ICMP6;
	struct trouble trouble = {
		.origin = error->ee_origin == SO_EE_ORIGIN_ICMP    ? TROUBLE_ICMP
			  : error->ee_origin == SO_EE_ORIGIN_ICMP6 ? TROUBLE_ICMPV6
								   : TROUBLE_LOCAL,
		.error = is_icmp ? 0 : (int)error->ee_errno,
		.type = is_icmp ? error->ee_type : 0,
		.code = is_icmp ? error->ee_code : 0,
		.mtu = error->ee_errno == EMSGSIZE ? error->ee_info : 0,
	};
	char text[HOST_TEXT_MAX];
	uint64_t sequence;

	/* A raw socket also hears of packets that others have sent to the same host; and an error of this host before a
	 * packet had an identifier quotes nothing. */
	const bool is_quoted =
		echo_match_quoted(&ping->echo, report->packet, report->packet_bytes, ping->tally.last, &sequence);

	if (!is_quoted && is_icmp) {
		return;
	}
	if (report->from.ss_family != AF_UNSPEC) {
		memcpy(trouble.from, host_print(&report->from, text),
		       sizeof(text) < sizeof(trouble.from) ? sizeof(text) : sizeof(trouble.from));
		trouble.from[sizeof(trouble.from) - 1] = '\0';
	}
	troubles_add(&ping->result.troubles, &trouble);
	if (is_quoted) {
		tally_refused(&ping->tally, sequence);
	}
}

/* ---- time stamps ---- */

static void count_span(struct ping *ping, enum ping_span span, int64_t rtt_ns, struct ping_reply *reply)
{
	if (!histogram_record(&ping->result.rtt[span], rtt_ns) || !reply) {
		return;
	}
	reply->has |= 1u << span;
	reply->rtt_ns[span] = rtt_ns;
}

/* Those that begin with a transmit stamp, once both are there. The stamp may come after the reply. */
static void count_transmit_spans(struct ping *ping, struct times *times, struct ping_reply *reply)
{
	const struct stamp *const software = &times->transmit[0], *const hardware = &times->transmit[1];

	if (!times->is_received) {
		return;
	}
	if (times->has_transmit[0] && times->received.has & STAMP_SOFTWARE && !times->is_driver_counted) {
		times->is_driver_counted = true;
		count_span(ping, PING_FROM_DRIVER, times->received.software_at_ns - software->software_at_ns, reply);
	}
	if (times->has_transmit[1] && times->received.has & STAMP_HARDWARE && !times->is_wire_counted) {
		times->is_wire_counted = true;
		count_span(ping, PING_ON_WIRE, times->received.hardware_at_ns - hardware->hardware_at_ns, reply);
	}
}

static void take_transmit_stamp(struct ping *ping, const struct stamp_report *report)
{
	const uint64_t sequence = ping->stamp_sequence[report->id % PING_STAMP_IDS];
	struct times *const times = &ping->times[sequence % TALLY_PROBES];

	/* One of an earlier packet cannot be, but must not do harm. */
	if (!sequence || times->sequence != sequence ||
	    (report->at.has & STAMP_SOFTWARE && report->at.software_at_ns < times->sent.real_at_ns)) {
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (report->at.has & (i ? STAMP_HARDWARE : STAMP_SOFTWARE)) {
			times->transmit[i] = report->at;
			times->has_transmit[i] = true;
		}
	}
	count_transmit_spans(ping, times, NULL);
}

bool ping_take_reports(struct ping *ping)
{
	struct stamp_report report;
	bool has_any = false;

	while (stamps_next_report(&ping->icmp.stamps, &report, NULL) == 0 && report.kind != STAMP_REPORT_NONE) {
		has_any = true;
		if (report.kind == STAMP_REPORT_TRANSMIT) {
			take_transmit_stamp(ping, &report);
		} else {
			take_error(ping, &report);
		}
	}
	return has_any;
}

/* ---- replies ---- */

/*
 * The kernel turns its receive stamps on in a worker of its own (net_enable_timestamp), which on a busy machine runs after hundreds of probes
 * that follow their replies: the next one has time until then. Where no stamps come for long, none are waited for.
 */
static void wait_for_stamps(struct ping *ping, int64_t now_at_ns)
{
	if (!ping->has_true_stamp && now_at_ns < ping->opened_at_ns + STAMPS_ON_NS) {
		ping->retry_at_ns = now_at_ns + STAMPS_PAUSE_NS;
	}
}

/*
 * A probe was answered in time. before_real_ns: of before the receiving call, which did not wait: a later stamp was
 * may have been filled in by the call itself. Known until one was earlier: from then on the kernel stamps on arrival.
 */
static void measure(struct ping *ping, struct times *times, const struct icmp_message *message,
		    const struct clocks *now, int64_t before_real_ns, struct ping_reply *reply)
{
	struct ping_result *const result = &ping->result;

	count_span(ping, PING_TO_APPLICATION, now->monotonic_at_ns - times->sent.monotonic_at_ns, reply);
	times->received = message->stamp;
	if (clocks_stepped(&times->sent, now)) {
		result->stepped++;
		return;
	}
	times->is_received = true;
	if (!(message->stamp.has & STAMP_SOFTWARE) || message->stamp.software_at_ns > before_real_ns) {
		times->received.has &= ~(uint32_t)STAMP_SOFTWARE;
		result->unstamped++;
		wait_for_stamps(ping, now->monotonic_at_ns);
	} else {
		ping->has_true_stamp = true;
		count_span(ping, PING_TO_KERNEL, message->stamp.software_at_ns - times->sent.real_at_ns, reply);
	}
	count_transmit_spans(ping, times, reply);
}

/* When it arrived on the monotonic clock, as well as it is known: what is late is told by this. */
static int64_t arrival(const struct ping *ping, const struct icmp_message *message, const struct clocks *now)
{
	const int64_t stamped_at_ns = message->stamp.software_at_ns - ping->offset_ns;

	return message->stamp.has & STAMP_SOFTWARE && stamped_at_ns < now->monotonic_at_ns ? stamped_at_ns
											   : now->monotonic_at_ns;
}

static void take_message(struct ping *ping, const struct icmp_message *message, const struct clocks *now,
			 int64_t before_real_ns)
{
	struct echo_reply echoed;
	const enum echo_match match =
		host_is(&ping->request.host, &message->from)
			? echo_match(&ping->echo, message->message, message->bytes, ping->tally.last, &echoed)
			: ECHO_FOREIGN;
	struct ping_reply reply = { .verdict = TALLY_IS_FOREIGN,
				    .time_to_live = message->time_to_live,
				    .from = message->from,
				    .received_at_ns = message->stamp.has & STAMP_SOFTWARE
							      ? message->stamp.software_at_ns
							      : now->real_at_ns };

	if (match == ECHO_FOREIGN) {
		tally_foreign(&ping->tally);
	} else {
		reply.sequence = echoed.sequence;
		reply.payload_bytes = echoed.payload_bytes;
		reply.verdict = tally_reply(&ping->tally, echoed.sequence, echoed.payload_bytes, match == ECHO_INTACT,
					    arrival(ping, message, now));
	}
	if (reply.verdict == TALLY_IS_RECEIVED) {
		struct times *const times = &ping->times[reply.sequence % TALLY_PROBES];

		reply.quiet_ns = times->quiet_ns;
		measure(ping, times, message, now, before_real_ns, &reply);
	}
	if (reply.sequence == ping->last_sequence && reply.verdict != TALLY_IS_FOREIGN) {
		ping->last_reply_at_ns = now->monotonic_at_ns;
	}
	if (ping->request.on_reply) {
		ping->request.on_reply(ping->request.context, &reply);
	}
}

bool ping_take_replies(struct ping *ping)
{
	int64_t before_real_ns = INT64_MAX;

	for (unsigned i = 0; i < PING_IN_A_ROW; i++) {
		struct icmp_message message;

		if (!ping->has_true_stamp) {
			before_real_ns = clocks_read(ping->offset_ns).real_at_ns;
		}
		const int received = icmp_receive(&ping->icmp, ping->buffer, &message);

		if (received == 0) {
			return i > 0;
		}
		/* An error of an earlier packet, about which the error queue tells more. */
		if (received < 0) {
			ping_take_reports(ping);
			continue;
		}
		const struct clocks now = clocks_read(ping->offset_ns);

		ping->offset_ns = clocks_offset_ns(&now);
		if (message.overrun) {
			ping->result.overrun = message.overrun;
		}
		take_message(ping, &message, &now, before_real_ns);
	}
	return true;
}
