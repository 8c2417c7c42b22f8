/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tap.h"

static struct path *path;
static struct path_result result;
static int64_t now_ns;

static void begin(void)
{
	path_free(path);
	path = path_new("eth0");
	path_use_irq(path, 27, "eth0");
	now_ns = 1000000;
}

/* An event, so much later than the last one. */
static struct path_event *at(int64_t later_ns, uint32_t cpu, enum path_kind kind)
{
	static struct path_event event;

	now_ns += later_ns;
	event = (struct path_event){ .at_ns = now_ns, .cpu = cpu, .kind = kind, .flags = PATH_MAY_BE };
	return &event;
}

static void skb_event(int64_t later_ns, uint32_t cpu, enum path_kind kind, uint64_t skb, const char *device)
{
	struct path_event *const event = at(later_ns, cpu, kind);

	event->skb = skb;
	event->bytes = 100;
	snprintf(event->device, sizeof(event->device), "%s", device);
	path_take_event(path, event);
}

static void value_event(int64_t later_ns, uint32_t cpu, enum path_kind kind, int32_t value)
{
	struct path_event *const event = at(later_ns, cpu, kind);

	event->value = value;
	event->budget = 64;
	snprintf(event->device, sizeof(event->device), "%s", kind == PATH_EVENT_POLL ? "eth0" : "");
	path_take_event(path, event);
}

static void finish(void)
{
	path_result(path, &result);
}

static int64_t only(enum path_stage stage)
{
	return result.stage[stage].count == 1 ? result.stage[stage].max_ns : -1;
}

static void send_packet(uint32_t cpu, uint64_t skb)
{
	skb_event(100, cpu, PATH_EVENT_QUEUE, skb, "eth0");
	skb_event(10, cpu, PATH_EVENT_XMIT, skb, "eth0");
	skb_event(20, cpu, PATH_EVENT_XMIT_DONE, skb, "eth0");
}

static void interrupt(int64_t later_ns, uint32_t cpu, int32_t irq)
{
	value_event(later_ns, cpu, PATH_EVENT_IRQ, irq);
	value_event(3, cpu, PATH_EVENT_RAISE, 3);
	value_event(2, cpu, PATH_EVENT_IRQ_DONE, irq);
}

