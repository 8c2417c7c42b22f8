/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measurements against settings. A ping pays a hold-off of the receiving end in full, whatever it is set to; it pays a
 * throttle only where an interrupt came shortly before; it says nothing about which end it was.
 */
#include "diagnose/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "explain/explanation.h"

enum {
	FRAME_OVERHEAD = 46, /* of an ICMP echo's payload: Ethernet 14, IP 20, ICMP 8, FCS 4 */
	SMALL_FRAME = 128,   /* RTL8168: below this none is held */
};

static void at_ping(struct remark_origin *origin, const struct diagnose_ping *ping)
{
	origin->device = ping->device;
	origin->file = ping->file;
	origin->line = ping->line;
}

/* To three digits behind the point of the unit: what nobody measured is not printed. */
static char *span_text(int64_t span_ns, char buffer[TEXT_DURATION_MAX])
{
	const int64_t magnitude_ns = span_ns < 0 ? -span_ns : span_ns;
	const int64_t step_ns = magnitude_ns >= NS_PER_S ? NS_PER_MS : magnitude_ns >= NS_PER_MS ? NS_PER_US : 100;

	return text_print_duration((span_ns + (span_ns < 0 ? -step_ns : step_ns) / 2) / step_ns * step_ns, buffer);
}

static const char *target_of(const struct diagnose_ping *ping)
{
	return ping->target[0] ? ping->target : "the host";
}

/* ---- a ping by itself ---- */

/* How many rounds fit into the time that it took, against the gap that it prints. */
void rule_ping_rounds(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->ping_count; i++) {
		const struct diagnose_ping *const ping = &diagnosis->pings[i];
		char round[TEXT_DURATION_MAX], ipg[TEXT_DURATION_MAX];

		if (!ping->has_counts || !ping->lasted_ns || !ping->ipg_ns || !ping->sent) {
			continue;
		}
		const int64_t round_ns = ping->lasted_ns / (int64_t)ping->sent;
		const int64_t off_ns = round_ns > ping->ipg_ns ? round_ns - ping->ipg_ns : ping->ipg_ns - round_ns;

		at_ping(origin, ping);
		remark_add(diagnosis, origin, DIAGNOSE_NOTE,
			   "%" PRIu64 " requests in %" PRId64 " ms are a round each %s, and it prints ipg %s: %s",
			   ping->sent, ping->lasted_ns / NS_PER_MS, span_text(round_ns, round),
			   span_text(ping->ipg_ns, ipg),
			   off_ns * 20 <= ping->ipg_ns ? "they agree, the next request left on the reply"
						       : "they do not agree");
	}
}

static void tell_block(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_ping *ping,
		       int64_t round_ns, uint64_t block)
{
	const uint64_t bytes_per_s = block * (uint64_t)NS_PER_S / (uint64_t)round_ns;
	/* What another ms would cost, in permille of the rate. */
	const int64_t slower = 1000 - round_ns * 1000 / (round_ns + NS_PER_MS);
	char span[TEXT_DURATION_MAX];

	at_ping(origin, ping);
	remark_add(diagnosis, origin, DIAGNOSE_MEANS,
		   "a lock-step protocol with one block of %" PRIu64 " bytes a round trip of %s gets %" PRIu64
		   ".%" PRIu64 " kB/s; with 1 ms more a round %" PRId64 ".%" PRId64 " %% less",
		   block, span_text(round_ns, span), bytes_per_s / 1000, bytes_per_s % 1000 / 100, slower / 10,
		   slower % 10);
}

/* 512 is TFTP's block without options, 1468 what fills a frame. */
void rule_lock_step(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	const uint64_t given = diagnosis->options.block_bytes;
	struct diagnose_span span;

	for (unsigned i = 0; i < diagnosis->ping_count; i++) {
		if (!diagnose_ping_span(&diagnosis->pings[i], &span) || span.mean_ns <= 0) {
			continue;
		}
		tell_block(diagnosis, origin, &diagnosis->pings[i], span.mean_ns, given ? given : 512);
		if (!given) {
			tell_block(diagnosis, origin, &diagnosis->pings[i], span.mean_ns, 1468);
		}
	}
}

/* ---- two pings at two settings ---- */

/* The field that both know and that differs most; COALESCE_FIELDS if none does. */
static enum coalesce_field changed_field(const struct diagnose_ping *a, const struct diagnose_ping *b)
{
	const enum coalesce_field rx = COALESCE_RX_USECS, tx = COALESCE_TX_USECS;
	const bool has_rx = coalesce_has(&a->settings, rx) && coalesce_has(&b->settings, rx);
	const bool has_tx = coalesce_has(&a->settings, tx) && coalesce_has(&b->settings, tx);

