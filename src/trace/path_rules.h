/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules by which events become stages. Two matchers include this file, one in the kernel (path.bpf.c) and one in
 * user space (path.c), so they cannot differ; each defines path_record, which records a span of a stage.
 *
 *  1. A packet is known by the address of its skb, in a table without chains. Another packet in its place pushes it out
 *     (displaced, if it was sent and not completed). Nothing is ever taken for another packet: the address must be equal.
 *  2. xmit begins with an address that is still on its way: its end was lost, the old one is given up (reused).
 *  3. A packet that its driver refused (NETDEV_TX_BUSY) is queued again: its xmit does not count.
 *  4. A segment of GSO is a packet of its own, which was in no queue. A TSO packet is one packet.
 *  5. A sent skb that the stack of any interface receives was handed on (veth, loopback), never completed. A received one
 *     that any interface sends was forwarded: what becomes of it then is the other interface's.
 *  6. A sent skb that is freed is completed. Inside NET_RX its hard irq is the interface's last one on this CPU that led
 *     to a poll, if that was entered after xmit returned (by_irq); else it was found by a poll that ran anyway
 *     (without_irq). If two vectors of the interface led to polls on the CPU since its last poll, it is not known whose
 *     this was (ambiguous): whole times only. Inside NET_TX its driver let go of it in the handler (82574): by the
 *     interface's last irq that did not lead to a poll. Otherwise (TAP, virtio, threaded NAPI): elsewhere. Before xmit
 *     has returned: early, no time at all.
 *  7. napi_poll fires after the poll. It begins when the softirq did, or when the poll before it in this softirq ended.
 *     An irq leads to a poll if its handler raised NET_RX, or came while NET_RX ran; where no raising is seen at all, each.
 *     What it leads to begins after it: an irq that comes during a poll (the driver has unmasked, and the poll has yet to
 *     return) says nothing of what this one finds, and is the next one's.
 *  8. A poll is without an irq if none of the interface on the CPU led to it.
 *  9. A received frame's hard irq is the one that led to its poll, if that is not ambiguous. It may have come before the frame
 *     did: it was another frame's, or transmit's.
 * 10. A thread that is woken while the stack has the frame is its reader. Data is copied when the skb is, or when a
 *     reader frees it outside of softirqs, or when the woken reader copies an skb that nobody knows: a clone. Where several
 *     frames have entered the stack one after the other (drivers hand over lists), it is not known whose reader it is.
 * 11. A packet that starts on the interface, in the same softirq and poll, is an answer to the request that it names (echo
 *     replies: identifier and sequence). Where events do not name it, to the only frame since the answer before.
 * 12. A handler that says that the interrupt was not its device's (a shared line) has had none.
 * 13. Where events were lost, all that was on its way is given up (displaced): its end may be among them.
 * 14. sent = completed + handed_on + reused + displaced + what is still on its way. What began before the trace has no begin and is not recorded; what has not ended by its end neither.
 */
#ifndef HOLDOFF_TRACE_PATH_RULES_H
#define HOLDOFF_TRACE_PATH_RULES_H

#include "trace/path_state.h"

struct path_recorder; /* of the matcher */
void path_record(struct path_recorder *recorder, __u32 stage, __u64 span_ns);

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* ---- interrupts and polls; vector is 1 .. PATH_VECTORS_MAX - 1, of the interface ---- */

/* The handler that runs, or whose end was not seen, was called for its own device. */
static __always_inline void path_irq_was_own(struct path_recorder *recorder, struct path_cpu *cpu, __u32 vector)
{
	struct path_vector *const own = &cpu->sums.vector[vector];

	if (own->last_at_ns) {
		path_record(recorder, PATH_IRQ_GAP, cpu->handler_at_ns - own->last_at_ns);
	}
	own->last_at_ns = cpu->handler_at_ns;
}

static __always_inline void path_irq_entered(struct path_recorder *recorder, struct path_cpu *cpu, __u64 now_ns,
					     __u32 vector)
{
	const __u32 before = cpu->handler_vector;

	if (vector >= PATH_VECTORS_MAX) {
		return;
	}
	if (cpu->handler_at_ns && before < PATH_VECTORS_MAX) {
		path_irq_was_own(recorder, cpu, before);
	}
	cpu->sums.interrupts++;
	cpu->sums.vector[vector].interrupts++;
	cpu->handler_vector = (__u16)vector;
	cpu->handler_at_ns = now_ns;
	cpu->handler_has_raised = 0;
	cpu->raised_at_ns = 0;
}