static void test_both_ways(void)
{
	begin();
	send_packet(1, 0x100);
	interrupt(1000, 0, 27);
	value_event(4, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(6, 0, PATH_EVENT_FREE, 0x100, "");
	skb_event(7, 0, PATH_EVENT_RECEIVE, 0x200, "eth0");
	value_event(8, 0, PATH_EVENT_WAKE, 55);
	value_event(9, 0, PATH_EVENT_POLL, 1);
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	value_event(11, 1, PATH_EVENT_RUN, 55);
	struct path_event *const copy = at(12, 1, PATH_EVENT_COPY);

	copy->skb = 0x200;
	copy->pid = 55;
	path_take_event(path, copy);
	finish();
	tap_is(only(PATH_QDISC), 10, "queued to xmit");
	tap_is(only(PATH_XMIT), 20, "xmit");
	tap_is(only(PATH_XMIT_TO_IRQ), 1000, "xmit returned to irq");
	tap_is(only(PATH_TX_IRQ_TO_POLL), 9, "irq to poll, transmit");
	tap_is(only(PATH_POLL_TO_COMPLETION), 6, "poll to completion");
	tap_is(only(PATH_IRQ_TO_COMPLETION), 15, "irq to completion");
	tap_is(only(PATH_XMIT_TO_COMPLETION), 1015, "xmit returned to completion is the sum");
	tap_is(only(PATH_IRQ_TO_RAISE), 3, "irq to raise");
	tap_is(only(PATH_RAISE_TO_SOFTIRQ), 6, "raise to softirq");
	tap_is(only(PATH_RX_IRQ_TO_POLL), 9, "irq to poll, receive");
	tap_is(only(PATH_POLL_TO_STACK), 13, "poll to stack");
	tap_is(only(PATH_STACK_TO_WAKE), 8, "stack to wake");
	tap_is(only(PATH_WAKE_TO_RUN), 21, "wake to run");
	tap_is(only(PATH_RUN_TO_COPY), 12, "run to copy");
	tap_is(only(PATH_STACK_TO_COPY), 41, "stack to copy");
	tap_is(only(PATH_IRQ_TO_COPY), 63, "irq to copy");
	tap_is((int64_t)result.sums.completed_with_rx, 1, "the poll that completed received too");
	tap_is((int64_t)result.sums.hardirq_ns, 5, "time in the handler");
	tap_is((int64_t)result.sums.batch[1], 1, "a poll of one frame");
}

static void test_reuse_and_loss(void)
{
	begin();
	send_packet(0, 0x100);
	send_packet(0, 0x100);
	finish();
	tap_is((int64_t)result.sums.reused, 1, "an address that is sent again: the first one's end was lost");
	tap_is(only(PATH_XMIT_TO_COMPLETION), -1, "and has no time");
	interrupt(100, 0, 27);
	path_take_event(path, at(1, 0, PATH_EVENT_LOST));
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	finish();
	tap_is((int64_t)result.sums.completed, 0, "after lost events an address may be another packet's");
	tap_is((int64_t)result.sums.displaced, 1, "what was on its way counts as unmatched");
	send_packet(0, 0x100);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	finish();
	tap_is((int64_t)result.sums.completed, 1, "nothing completes twice");
	tap_is((int64_t)result.sums.completed_by_irq, 0, "nor has an interrupt from before they were lost");
}

static void test_handed_on(void)
{
	begin();
	send_packet(0, 0x100);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(5, 0, PATH_EVENT_RECEIVE, 0x100, "eth1");
	skb_event(5, 0, PATH_EVENT_FREE, 0x100, "");
	finish();
	tap_is((int64_t)result.sums.handed_on, 1, "what another interface receives was handed on");
	tap_is((int64_t)result.sums.completed, 0, "and is not completed when it is freed");
	tap_is((int64_t)result.sums.received, 0, "another interface's frames are not ours");
}

static void test_gso_and_clones(void)
{
	begin();
	skb_event(1, 0, PATH_EVENT_QUEUE, 0x100, "eth0");
	for (uint64_t segment = 1; segment <= 3; segment++) {
		skb_event(1, 0, PATH_EVENT_XMIT, 0x100 + segment * 0x40, "eth0");
		skb_event(1, 0, PATH_EVENT_XMIT_DONE, 0x100 + segment * 0x40, "eth0");
	}
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	finish();
	tap_is((int64_t)result.sums.sent, 3, "segments of GSO are packets of their own");
	tap_is((int64_t)result.stage[PATH_QDISC].count, 0, "that were in no queue");
	tap_is((int64_t)result.sums.completed, 0, "the whole that they were cut from is no completion");
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_RECEIVE, 0x900, "eth0");
	value_event(2, 0, PATH_EVENT_WAKE, 55);
	value_event(3, 1, PATH_EVENT_RUN, 55);
	struct path_event *const copy = at(4, 1, PATH_EVENT_COPY);

	copy->skb = 0xa00;
	copy->pid = 55;
	path_take_event(path, copy);
	finish();
	tap_is(only(PATH_STACK_TO_COPY), 9, "a clone is the frame that its reader was woken for");
	tap_is((int64_t)result.in_flight, 3, "three segments are on their way");
}

static void test_vectors(void)
{
	begin();
	path_use_irq(path, 28, "eth0-1");
	send_packet(0, 0x100);
	interrupt(100, 0, 30);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	finish();
	tap_is((int64_t)result.sums.interrupts, 0, "another NIC's interrupt is not ours");
	tap_is((int64_t)result.sums.completed_without_irq, 1, "what its softirq completes has none");
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	send_packet(0, 0x100);
	interrupt(100, 0, 27);
	interrupt(5, 0, 28);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	value_event(1, 0, PATH_EVENT_POLL, 0);
	finish();
	tap_is((int64_t)result.sums.completed_ambiguous, 1, "of two vectors on one CPU it is not known whose it was");
	tap_is((int64_t)result.stage[PATH_XMIT_TO_IRQ].count, 0, "and no stage is made up");
	send_packet(0, 0x100);
	interrupt(100, 0, 28);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	value_event(1, 0, PATH_EVENT_POLL, 0);
	value_event(1, 0, PATH_EVENT_POLL, 64);
	finish();
	tap_is(only(PATH_XMIT_TO_IRQ), 100, "after the poll it is known again");
	tap_is((int64_t)result.sums.polls_without_irq, 1, "the second poll had no interrupt");
	tap_is((int64_t)result.sums.exhausted, 1, "and used up its budget");
}