	if (has_rx && a->settings.value[rx] != b->settings.value[rx]) {
		return rx;
	}
	return has_tx && a->settings.value[tx] != b->settings.value[tx] ? tx : COALESCE_FIELDS;
}

/* factor: in thousandths, how much of the change of the setting the round trip follows. */
static const char *shift_verdict(int64_t factor)
{
	if (factor > -300 && factor < 300) {
		return "the setting makes no difference to a ping: not honoured, a throttle, or the other end's";
	}
	if (factor >= 700 && factor <= 1300) {
		return "honoured, and one direction of one host pays it";
	}
	if (factor >= 1700 && factor <= 2300) {
		return "paid twice: at both ends, or received and sent frames each";
	}
	return "neither once nor twice the change: something else moved too";
}

/* What moves with the setting by as much as the setting is the setting's: nothing else knows of it. */
static void acquit_others(struct diagnosis *diagnosis, struct remark_origin *origin, int64_t factor, const char *shift)
{
	if (factor >= 700 && factor <= 1300) {
		remark_add(diagnosis, origin, DIAGNOSE_ACQUITTED,
			   "of these %s: idle states of the CPU, ASPM of the bus, a slow server or path; none of them "
			   "follows "
			   "a coalescing setting",
			   shift);
	}
}

static void compare_pings(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_ping *a,
			  const struct diagnose_ping *b)
{
	const enum coalesce_field field = changed_field(a, b);
	struct diagnose_span before, after;
	char shift[TEXT_DURATION_MAX], low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	if (field == COALESCE_FIELDS || !diagnose_ping_span(a, &before) || !diagnose_ping_span(b, &after)) {
		return;
	}
	const int64_t change_ns = ((int64_t)a->settings.value[field] - (int64_t)b->settings.value[field]) * NS_PER_US;
	const int64_t shift_ns = before.mean_ns - after.mean_ns;
	const int64_t factor = shift_ns * 1000 / change_ns;

	at_ping(origin, b);
	remark_add(diagnosis, origin, DIAGNOSE_MEANS,
		   "%s %" PRIu32 " to %" PRIu32
		   " moved the mean round trip by %s (%s to %s between the extremes, n %" PRIu64 " and %" PRIu64
		   "), %s%" PRId64 ".%02" PRId64 " of the change: %s",
		   coalesce_fields[field].name, a->settings.value[field], b->settings.value[field],
		   span_text(shift_ns, shift), span_text(before.min_ns - after.max_ns, low),
		   span_text(before.max_ns - after.min_ns, high), before.n, after.n, factor < 0 ? "-" : "",
		   (int64_t)llabs(factor) / 1000, (int64_t)llabs(factor) % 1000 / 10, shift_verdict(factor));
	acquit_others(diagnosis, origin, factor, shift);
}

void rule_ping_shift(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i + 1 < diagnosis->ping_count; i++) {
		if (diagnosis->pings[i].device >= 0 && diagnosis->pings[i].device == diagnosis->pings[i + 1].device) {
			compare_pings(diagnosis, origin, &diagnosis->pings[i], &diagnosis->pings[i + 1]);
		}
	}
}

/* ---- a ping against what the settings can do ---- */

static const struct diagnose_device *device_of(const struct diagnosis *diagnosis, const struct diagnose_ping *ping)
{
	return ping->device >= 0 ? &diagnosis->devices[ping->device] : NULL;
}

/* The most that one end can add, by settings or model; false: nobody knows, or without a bound. */
static bool bound_of(const struct diagnose_device *device, const struct diagnose_ping *ping, int64_t *bound_ns)
{
	const uint32_t rx = ping->settings.value[COALESCE_RX_USECS], tx = ping->settings.value[COALESCE_TX_USECS];

	*bound_ns = (int64_t)(rx > tx ? rx : tx) * NS_PER_US;
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		if (!device->has_worst[i] || device->worst_ns[i] == NEVER_AT_NS) {
			return false;
		}
		*bound_ns = time_max(*bound_ns, device->worst_ns[i]);
	}
	return true;
}