/* The next own poll has an irq. */
static __always_inline void path_leads(struct path_cpu *cpu, __u64 irq_at_ns, __u16 vector)
{
	cpu->is_ambiguous = cpu->is_fresh && (cpu->is_ambiguous || cpu->vector != vector);
	cpu->is_fresh = 1;
	cpu->vector = vector;
	cpu->irq_at_ns = irq_at_ns;
}

/* The handler that runs leads to a poll; not to the one that runs already. */
static __always_inline void path_irq_leads(struct path_cpu *cpu)
{
	if (!cpu->poll_at_ns) {
		path_leads(cpu, cpu->handler_at_ns, cpu->handler_vector);
		return;
	}
	cpu->next_is_ambiguous |= cpu->next_irq_at_ns && cpu->next_vector != cpu->handler_vector;
	cpu->next_irq_at_ns = cpu->handler_at_ns;
	cpu->next_vector = cpu->handler_vector;
}

/* A poll has ended, anyone's, or the softirq: what came during it leads to the next. */
static __always_inline void path_poll_ended(struct path_cpu *cpu)
{
	if (cpu->next_irq_at_ns) {
		path_leads(cpu, cpu->next_irq_at_ns, cpu->next_vector);
		cpu->is_ambiguous |= cpu->next_is_ambiguous;
		cpu->next_irq_at_ns = cpu->next_is_ambiguous = 0;
	}
}

/* is_handled: the handler says that it was its device's. */
static __always_inline void path_irq_left(struct path_recorder *recorder, struct path_cpu *cpu, __u64 now_ns,
					  __u32 is_handled)
{
	const __u32 vector = cpu->handler_vector;

	if (!cpu->handler_at_ns || vector >= PATH_VECTORS_MAX) {
		return;
	}
	cpu->sums.hardirq_ns += now_ns - cpu->handler_at_ns;
	cpu->sums.vector[vector].hardirq_ns += now_ns - cpu->handler_at_ns;
	if (!is_handled) {
		cpu->sums.interrupts--;
		cpu->sums.vector[vector].interrupts--;
		cpu->handler_at_ns = 0;
		return;
	}
	path_irq_was_own(recorder, cpu, vector);
	if (!cpu->handler_has_raised && (cpu->poll_at_ns || !cpu->has_raised)) {
		path_irq_leads(cpu);
	} else if (!cpu->handler_has_raised) {
		cpu->other_irq_at_ns = cpu->handler_at_ns;
	}
	cpu->handler_at_ns = 0;
}

/* NET_RX. */
static __always_inline void path_raised(struct path_recorder *recorder, struct path_cpu *cpu, __u64 now_ns)
{
	if (cpu->handler_at_ns && !cpu->handler_has_raised) {
		cpu->raised_at_ns = now_ns;
		cpu->has_raised = cpu->handler_has_raised = 1;
		path_record(recorder, PATH_IRQ_TO_RAISE, now_ns - cpu->handler_at_ns);
		path_irq_leads(cpu);
	}
}

/* NET_RX or NET_TX. */
static __always_inline void path_softirq_entered(struct path_recorder *recorder, struct path_cpu *cpu, __u64 now_ns,
						 __u32 is_rx)
{
	path_poll_ended(cpu);
	cpu->softirq_at_ns = now_ns;
	cpu->poll_at_ns = is_rx ? now_ns : 0;
	if (is_rx && cpu->raised_at_ns) {
		path_record(recorder, PATH_RAISE_TO_SOFTIRQ, now_ns - cpu->raised_at_ns);
		cpu->raised_at_ns = 0;
	}
}

/* The stack has no frame of this poll any more. */
static __always_inline void path_pass_ended(struct path_cpu *cpu)
{
	cpu->rx_key = 0;
	cpu->rx_frames = cpu->rx_is_done = 0;
	cpu->unnamed_requests = 0;
	cpu->pass++;
}