/* A driver unmasks at the end of its poll, and an interrupt comes before the poll has returned. */
static void test_next_poll(void)
{
	begin();
	send_packet(0, 0x100);
	interrupt(100, 0, 27);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	interrupt(10, 0, 27);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	value_event(1, 0, PATH_EVENT_POLL, 0);
	finish();
	tap_is(only(PATH_XMIT_TO_IRQ), 100,
	       "an interrupt during a poll is not what this poll's completions waited for");
	skb_event(1, 0, PATH_EVENT_RECEIVE, 0x200, "eth0");
	value_event(1, 0, PATH_EVENT_POLL, 1);
	value_event(1, 0, PATH_EVENT_POLL, 0);
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	finish();
	tap_is(only(PATH_IRQ_TO_STACK), 8, "but what the next poll's frames did");
	tap_is((int64_t)result.sums.polls_without_irq, 1, "of three polls one was without an irq");
	interrupt(1, 0, 27);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	interrupt(1, 0, 27);
	value_event(1, 0, PATH_EVENT_POLL, 0);
	interrupt(1, 0, 27);
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	value_event(1, 0, PATH_EVENT_POLL, 0);
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	finish();
	tap_is((int64_t)result.sums.polls_without_irq, 1, "also over the end of the softirq");
}

/* As the 82574 with MSI-X: the handler of the transmit vector lets go of packets itself, and the kernel frees them in NET_TX. */
static void test_by_handler(void)
{
	begin();
	path_use_irq(path, 28, "eth0-tx-0");
	interrupt(1, 0, 27);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	value_event(1, 0, PATH_EVENT_POLL, 0);
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	send_packet(0, 0x100);
	value_event(500, 0, PATH_EVENT_IRQ, 28);
	value_event(2, 0, PATH_EVENT_IRQ_DONE, 28);
	interrupt(10, 0, 27);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 2);
	skb_event(1, 0, PATH_EVENT_FREE, 0x100, "");
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 2);
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_RECEIVE, 0x200, "eth0");
	finish();
	tap_is(only(PATH_XMIT_TO_IRQ), 500, "the interrupt of a packet that its handler let go of");
	tap_is(only(PATH_IRQ_TO_COMPLETION), 19, "and the time until the kernel freed it");
	tap_is((int64_t)result.stage[PATH_TX_IRQ_TO_POLL].count, 0, "without a poll");
	tap_is(only(PATH_IRQ_TO_STACK), 10, "the other vector's interrupt is the frame's, and nothing is ambiguous");
}

static void learn_one(uint32_t cpu, enum path_kind kind, int32_t value, const char *device)
{
	struct path_event *const event = at(1, cpu, kind);

	event->value = value;
	snprintf(event->device, sizeof(event->device), "%s", device);
	path_learn(path, event);
}

static void test_learning(void)
{
	path_free(path);
	path = path_new("eth1");
	learn_one(0, PATH_EVENT_IRQ, 40, "30be0000.ethernet");
	learn_one(0, PATH_EVENT_RAISE, 3, "");
	learn_one(0, PATH_EVENT_IRQ_DONE, 40, "");
	learn_one(0, PATH_EVENT_POLL, 1, "eth1");
	learn_one(0, PATH_EVENT_IRQ, 41, "eth10-rx-0");
	learn_one(0, PATH_EVENT_RAISE, 3, "");
	learn_one(0, PATH_EVENT_IRQ_DONE, 41, "");
	learn_one(0, PATH_EVENT_IRQ, 42, "ehci");
	learn_one(0, PATH_EVENT_RAISE, 3, "");
	learn_one(0, PATH_EVENT_IRQ_DONE, 42, "");
	learn_one(0, PATH_EVENT_POLL, 1, "eth1");
	learn_one(0, PATH_EVENT_IRQ, 43, "eth1-tx-0");
	finish();
	tap_is(result.irq_count, 2, "two interrupts are eth1's");
	tap_is(result.irq[0].irq, 40, "by the poll that its handler led to");
	tap_is(result.irq[1].irq, 43, "by its name, whole; not where two raised the softirq");
}