/* Spread over ten times, or in the mean twenty times, what coalescing could do at all: it is something else. */
static void acquit_coalescing(struct diagnosis *diagnosis, struct remark_origin *origin,
			      const struct diagnose_ping *ping, const struct diagnose_span *span, int64_t bound_ns)
{
	const int64_t spread_ns = span->max_ns - span->min_ns;
	const char *const device = remark_device(diagnosis, ping->device);
	char value[TEXT_DURATION_MAX], bound[TEXT_DURATION_MAX];

	span_text(bound_ns, bound);
	if (spread_ns >= 100 * NS_PER_US && spread_ns >= 10 * bound_ns) {
		remark_add(diagnosis, origin, DIAGNOSE_ACQUITTED,
			   "interrupt coalescing of %s: the round trips are spread over %s (n %" PRIu64
			   "), and it can explain at most %s at this end; look elsewhere",
			   device, span_text(spread_ns, value), span->n, bound);
	} else if (span->mean_ns >= NS_PER_MS && span->mean_ns >= 20 * bound_ns) {
		remark_add(diagnosis, origin, DIAGNOSE_ACQUITTED,
			   "interrupt coalescing of %s: of a round trip of %s (n %" PRIu64
			   ") it can explain at most %s at this end; the path or the other end has the rest",
			   device, span_text(span->mean_ns, value), span->n, bound);
	} else {
		return;
	}
	if (coalesce_has(&ping->settings, COALESCE_RX_FRAMES_IRQ)) {
		remark_add(
			diagnosis, origin, DIAGNOSE_NOTE,
			"the -irq values only hold while an interrupt is in service: they do not hold the first frame");
	}
}

void rule_too_small(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->ping_count; i++) {
		const struct diagnose_ping *const ping = &diagnosis->pings[i];
		const struct diagnose_device *const device = device_of(diagnosis, ping);
		struct diagnose_span span;
		int64_t bound_ns;

		if (device && diagnose_ping_span(ping, &span) && bound_of(device, ping, &bound_ns)) {
			at_ping(origin, ping);
			acquit_coalescing(diagnosis, origin, ping, &span, bound_ns);
		}
	}
}

/* All bits of the timers and the slowest scale: what the chip can hold at most. */
static bool longest_hold(enum chip_family family, unsigned speed_mbps, int64_t *hold_ns)
{
	struct explanation_request *const request = calloc(1, sizeof(*request));
	struct explanation *const explanation = malloc(sizeof(*explanation));
	const char *const board = family == CHIP_RTL8169 ? "rtl8169" : "rtl8168d";
	bool has = request && explanation && board_load(&request->board, board, NULL) == 0;

	if (has) {
		request->board.speed_mbps = speed_mbps;
		request->registers = "IntrMitigate=0xf0f0,CPlusCmd=0x2063";
		has = explanation_make(explanation, request, NULL) == 0;
		*hold_ns = explanation->hold[CHIP_RX].hold_ns;
	}
	free(explanation);
	free(request);
	return has;
}

static bool is_realtek(const struct diagnose_device *device)
{
	return !rule_is_rtl8125(device) && (device->family == CHIP_RTL8168 || device->family == CHIP_RTL8169 ||
					    strcmp(device->driver, "r8169") == 0);
}

static void check_longest(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_ping *ping,
			  int device)
{
	const struct diagnose_device *const of = &diagnosis->devices[device];
	const enum chip_family family = of->family == CHIP_RTL8169 ? CHIP_RTL8169 : CHIP_RTL8168;
	const unsigned mbps = of->speed_mbps == 10 || of->speed_mbps == 100 ? of->speed_mbps : 1000;
	struct diagnose_span span;
	int64_t longest_ns;
	char longest[TEXT_DURATION_MAX], most[TEXT_DURATION_MAX];

	if (!diagnose_ping_span(ping, &span) || !longest_hold(family, mbps, &longest_ns) ||
	    span.max_ns <= 2 * longest_ns) {
		return;
	}
	at_ping(origin, ping);
	origin->device = device;
	remark_add(
		diagnosis, origin, DIAGNOSE_ACQUITTED,
		"interrupt coalescing of %s: a round trip of %s is impossible for this chip's register, which holds at "
		"most %s at %u Mb/s (as %s)",
		remark_device(diagnosis, device), span_text(span.max_ns, most), span_text(longest_ns, longest), mbps,
		chip_family_name(family));
}

void rule_too_long(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned device = 0; device < diagnosis->device_count; device++) {
		for (unsigned i = 0; is_realtek(&diagnosis->devices[device]) && i < diagnosis->ping_count; i++) {
			check_longest(diagnosis, origin, &diagnosis->pings[i], (int)device);
		}
	}
}