/* After a poll there is next to nothing: its end is the softirq's, and nobody has to read a clock. */
static __always_inline _Bool path_softirq_has_polled(const struct path_cpu *cpu)
{
	return cpu->poll_at_ns > cpu->softirq_at_ns;
}

static __always_inline void path_softirq_left(struct path_cpu *cpu, __u64 now_ns)
{
	if (cpu->softirq_at_ns) {
		cpu->sums.softirq_net_ns +=
			(path_softirq_has_polled(cpu) ? cpu->poll_at_ns : now_ns) - cpu->softirq_at_ns;
	}
	path_poll_ended(cpu);
	cpu->softirq_at_ns = cpu->poll_at_ns = 0;
	path_pass_ended(cpu);
}

/* Any interface's poll. */
static __always_inline void path_other_polled(struct path_cpu *cpu, __u64 now_ns)
{
	path_poll_ended(cpu);
	cpu->poll_at_ns = cpu->softirq_at_ns ? now_ns : 0;
	path_pass_ended(cpu);
}

static __always_inline void path_polled(struct path_cpu *cpu, __u64 now_ns, __s32 work, __s32 budget)
{
	struct path_sums *const sums = &cpu->sums;

	sums->polls++;
	sums->work += work > 0 ? (__u64)work : 0;
	sums->exhausted += work >= budget;
	sums->polls_without_irq += !cpu->is_fresh;
	if (cpu->poll_received) {
		sums->completed_with_rx += cpu->poll_completed;
	}
	if (cpu->poll_completed) {
		sums->received_with_tx += cpu->poll_received;
	}
	cpu->poll_completed = cpu->poll_received = 0;
	cpu->is_fresh = cpu->is_ambiguous = 0;
	path_other_polled(cpu, now_ns);
}

/* ---- transmit; packet is the place of the key ---- */

static __always_inline void path_take(struct path_sums *sums, struct path_packet *packet, __u64 key)
{
	if (packet->key && packet->state == PATH_SENT) {
		sums->reused += packet->key == key;
		sums->displaced += packet->key != key;
	}
	packet->key = key;
	packet->queued_at_ns = packet->started_at_ns = packet->at_ns = packet->irq_at_ns = 0;
}

static __always_inline void path_queued(struct path_cpu *cpu, struct path_packet *packet, __u64 key, __u64 now_ns)
{
	if (packet->key == key && packet->state == PATH_RECEIVED) {
		cpu->sums.forwarded++;
	}
	path_take(&cpu->sums, packet, key);
	packet->state = PATH_QUEUED;
	packet->queued_at_ns = now_ns;
}

/* Index of a bin: its first value is first << 2 * index. */
static __always_inline __u32 path_bin_of(__u64 value, __u64 first)
{
	__u32 bin = 0;

	for (__u64 limit = first; bin < PATH_BINS - 1 && value >= limit; limit *= 4) {
		bin++;
	}
	return bin;
}

static __always_inline void path_bin_add(struct path_bin *bin, __u64 span_ns)
{
	bin->count++;
	bin->sum_ns += span_ns;
	if (span_ns > bin->max_ns) {
		bin->max_ns = span_ns;
	}
}

#define PATH_GAP_FIRST_NS 16000 /* bins of gaps end at 16 us, 64 us, 256 us ... 65.5 ms */
#define PATH_SIZE_FIRST 64      /* bins of IP packets end at 64, 128, 256 ... 4096 bytes */

static __always_inline void path_answered(struct path_recorder *recorder, struct path_cpu *cpu,
					  const struct path_request *request, __u64 now_ns)
{
	const __u64 span_ns = now_ns - request->at_ns;
	__u32 bin = 0;

	path_record(recorder, PATH_ECHO, span_ns);
	if (request->gap_ns) {
		path_bin_add(&cpu->sums.echo_gap[path_bin_of(request->gap_ns, PATH_GAP_FIRST_NS)], span_ns);
	}
	for (__u32 limit = PATH_SIZE_FIRST; bin < PATH_BINS - 1 && request->bytes >= limit; limit *= 2) {
		bin++;
	}
	path_bin_add(&cpu->sums.echo_size[bin], span_ns);
}

