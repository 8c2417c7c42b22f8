/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time in interrupt handlers and softirqs on each CPU, and what the NAPI polls of one interface did. Everything is a
 * sum in a per-CPU slot: nothing is sent to user space, and a slot is only ever touched by its CPU.
 *
 * A handler may run inside a softirq, never the other way round: the handler's time is taken off the softirq's.
 * Handlers run one after the other on a CPU (interrupts are off meanwhile), and so do softirqs.
 */
#include "trace/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "trace/sums_slot.h"

char licence_text[] SEC("license") = "GPL";

/* Which interface's polls are counted. */
const volatile int ifindex;
const volatile unsigned network_namespace; /* its inode number */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned);
	__type(value, struct sums_slot);
} slots SEC(".maps");

static struct sums_slot *my_slot(void)
{
	const unsigned first = 0;

	return bpf_map_lookup_elem(&slots, &first);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(handler_entered)
{
	struct sums_slot *const slot = my_slot();

	if (slot) {
		slot->handler_entered_at_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(handler_left)
{
	struct sums_slot *const slot = my_slot();

	/* Attached in the middle of a handler, there was no entry. */
	if (slot && slot->handler_entered_at_ns) {
		slot->hardirq_ns += bpf_ktime_get_ns() - slot->handler_entered_at_ns;
		slot->handler_entered_at_ns = 0;
		slot->handlers++;
	}
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entered)
{
	struct sums_slot *const slot = my_slot();

	if (slot) {
		slot->softirq_entered_at_ns = bpf_ktime_get_ns();
		slot->hardirq_before_ns = slot->hardirq_ns;
	}
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_left, unsigned vector)
{
	struct sums_slot *const slot = my_slot();

	if (!slot || !slot->softirq_entered_at_ns) {
		return 0;
	}
	const __u64 whole_ns = bpf_ktime_get_ns() - slot->softirq_entered_at_ns;
	const __u64 inside_ns = slot->hardirq_ns - slot->hardirq_before_ns;

	slot->softirq_entered_at_ns = 0;
	slot->softirq_ns += whole_ns - inside_ns;
	if (vector == SOFTIRQ_NET_RX || vector == SOFTIRQ_NET_TX) {
		slot->softirq_net_ns += whole_ns - inside_ns;
	}
	slot->softirqs++;
	return 0;
}

/* The verifier wants to see the bound on the very register that is used: the compiler must not know it already. */
static __u64 batch_of(int work)
{
	__u64 batch = work > 0 ? (__u64)work : 0;

	barrier_var(batch);
	return batch < SUMS_BATCHES ? batch : SUMS_BATCHES - 1;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(polled, struct napi_struct *napi, int work, int budget)
{
	struct sums_slot *const slot = my_slot();
	struct net_device *const device = napi->dev;

	if (!slot || !device || device->ifindex != ifindex || device->nd_net.net->ns.inum != network_namespace) {
		return 0;
	}
	slot->polls++;
	slot->poll_work += work > 0 ? (__u64)work : 0;
	slot->polls_exhausted += work >= budget;
	slot->batch[batch_of(work)]++;
	return 0;
}