static void test_echo(void)
{
	begin();
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	skb_event(1, 0, PATH_EVENT_RECEIVE, 0x100, "eth0");
	skb_event(5, 0, PATH_EVENT_XMIT, 0x200, "eth0");
	skb_event(5, 0, PATH_EVENT_XMIT_DONE, 0x200, "eth0");
	skb_event(5, 0, PATH_EVENT_XMIT, 0x300, "eth0");
	skb_event(50000, 0, PATH_EVENT_RECEIVE, 0x400, "eth0");
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	skb_event(5, 0, PATH_EVENT_XMIT, 0x500, "eth0");
	finish();
	tap_is(only(PATH_ECHO), 5, "an answer in the same pass, once");
	tap_is((int64_t)result.sums.echo_size[1].count, 1, "of a packet of 100 bytes");
}

static void receive_from(uint64_t skb, const char *device, uint32_t exchange)
{
	struct path_event *const event = at(1, 0, PATH_EVENT_RECEIVE);

	event->skb = skb;
	event->bytes = 84;
	event->exchange = exchange;
	snprintf(event->device, sizeof(event->device), "%s", device);
	path_take_event(path, event);
}

static void answer(uint64_t skb, uint32_t exchange)
{
	struct path_event *const event = at(10, 0, PATH_EVENT_XMIT);

	event->skb = skb;
	event->exchange = exchange;
	snprintf(event->device, sizeof(event->device), "eth0");
	path_take_event(path, event);
}

/* Drivers hand over lists: all frames enter the stack, and then it looks at the first of them. */
static void test_lists(void)
{
	begin();
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	receive_from(0x100, "eth0", 0x10001);
	receive_from(0x140, "eth0", 0x10002);
	value_event(5, 0, PATH_EVENT_WAKE, 55);
	answer(0x1000, 0x10001);
	answer(0x1040, 0x10002);
	finish();
	tap_is((int64_t)result.stage[PATH_ECHO].count, 2, "two requests that came together have an answer each");
	tap_is(result.stage[PATH_ECHO].min_ns, 16, "the first one's after 16 ns");
	tap_is(result.stage[PATH_ECHO].max_ns, 25, "the second one's after 25 ns");
	tap_is((int64_t)result.stage[PATH_STACK_TO_WAKE].count, 0, "of two frames it is not known who woke a reader");
	tap_is((int64_t)result.sums.woken_ambiguous, 1, "which is counted");
	value_event(7, 1, PATH_EVENT_RUN, 55);
	struct path_event *const copy = at(4, 1, PATH_EVENT_COPY);

	copy->skb = 0xa00;
	copy->pid = 55;
	path_take_event(path, copy);
	finish();
	tap_is(only(PATH_WAKE_TO_RUN), 27, "how long it took to run is known all the same");
	tap_is((int64_t)result.sums.copied, 0, "but not which frame it reads");
	answer(0x1080, 0x10003);
	receive_from(0x180, "eth0", 0x10003);
	value_event(1, 0, PATH_EVENT_POLL, 3);
	answer(0x1080, 0x10003);
	receive_from(0x180, "eth0", 0);
	receive_from(0x1c0, "eth0", 0);
	answer(0x10c0, 0);
	finish();
	tap_is((int64_t)result.stage[PATH_ECHO].count, 2, "nothing is an answer in another pass, or to one of two");
	receive_from(0x180, "eth0", 0);
	value_event(5, 0, PATH_EVENT_WAKE, 55);
	receive_from(0x200, "eth0", 0);
	answer(0x1100, 0);
	finish();
	tap_is(only(PATH_STACK_TO_WAKE), 5, "a single frame's reader is known");
	tap_is((int64_t)result.stage[PATH_ECHO].count, 2, "two frames that may have been asked about have no answer");
}