/* exchange: what an answer has in common with its request; 0: not known. */
static __always_inline void path_may_answer(struct path_recorder *recorder, struct path_cpu *cpu, __u64 now_ns,
					    __u32 exchange)
{
	struct path_request *const request = &cpu->request[exchange % PATH_REQUESTS];

	if (request->pass == cpu->pass && request->exchange == exchange && request->at_ns &&
	    (exchange || cpu->unnamed_requests == 1)) {
		path_answered(recorder, cpu, request, now_ns);
		request->at_ns = 0;
	}
	cpu->unnamed_requests = 0;
}

/* What may be answered in the same pass. Of two whose place is the same the earlier one is forgotten. */
static __always_inline void path_requested(struct path_cpu *cpu, __u64 now_ns, __u32 bytes, __u32 exchange)
{
	struct path_request *const request = &cpu->request[exchange % PATH_REQUESTS];

	request->at_ns = now_ns;
	request->gap_ns = cpu->last_rx_at_ns ? now_ns - cpu->last_rx_at_ns : 0;
	request->bytes = bytes;
	request->exchange = exchange;
	request->pass = cpu->pass;
	cpu->unnamed_requests += !exchange;
}

/* The request was for somebody else: who answers is not this kernel's stack, even if it answers in the same pass. */
static __always_inline void path_not_asked(struct path_cpu *cpu, __u32 exchange)
{
	struct path_request *const request = &cpu->request[exchange % PATH_REQUESTS];

	if (request->exchange == exchange) {
		request->at_ns = 0;
	}
}

/* Another interface sends a packet. Who is woken then may be its reader, as that of a TAP interface is. */
static __always_inline void path_sent_elsewhere(struct path_cpu *cpu, struct path_packet *packet, __u64 key)
{
	if (packet->key == key && packet->state == PATH_RECEIVED) {
		path_not_asked(cpu, packet->exchange);
		cpu->sums.forwarded++;
		packet->key = 0;
	}
	cpu->rx_frames = 0;
}

static __always_inline void path_xmit_started(struct path_recorder *recorder, struct path_cpu *cpu,
					      struct path_packet *packet, __u64 key, __u64 now_ns, __u32 bytes,
					      __u32 may_be_answer, __u32 exchange)
{
	if (packet->key != key || packet->state != PATH_QUEUED) {
		if (packet->key == key && packet->state == PATH_RECEIVED) {
			cpu->sums.forwarded++;
		}
		path_take(&cpu->sums, packet, key);
	}
	packet->state = PATH_STARTED;
	packet->started_at_ns = now_ns;
	packet->bytes = bytes;
	cpu->sums.started++;
	if (cpu->softirq_at_ns && cpu->rx_key) {
		cpu->rx_is_done = 1;
		if (may_be_answer) {
			path_may_answer(recorder, cpu, now_ns, exchange);
		}
	}
}

static __always_inline void path_xmit_ended(struct path_recorder *recorder, struct path_cpu *cpu,
					    struct path_packet *packet, __u64 key, __u64 now_ns, __u32 is_refused)
{
	if (packet->key != key || packet->state != PATH_STARTED) {
		return; /* it began before the trace, or was freed meanwhile */
	}
	if (is_refused) {
		cpu->sums.refused++;
		packet->state = PATH_QUEUED;
		return;
	}
	if (packet->queued_at_ns) {
		path_record(recorder, PATH_QDISC, packet->started_at_ns - packet->queued_at_ns);
	}
	path_record(recorder, PATH_XMIT, now_ns - packet->started_at_ns);
	packet->state = PATH_SENT;
	packet->at_ns = now_ns;
	cpu->sums.sent++;
	cpu->sums.sent_bytes += packet->bytes;
}

/* What ends before its xmit has returned was sent all the same. */
static __always_inline void path_sent_early(struct path_sums *sums, const struct path_packet *packet)
{
	sums->sent += packet->state == PATH_STARTED;
	sums->sent_bytes += packet->state == PATH_STARTED ? packet->bytes : 0;
}