/* One test for each direction, apart: that there is no effect is a result, too. */
static void try_tenth(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_ping *ping,
		      enum coalesce_field field)
{
	const struct diagnose_device *const device = device_of(diagnosis, ping);
	const uint32_t now = ping->settings.value[field], wanted = now / 10;
	char command[120], gain[TEXT_DURATION_MAX];

	if (!coalesce_has(&ping->settings, field) || now < 20) {
		return;
	}
	snprintf(command, sizeof(command), "ethtool -C %s %s %" PRIu32, device->name[0] ? device->name : "DEV",
		 coalesce_fields[field].name, wanted);
	remark_try(diagnosis, origin, command,
		   "if %s is it, the round trip falls by up to %s; if nothing changes that is an answer, too. What it "
		   "costs in CPU depends on the pattern of the traffic",
		   coalesce_fields[field].name, span_text((int64_t)(now - wanted) * NS_PER_US, gain));
}

static void blame_hold(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_ping *ping)
{
	const struct diagnose_device *const device = device_of(diagnosis, ping);
	struct diagnose_span span;
	char round[TEXT_DURATION_MAX], hold[TEXT_DURATION_MAX];

	if (!device || !device->has_worst[CHIP_RX] || device->is_range || !diagnose_ping_span(ping, &span)) {
		return;
	}
	const int64_t hold_ns = ping->settings.value[COALESCE_RX_USECS] * NS_PER_US;

	at_ping(origin, ping);
	if (device->is_throttle) {
		remark_add(diagnosis, origin, DIAGNOSE_NOTE,
			   "%s throttles: a lone frame after a quiet time is not held; a reply whose own request's "
			   "interrupt came before may wait",
			   remark_device(diagnosis, ping->device));
		return;
	}
	/* A hold-off of the receiving end is a lower bound of every round trip. */
	if (hold_ns < 20 * NS_PER_US || span.min_ns < hold_ns * 7 / 10 || hold_ns * 4 < span.mean_ns) {
		return;
	}
	remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
		   "of the round trip of %s to %s (n %" PRIu64 ") rx-usecs %" PRIu32
		   " of %s can be %s: a hold-off is paid "
		   "in full by a frame that comes alone",
		   span_text(span.mean_ns, round), target_of(ping), span.n, ping->settings.value[COALESCE_RX_USECS],
		   remark_device(diagnosis, ping->device), span_text(hold_ns, hold));
	try_tenth(diagnosis, origin, ping, COALESCE_RX_USECS);
	try_tenth(diagnosis, origin, ping, COALESCE_TX_USECS);
}

void rule_pays_hold(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->ping_count; i++) {
		blame_hold(diagnosis, origin, &diagnosis->pings[i]);
	}
}

/* The size from which RTL8168 holds frames at all, for a ping that is below it. */
void rule_small_frames(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_device *const device = &diagnosis->devices[i];
		const bool holds = device->settings.value[COALESCE_RX_USECS] ||
				   (device->has_worst[CHIP_RX] && device->worst_ns[CHIP_RX] > 0);

		if (!is_realtek(device) || device->family == CHIP_RTL8169 || !holds) {
			continue;
		}
		origin->device = (int)i;
		remark_add(diagnosis, origin, DIAGNOSE_MEANS,
			   "RTL8168 holds no frame below %d bytes with FCS: a ping of the usual 56 bytes does not show "
			   "the hold, one of %d bytes (-s %d) is the first that does",
			   SMALL_FRAME, SMALL_FRAME - FRAME_OVERHEAD, SMALL_FRAME - FRAME_OVERHEAD);
	}
}

/* ---- pairs of frames, traces, iperf3 ---- */

void rule_pairs(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	int64_t sum_ns = 0, min_ns = INT64_MAX, max_ns = 0;
	char list[160] = "", mean[TEXT_DURATION_MAX], low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];
	size_t used = 0;

	for (unsigned i = 0; i < diagnosis->pair_count; i++) {
		const int64_t pair_ns = diagnosis->pairs_ns[i];

		sum_ns += pair_ns;
		min_ns = time_min(min_ns, pair_ns);
		max_ns = time_max(max_ns, pair_ns);
		if (used + 12 < sizeof(list)) {
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%" PRId64, used ? ", " : "",
						 pair_ns / NS_PER_US);
		}
	}
	if (diagnosis->pair_count < 2) {
		return;
	}
	const int64_t mean_ns = sum_ns / diagnosis->pair_count;
	const bool is_constant = (max_ns - min_ns) * 5 <= mean_ns;

	remark_add(
		diagnosis, origin, is_constant ? DIAGNOSE_MEANS : DIAGNOSE_CAUSE,
		"frames took %s us from out to back: mean %s, from %s to %s, n %u: %s", list, span_text(mean_ns, mean),
		span_text(min_ns, low), span_text(max_ns, high), diagnosis->pair_count,
		is_constant
			? "constant, as a fixed hold-off is"
			: "not constant: an adaptive throttle does that, a fixed hold-off does not (on e1000e and igb "
			  "rx-usecs 1 and 3 are modes, not times)");
	if (!is_constant) {
		remark_try(diagnosis, origin, "ethtool -C DEV rx-usecs 0",
			   "without a throttle each frame has its interrupt");
	}
}