static void test_forwarded(void)
{
	begin();
	value_event(1, 0, PATH_EVENT_SOFTIRQ, 3);
	receive_from(0x100, "eth0", 0x10001);
	skb_event(1, 0, PATH_EVENT_XMIT, 0x100, "tap0");
	value_event(1, 0, PATH_EVENT_WAKE, 55);
	receive_from(0x140, "eth1", 0x10001);
	answer(0x1000, 0x10001);
	value_event(1, 0, PATH_EVENT_SOFTIRQ_DONE, 3);
	value_event(1, 1, PATH_EVENT_RUN, 55);
	struct path_event *const end = at(1, 1, PATH_EVENT_FREE);

	end->skb = 0x100;
	end->pid = 55;
	path_take_event(path, end);
	finish();
	tap_is((int64_t)result.sums.forwarded, 1, "what another interface sends was forwarded");
	tap_is((int64_t)result.sums.copied, 0, "and is not copied when that one's reader frees it");
	tap_is((int64_t)result.stage[PATH_ECHO].count, 0,
	       "an answer that comes back from elsewhere is not this kernel's");
	tap_is((int64_t)result.stage[PATH_STACK_TO_WAKE].count, 0, "nor is who is woken the frame's reader");
}

/* A line that is shared calls every device's handler. */
static void test_shared_line(void)
{
	begin();
	interrupt(100, 0, 27);
	value_event(50, 0, PATH_EVENT_IRQ, 27);
	struct path_event *const left = at(2, 0, PATH_EVENT_IRQ_DONE);

	left->value = 27;
	left->flags = PATH_NOT_HANDLED;
	path_take_event(path, left);
	interrupt(100, 0, 27);
	finish();
	tap_is((int64_t)result.sums.interrupts, 2, "an interrupt that the handler does not know is none");
	tap_is(only(PATH_IRQ_GAP), 157, "and ends no gap between two");
}

/* Whatever comes: sent packets are accounted for, and no span is out of range. */
static void test_invariants(void)
{
	static const char *const devices[] = { "eth0", "eth1" };
	struct random random;
	unsigned wrong = 0, outside = 0;

	random_init(&random, 1, 0);
	begin();
	path_use_irq(path, 28, "eth0-1");
	for (unsigned i = 0; i < 200000; i++) {
		struct path_event *const event = at((int64_t)random_below(&random, 50),
						    (uint32_t)random_below(&random, 3),
						    (enum path_kind)random_below(&random, PATH_EVENTS));

		/* Rarely, since it ends all that is on its way. */
		if (event->kind == PATH_EVENT_LOST && random_below(&random, 1000)) {
			event->kind = PATH_EVENT_FREE;
		}
		event->skb = 0x40 * (1 + random_below(&random, 40));
		event->value = event->kind == PATH_EVENT_IRQ || event->kind == PATH_EVENT_IRQ_DONE
				       ? 27 + (int32_t)(random_below(&random, 10) / 8 * (1 + random_below(&random, 2)))
				       : (int32_t)random_below(&random, 4);
		event->pid = (uint32_t)random_below(&random, 4);
		event->budget = 2;
		event->exchange = (uint32_t)random_below(&random, 3);
		event->flags = random_below(&random, 8) ? PATH_MAY_BE : PATH_NOT_HANDLED;
		snprintf(event->device, sizeof(event->device), "%s", devices[random_below(&random, 2)]);
		path_take_event(path, event);
		if (i % 1000 == 0) {
			finish();
			const struct path_sums *const sums = &result.sums;

			wrong += sums->sent !=
				 sums->completed + sums->handed_on + sums->reused + sums->displaced + result.in_flight;
			wrong += sums->completed != sums->completed_by_irq + sums->completed_without_irq +
							    sums->completed_ambiguous + sums->completed_elsewhere +
							    sums->completed_early;
		}
	}
	for (enum path_stage stage = 0; stage < PATH_STAGES; stage++) {
		outside += result.stage[stage].out_of_range != 0;
	}
	tap_is(wrong, 0, "sent is completed, handed on, unmatched or on its way, whatever comes");
	tap_is(outside, 0, "no span is negative");
	tap_note("%d by irq, %d handed on, %d reused", (int)result.sums.completed_by_irq, (int)result.sums.handed_on,
		 (int)result.sums.reused);
	tap_ok(result.sums.completed_by_irq > 2 && result.sums.handed_on > 100 && result.sums.reused > 10,
	       "and some of each came");
}

int main(void)
{
	test_both_ways();
	test_reuse_and_loss();
	test_handed_on();
	test_gso_and_clones();
	test_vectors();
	test_next_poll();
	test_by_handler();
	test_learning();
	test_echo();
	test_lists();
	test_forwarded();
	test_shared_line();
	test_invariants();
	path_free(path);
	return tap_done();
}