static __always_inline void path_completed_by_irq(struct path_recorder *recorder, struct path_cpu *cpu,
						  const struct path_packet *packet, __u64 irq_at_ns, __u64 now_ns)
{
	path_record(recorder, PATH_XMIT_TO_IRQ, irq_at_ns - packet->at_ns);
	path_record(recorder, PATH_IRQ_TO_COMPLETION, now_ns - irq_at_ns);
	if (cpu->poll_at_ns >= irq_at_ns) {
		path_record(recorder, PATH_TX_IRQ_TO_POLL, cpu->poll_at_ns - irq_at_ns);
		path_record(recorder, PATH_POLL_TO_COMPLETION, now_ns - cpu->poll_at_ns);
	}
	cpu->sums.completed_by_irq++;
}

/* says_driver: the driver itself said so, which needs no context. */
static __always_inline void path_completed(struct path_recorder *recorder, struct path_cpu *cpu,
					   struct path_packet *packet, __u64 now_ns, __u32 says_driver)
{
	const __u32 in_poll = cpu->poll_at_ns || says_driver;
	const __u64 irq_at_ns = in_poll ? cpu->irq_at_ns : cpu->other_irq_at_ns;

	packet->key = 0;
	cpu->sums.completed++;
	path_record(recorder, PATH_XMIT_TO_COMPLETION, now_ns - packet->at_ns);
	cpu->poll_completed += in_poll;
	if (in_poll && cpu->is_ambiguous) {
		cpu->sums.completed_ambiguous++;
	} else if ((in_poll || cpu->softirq_at_ns) && irq_at_ns && irq_at_ns >= packet->at_ns) {
		path_completed_by_irq(recorder, cpu, packet, irq_at_ns, now_ns);
	} else if (in_poll) {
		cpu->sums.completed_without_irq++;
	} else {
		cpu->sums.completed_elsewhere++;
	}
}

/* ---- receive ---- */

static __always_inline void path_copied(struct path_recorder *recorder, struct path_cpu *cpu, __u64 now_ns,
					__u64 received_at_ns, __u64 irq_at_ns)
{
	cpu->sums.copied++;
	path_record(recorder, PATH_STACK_TO_COPY, now_ns - received_at_ns);
	if (irq_at_ns) {
		path_record(recorder, PATH_IRQ_TO_COPY, now_ns - irq_at_ns);
	}
}

static __always_inline void path_reader_copied(struct path_recorder *recorder, struct path_reader *reader, __u64 now_ns)
{
	if (reader->ran_at_ns) {
		path_record(recorder, PATH_RUN_TO_COPY, now_ns - reader->ran_at_ns);
	}
	reader->woken_at_ns = reader->ran_at_ns = 0;
}

/* reader: the place of pid, which runs now. */
static __always_inline void path_skb_copied(struct path_recorder *recorder, struct path_cpu *cpu,
					    struct path_packet *packet, struct path_reader *reader, __u64 key,
					    __u32 pid, __u64 now_ns)
{
	const __u32 is_reader = reader->pid == pid && reader->woken_at_ns;

	if (packet->key == key && packet->state == PATH_RECEIVED) {
		path_copied(recorder, cpu, now_ns, packet->at_ns, packet->irq_at_ns);
		packet->key = 0;
	} else if (is_reader && reader->received_at_ns) {
		path_copied(recorder, cpu, now_ns, reader->received_at_ns, reader->irq_at_ns);
	} else {
		return;
	}
	if (is_reader) {
		path_reader_copied(recorder, reader, now_ns);
	}
}

/* The stack has a frame that is not looked at: whoever is woken now may be its reader. */
static __always_inline void path_other_frame(struct path_cpu *cpu)
{
	if (cpu->rx_is_done || !cpu->rx_frames) {
		cpu->rx_key = 0;
		cpu->rx_frames = 0;
	}
	cpu->rx_frames++;
	cpu->rx_is_done = 0;
}