static void tell_trace(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_trace *trace)
{
	char to_irq[TEXT_DURATION_MAX], to_done[TEXT_DURATION_MAX];

	remark_add(diagnosis, origin, DIAGNOSE_MEANS,
		   "sent frames: from the return of xmit%s to the interrupt %s (n %" PRIu64
		   "), to completion %s (n %" PRIu64 "), medians",
		   trace->by_hand ? " (the mark \"DONE\")" : "", span_text(trace->to_irq_ns, to_irq),
		   trace->to_irq_count, span_text(trace->to_done_ns, to_done), trace->to_done_count);
	if (trace->to_irq_ns >= 100 * NS_PER_US) {
		remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
			   "%s of the %s to completion pass before the interrupt: the hold is on transmit, in the NIC, "
			   "and "
			   "not in the driver's poll",
			   to_irq, to_done);
		remark_try(diagnosis, origin, "ethtool -c DEV", "tx-usecs is what to compare with %s", to_irq);
	}
}

/* The longer against the shorter one: what one has and the other has not. */
static void compare_traces(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	const struct diagnose_trace *low = &diagnosis->traces[0], *high = low;
	char difference[TEXT_DURATION_MAX], nominal[TEXT_DURATION_MAX];

	for (unsigned i = 1; i < diagnosis->trace_count; i++) {
		low = diagnosis->traces[i].to_irq_ns < low->to_irq_ns ? &diagnosis->traces[i] : low;
		high = diagnosis->traces[i].to_irq_ns > high->to_irq_ns ? &diagnosis->traces[i] : high;
	}
	const int64_t hold_ns = high->to_irq_ns - low->to_irq_ns;
	const int64_t nominal_ns = (hold_ns + 50 * NS_PER_US) / (100 * NS_PER_US) * 100 * NS_PER_US;

	if (!low->to_irq_count || hold_ns < 100 * NS_PER_US) {
		return;
	}
	remark_add(diagnosis, origin, DIAGNOSE_MEANS,
		   "between the traces the way to the interrupt differs by %s: a transmit hold-off of about that, "
		   "consistent "
		   "with %s",
		   span_text(hold_ns, difference), span_text(nominal_ns, nominal));
}

void rule_trace(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->trace_count; i++) {
		if (diagnosis->traces[i].to_irq_count) {
			origin->file = diagnosis->traces[i].file;
			origin->line = diagnosis->traces[i].line;
			tell_trace(diagnosis, origin, &diagnosis->traces[i]);
		}
	}
	if (diagnosis->trace_count > 1) {
		compare_traces(diagnosis, origin);
	}
}

void rule_iperf3(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->iperf3_count; i++) {
		const struct diagnose_iperf3 *const run = &diagnosis->iperf3[i];
		const int64_t lasted_ms = run->lasted_ns / NS_PER_MS;
		char lost[80] = "", cpu[48] = "";

		if (lasted_ms <= 0) {
			continue;
		}
		if (run->has_packets && run->packets) {
			snprintf(lost, sizeof(lost), ", %" PRIu64 " of %" PRIu64 " packets lost", run->lost,
				 run->packets);
		}
		if (run->cpu_permille >= 0) {
			snprintf(cpu, sizeof(cpu), ", %" PRId64 ".%" PRId64 " %% of a CPU", run->cpu_permille / 10,
				 run->cpu_permille % 10);
		}
		origin->file = run->file;
		origin->line = run->line;
		remark_add(diagnosis, origin, DIAGNOSE_MEANS,
			   "%s of %s: %" PRIu64 " kb/s received over %" PRId64 " ms%s%s", run->is_udp ? "UDP" : "TCP",
			   run->program, run->bytes * 8 / (uint64_t)lasted_ms, lasted_ms, lost, cpu);
	}
}