/* Of any interface; is_own: of ours. may_be_request: an echo request, or nobody knows. */
static __always_inline void path_received(struct path_recorder *recorder, struct path_cpu *cpu,
					  struct path_packet *packet, __u64 key, __u64 now_ns, __u32 bytes,
					  __u32 is_own, __u32 may_be_request, __u32 exchange)
{
	if (packet->key == key && packet->state != PATH_RECEIVED) {
		path_sent_early(&cpu->sums, packet);
		cpu->sums.handed_on += packet->state == PATH_SENT || packet->state == PATH_STARTED;
		packet->key = 0;
	}
	if (!is_own) {
		if (cpu->rx_key != key) { /* else a bridge hands it on */
			path_other_frame(cpu);
		}
		return;
	}
	path_take(&cpu->sums, packet, key);
	packet->state = PATH_RECEIVED;
	packet->at_ns = now_ns;
	packet->bytes = bytes;
	packet->exchange = exchange;
	cpu->sums.received++;
	cpu->sums.received_bytes += bytes;
	cpu->poll_received++;
	cpu->rx_key = key;
	cpu->rx_frames = cpu->rx_is_done ? 1 : cpu->rx_frames + 1;
	cpu->rx_is_done = 0;
	if (may_be_request) {
		path_requested(cpu, now_ns, bytes, exchange);
	}
	cpu->last_rx_at_ns = now_ns;
	if (cpu->is_fresh && !cpu->is_ambiguous && cpu->softirq_at_ns) {
		packet->irq_at_ns = cpu->irq_at_ns;
		path_record(recorder, PATH_IRQ_TO_STACK, now_ns - cpu->irq_at_ns);
		if (cpu->poll_at_ns >= cpu->irq_at_ns) {
			path_record(recorder, PATH_RX_IRQ_TO_POLL, cpu->poll_at_ns - cpu->irq_at_ns);
		}
	}
	if (cpu->poll_at_ns) {
		path_record(recorder, PATH_POLL_TO_STACK, now_ns - cpu->poll_at_ns);
	}
}

/* packet: the place of cpu->rx_key; reader: that of pid. */
static __always_inline void path_woken(struct path_recorder *recorder, struct path_cpu *cpu,
				       const struct path_packet *packet, struct path_reader *reader, __u32 pid,
				       __u64 now_ns)
{
	if (packet->key != cpu->rx_key || packet->state != PATH_RECEIVED) {
		return;
	}
	const __u32 is_clear = cpu->rx_frames == 1;

	cpu->rx_is_done = 1;
	if (is_clear) {
		path_record(recorder, PATH_STACK_TO_WAKE, now_ns - packet->at_ns);
	}
	cpu->sums.woken_ambiguous += !is_clear;
	reader->pid = pid;
	reader->received_at_ns = is_clear ? packet->at_ns : 0;
	reader->irq_at_ns = is_clear ? packet->irq_at_ns : 0;
	reader->woken_at_ns = now_ns;
	reader->ran_at_ns = 0;
}

static __always_inline void path_runs(struct path_recorder *recorder, struct path_reader *reader, __u32 pid,
				      __u64 now_ns)
{
	if (reader->pid == pid && reader->woken_at_ns && !reader->ran_at_ns) {
		reader->ran_at_ns = now_ns;
		path_record(recorder, PATH_WAKE_TO_RUN, now_ns - reader->woken_at_ns);
	}
}

/* The end of such a packet is only counted. */
static __always_inline _Bool path_freed_needs_no_time(const struct path_cpu *cpu, const struct path_packet *packet)
{
	return packet->state != PATH_SENT && !(packet->state == PATH_RECEIVED && !cpu->softirq_at_ns);
}

/* An skb is freed for good. The address is known to be the packet's. */
static __always_inline void path_freed(struct path_recorder *recorder, struct path_cpu *cpu, struct path_packet *packet,
				       struct path_reader *reader, __u32 pid, __u64 now_ns)
{
	const __u64 key = packet->key;

	if (packet->state == PATH_SENT) {
		path_completed(recorder, cpu, packet, now_ns, 0);
	} else if (packet->state == PATH_RECEIVED && !cpu->softirq_at_ns) {
		path_skb_copied(recorder, cpu, packet, reader, key, pid, now_ns);
	} else {
		path_sent_early(&cpu->sums, packet);
		cpu->sums.completed_early += packet->state == PATH_STARTED;
		cpu->sums.completed += packet->state == PATH_STARTED;
		cpu->sums.kept_in_kernel += packet->state == PATH_RECEIVED;
		cpu->rx_is_done |= packet->state == PATH_RECEIVED;
		packet->key = 0;
	}
}

#endif
