/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The matcher in the kernel: programs on tracepoints that hand each event to the rules of path_rules.h. What they keep is
 * in per-CPU histograms and sums, and in two tables of packets and of readers that all CPUs share without locks: a
 * place is only ever written by who has the skb, or by who takes it for another one.
 *
 * They run for each packet of the machine, so what they cost matters. A clock is read once a run and only where the event
 * is of use; no table is searched (the kernel turns look-ups in arrays into a few instructions); a packet's bytes are read
 * for filters and to find out what answers what, of this interface alone.
 */
#include "trace/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "trace/probes_state.h"

char licence_text[] SEC("license") = "GPL";

enum { ETHERTYPE_IP = 0x0800, ETHERTYPE_IPV6 = 0x86dd, ICMP = 1, ICMPV6 = 58 };
enum { ECHO_REPLY = 0, ECHO_REQUEST = 8, ECHO6_REQUEST = 128, ECHO6_REPLY = 129 };

/* As in trace/path.h, whose types are user space's. */
enum {
	EVENT_QUEUE,
	EVENT_XMIT,
	EVENT_XMIT_DONE,
	EVENT_COMPLETION,
	EVENT_FREE,
	EVENT_RECEIVE,
	EVENT_COPY,
	EVENT_IRQ,
	EVENT_IRQ_DONE,
	EVENT_RAISE,
	EVENT_SOFTIRQ,
	EVENT_SOFTIRQ_DONE,
	EVENT_POLL,
	EVENT_WAKE,
	EVENT_RUN,
	EVENT_LOST
};

const volatile int ifindex;
const volatile unsigned network_namespace; /* its inode number */
const volatile struct probes_filter filter;
const volatile _Bool has_filter;
const volatile _Bool has_events;
const volatile _Bool wants_answers;
const volatile __u8 vector_of[PROBES_IRQS_MAX]; /* 0: not the interface's */
const volatile char shared_action[16]; /* what the interface's handler is called where its line is shared; else "" */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct path_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PATH_STAGES);
	__type(key, __u32);
	__type(value, struct probes_spans);
} stages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PATH_PACKETS);
	__type(key, __u32);
	__type(value, struct path_packet);
} packets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PATH_READERS);
	__type(key, __u32);
	__type(value, struct path_reader);
} readers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* more with --events */
} events SEC(".maps");

__u64 dropped; /* events that found the ring full */

/* One packet in so many is followed; user space says when that has to change. */
volatile __u32 every = 1;

/* Of those the ones of each CPU that the ring does not tell of yet. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} untold SEC(".maps");

struct path_recorder {
	char unused;
};

/* What the rest is compared with: a run of it takes the time that the kernel needs to take the time. */
SEC("raw_tp/net_dev_xmit")
int nothing(const void *context)
{
	return 0;
}


void path_record(struct path_recorder *recorder, __u32 stage, __u64 span_ns);

__always_inline void path_record(struct path_recorder *recorder, __u32 stage, __u64 span_ns)
{
	struct probes_spans *const spans = bpf_map_lookup_elem(&stages, &stage);

	if (!spans || span_ns >> 48) {
		return;
	}
	__u32 bucket = histogram_bucket_of(span_ns);

	barrier_var(bucket);
	if (bucket >= HISTOGRAM_BUCKETS) {
		return;
	}
	spans->bucket[bucket]++;
	spans->sum_ns += span_ns;
	if (~span_ns > spans->min_ns) {
		spans->min_ns = ~span_ns;
	}
	if (span_ns > spans->max_ns) {
		spans->max_ns = span_ns;
	}
}

#include "trace/path_sampling.h"

static __always_inline struct path_cpu *my_cpu(void)
{
	const __u32 first = 0;

	return bpf_map_lookup_elem(&cpus, &first);
}

static __always_inline struct path_packet *packet_of(__u64 key)
{
	const __u32 place = path_packet_place(key);

	return bpf_map_lookup_elem(&packets, &place);
}

static __always_inline struct path_reader *reader_of(__u32 pid)
{
	const __u32 place = path_reader_place(pid);

	return bpf_map_lookup_elem(&readers, &place);
}

/*
 * The address of an skb as a number. The verifier knows the argument of a typed tracepoint as a pointer and allows no
 * arithmetic with it, but forgets that once it has been through memory (which CAP_PERFMON may). Where nothing but the
 * address is wanted, the tracepoint is an untyped one (raw_tp).
 */
static __always_inline __u64 key_of(struct path_cpu *cpu, const struct sk_buff *skb)
{
	*(const struct sk_buff *volatile *)&cpu->scratch = skb;
	return *(volatile __u64 *)&cpu->scratch;
}

static __always_inline _Bool is_own(const struct net_device *device)
{
	return device && device->ifindex == ifindex && device->nd_net.net->ns.inum == network_namespace;
}

/* What a look at a packet finds. */
struct look {
	__u32 passes; /* the filter */
	__u32 may_be; /* a request, or an answer */
	__u32 exchange;
};

static const struct look not_looked_at;

/* NULL where the ring is full. */
static __always_inline struct probes_event *reserve(__u64 *lost, __u64 now_ns, __u32 kind)
{
	struct probes_event *const event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&dropped, 1);
		*lost += 1;
		return 0;
	}
	*event = (struct probes_event){ .at_ns = now_ns, .kind = kind };
	event->cpu = bpf_get_smp_processor_id();
	event->pid = (__u32)bpf_get_current_pid_tgid();
	return event;
}

static __always_inline void tell(__u64 now_ns, __u32 kind, __u64 skb, __s32 value, __s32 budget, __u32 bytes, _Bool own,
				 struct look look)
{
	const __u32 first = 0;
	__u64 *const lost = has_events ? bpf_map_lookup_elem(&untold, &first) : 0;

	if (!lost) {
		return;
	}
	if (*lost) {
		struct probes_event *const gap = reserve(lost, now_ns, EVENT_LOST);

		if (!gap) {
			return;
		}
		gap->value = (__s32)*lost;
		*lost = 0;
		bpf_ringbuf_submit(gap, 0);
	}
	struct probes_event *const event = reserve(lost, now_ns, kind);

	if (event) {
		event->skb = skb;
		event->bytes = bytes;
		event->value = value;
		event->budget = budget;
		event->is_own = own;
		event->may_be = look.may_be;
		event->exchange = look.exchange;
		bpf_ringbuf_submit(event, 0);
	}
}

/* ---- which packet it is ---- */

/* The beginning of an IPv4 packet without options, and of an IPv6 packet. */
struct packet_head {
	__u8 bytes[48];
};

static __always_inline _Bool read_head(struct packet_head *head, const void *at, __be16 protocol)
{
	return (protocol == bpf_htons(ETHERTYPE_IP) || protocol == bpf_htons(ETHERTYPE_IPV6)) &&
	       bpf_probe_read_kernel(head, protocol == bpf_htons(ETHERTYPE_IP) ? 28 : 48, at) == 0;
}

static __always_inline _Bool is_echo(const struct packet_head *head, __be16 protocol, _Bool is_request)
{
	if (protocol == bpf_htons(ETHERTYPE_IP)) {
		return head->bytes[9] == ICMP && head->bytes[20] == (is_request ? ECHO_REQUEST : ECHO_REPLY);
	}
	return head->bytes[6] == ICMPV6 && head->bytes[40] == (is_request ? ECHO6_REQUEST : ECHO6_REPLY);
}

static __always_inline __u16 word_of(const __u8 *bytes)
{
	return *(const __u16 *)bytes;
}

static __always_inline _Bool passes(const struct packet_head *head, __be16 protocol)
{
	const _Bool is_ipv4 = protocol == bpf_htons(ETHERTYPE_IP);
	const __u8 inner = is_ipv4 ? head->bytes[9] : head->bytes[6];
	const __u8 *const ports = is_ipv4 ? &head->bytes[20] : &head->bytes[40];

	if (filter.protocol && inner != filter.protocol && !(filter.protocol == ICMP && inner == ICMPV6 && !is_ipv4)) {
		return 0;
	}
	if (filter.port && word_of(ports) != filter.port && word_of(ports + 2) != filter.port) {
		return 0;
	}
	return !filter.address || (is_ipv4 && (*(const __u32 *)&head->bytes[12] == filter.address ||
					       *(const __u32 *)&head->bytes[16] == filter.address));
}

/* Identifier and sequence of an echo, but not 0. */
static __always_inline __u32 exchange_of(const struct packet_head *head, __be16 protocol)
{
	const __u8 *const at = &head->bytes[protocol == bpf_htons(ETHERTYPE_IP) ? 24 : 44];
	const __u32 exchange = (__u32)bpf_ntohs(word_of(at)) << 16 | bpf_ntohs(word_of(at + 2));

	return exchange ? exchange : 1;
}

/* A packet that is sent has its network header set, one that is received begins with it. */
static __always_inline struct look look_at(const struct sk_buff *skb, _Bool is_received)
{
	const __be16 protocol = skb->protocol;
	const void *const at = is_received ? skb->data : skb->head + skb->network_header;
	struct packet_head head = { 0 };
	struct look look = { .passes = !has_filter };

	if (!read_head(&head, at, protocol)) {
		return look;
	}
	look.passes = !has_filter || passes(&head, protocol);
	look.may_be = is_echo(&head, protocol, is_received);
	look.exchange = look.may_be ? exchange_of(&head, protocol) : 0;
	return look;
}

/* ---- which are followed ---- */

static __always_inline _Bool is_passed_over(__u32 *countdown)
{
	const __u32 now_every = every;

	if (now_every <= 1) {
		return 0;
	}
	if (path_is_passed_over(countdown, now_every)) {
		return 1;
	}
	path_draw_next(countdown, now_every, bpf_get_prandom_u32());
	return 0;
}

static __always_inline _Bool is_known(const struct path_packet *packet, __u64 key, __u32 state)
{
	return packet->key == key && packet->state == state;
}

/* ---- transmit ---- */

SEC("tp_btf/net_dev_queue")
int BPF_PROG(queued, struct sk_buff *skb)
{
	if (!is_own(skb->dev) || (has_filter && !look_at(skb, 0).passes)) {
		return 0;
	}
	struct path_cpu *const cpu = my_cpu();

	if (!cpu) {
		return 0;
	}
	const __u64 key = key_of(cpu, skb);
	struct path_packet *const packet = packet_of(key);

	if (!packet) {
		return 0;
	}
	if (!is_known(packet, key, PATH_RECEIVED) && is_passed_over(&cpu->tx_countdown)) {
		path_queued_unfollowed(cpu, packet, key);
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();

	path_queued(cpu, packet, key, now_ns);
	tell(now_ns, EVENT_QUEUE, key, 0, 0, skb->len, 1, not_looked_at);
	return 0;
}

/* A received packet, or a copy of it, may leave by another interface. */
static __always_inline int started_elsewhere(struct path_cpu *cpu, struct path_packet *packet, __u64 key)
{
	if (packet->key == key || cpu->rx_key) {
		path_sent_elsewhere(cpu, packet, key);
		tell(bpf_ktime_get_ns(), EVENT_XMIT, key, 0, 0, 0, 0, not_looked_at);
	}
	return 0;
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(xmit_started, struct sk_buff *skb, struct net_device *device)
{
	struct path_cpu *const cpu = my_cpu();
	struct path_recorder *const recorder = 0;
	struct look look = { .passes = 1 };

	if (!cpu) {
		return 0;
	}
	const __u64 key = key_of(cpu, skb);
	struct path_packet *const packet = packet_of(key);

	if (!packet) {
		return 0;
	}
	if (!is_own(device)) {
		return started_elsewhere(cpu, packet, key);
	}
	if (has_filter || (wants_answers && cpu->rx_key)) {
		look = look_at(skb, 0);
	}
	if (!look.passes) {
		return 0;
	}
	if (is_known(packet, key, PATH_UNFOLLOWED) ||
	    (!is_known(packet, key, PATH_QUEUED) && !is_known(packet, key, PATH_RECEIVED) &&
	     is_passed_over(&cpu->tx_countdown))) {
		if (look.may_be && cpu->softirq_at_ns && cpu->rx_key) {
			path_may_answer(recorder, cpu, bpf_ktime_get_ns(), look.exchange);
		}
		path_xmit_unfollowed(cpu, packet, key);
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();

	path_xmit_started(recorder, cpu, packet, key, now_ns, skb->len, look.may_be, look.exchange);
	tell(now_ns, EVENT_XMIT, key, 0, 0, skb->len, 1, look);
	return 0;
}

/* The skb may be gone by now: only its address is used, which is the interface's if it is known. */
SEC("raw_tp/net_dev_xmit")
int xmit_ended(struct bpf_raw_tracepoint_args *context)
{
	const __u64 key = context->args[0];
	const int answer = (int)context->args[1];
	struct path_packet *const packet = packet_of(key);
	struct path_cpu *const cpu = my_cpu();
	struct path_recorder *const recorder = 0;

	if (!packet || packet->key != key || !cpu) {
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();

	path_xmit_ended(recorder, cpu, packet, key, now_ns, answer != 0);
	tell(now_ns, EVENT_XMIT_DONE, key, answer, 0, 0, 1, not_looked_at);
	return 0;
}

static __always_inline int freed(__u64 key)
{
	struct path_packet *const packet = packet_of(key);

	if (!packet || packet->key != key) {
		return 0;
	}
	struct path_cpu *const cpu = my_cpu();
	const _Bool needs_no_time = cpu && !has_events && path_freed_needs_no_time(cpu, packet);
	const __u32 pid = needs_no_time ? 0 : (__u32)bpf_get_current_pid_tgid();
	struct path_reader *const reader = reader_of(pid);
	struct path_recorder *const recorder = 0;

	if (cpu && reader) {
		const __u64 now_ns = needs_no_time ? 0 : bpf_ktime_get_ns();

		path_freed(recorder, cpu, packet, reader, pid, now_ns);
		tell(now_ns, EVENT_FREE, key, 0, 0, 0, 0, not_looked_at);
	}
	return 0;
}

SEC("raw_tp/consume_skb")
int consumed(struct bpf_raw_tracepoint_args *context)
{
	return freed(context->args[0]);
}

SEC("raw_tp/kfree_skb")
int discarded(struct bpf_raw_tracepoint_args *context)
{
	return freed(context->args[0]);
}

/* ---- receive ---- */

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(received, struct sk_buff *skb)
{
	struct path_cpu *const cpu = my_cpu();
	const _Bool own = is_own(skb->dev);
	struct path_recorder *const recorder = 0;

	if (!cpu) {
		return 0;
	}
	const __u64 key = key_of(cpu, skb);
	struct path_packet *const packet = packet_of(key);

	if (!packet) {
		return 0;
	}
	if (!own && packet->key != key && !has_events) {
		path_other_frame(cpu);
		return 0;
	}
	const _Bool needs_look = has_filter || wants_answers;
	const struct look all = { .passes = 1 };

	if (own && !has_filter && is_passed_over(&cpu->rx_countdown)) {
		path_received_unfollowed(cpu, packet, key, cpu->rx_countdown == 1 ? bpf_ktime_get_ns() : 0);
		return 0;
	}
	const struct look look = !own ? not_looked_at : needs_look ? look_at(skb, 1) : all;

	if (look.passes && has_filter && is_passed_over(&cpu->rx_countdown)) {
		path_received_unfollowed(cpu, packet, key, cpu->rx_countdown == 1 ? bpf_ktime_get_ns() : 0);
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();

	/* What does not pass is another interface's: if it was sent here, it was handed on. */
	path_received(recorder, cpu, packet, key, now_ns, skb->len, look.passes, look.may_be, look.exchange);
	tell(now_ns, EVENT_RECEIVE, key, 0, 0, skb->len, look.passes, look);
	return 0;
}

SEC("raw_tp/skb_copy_datagram_iovec")
int copied(struct bpf_raw_tracepoint_args *context)
{
	const __u64 key = context->args[0];
	const __u32 pid = (__u32)bpf_get_current_pid_tgid();
	struct path_packet *const packet = packet_of(key);
	struct path_reader *const reader = reader_of(pid);
	struct path_cpu *const cpu = my_cpu();
	struct path_recorder *const recorder = 0;

	if (!packet || !reader || !cpu || (packet->key != key && reader->pid != pid)) {
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();

	path_skb_copied(recorder, cpu, packet, reader, key, pid, now_ns);
	tell(now_ns, EVENT_COPY, key, 0, 0, 0, 0, not_looked_at);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(woken, struct task_struct *thread)
{
	struct path_cpu *const cpu = my_cpu();
	struct path_recorder *const recorder = 0;

	if (!cpu || !cpu->softirq_at_ns) {
		return 0;
	}
	if (!cpu->rx_key) {
		cpu->rx_is_done = 1;
		return 0;
	}
	const __u32 pid = (__u32)thread->pid;
	const struct path_packet *const packet = packet_of(cpu->rx_key);
	struct path_reader *const reader = reader_of(pid);

	if (packet && reader) {
		const __u64 now_ns = bpf_ktime_get_ns();

		path_woken(recorder, cpu, packet, reader, pid, now_ns);
		tell(now_ns, EVENT_WAKE, 0, (__s32)pid, 0, 0, 0, not_looked_at);
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *before, struct task_struct *after)
{
	const __u32 pid = (__u32)after->pid;
	struct path_reader *const reader = reader_of(pid);
	struct path_recorder *const recorder = 0;

	if (!reader || reader->pid != pid || !reader->woken_at_ns || reader->ran_at_ns) {
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();

	path_runs(recorder, reader, pid, now_ns);
	tell(now_ns, EVENT_RUN, 0, (__s32)pid, 0, 0, 0, not_looked_at);
	return 0;
}

/* ---- interrupts and polls ---- */

/* A line that several devices share calls the handlers of all, one after the other. */
static __always_inline _Bool is_own_handler(const struct irqaction *action)
{
	char name[sizeof(shared_action)];

	if (bpf_probe_read_kernel_str(name, sizeof(name), action->name) < 0) {
		return 0;
	}
	for (unsigned i = 0; i < sizeof(name); i++) {
		if (name[i] != shared_action[i]) {
			return 0;
		}
		if (!name[i]) {
			break;
		}
	}
	return 1;
}

static __always_inline __u32 own_vector(int irq, const struct irqaction *action)
{
	const __u32 number = (__u32)irq;

	if (number >= PROBES_IRQS_MAX || !vector_of[number]) {
		return 0;
	}
	return !shared_action[0] || is_own_handler(action) ? vector_of[number] : 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(handler_entered, int irq, struct irqaction *action)
{
	const __u32 vector = own_vector(irq, action);
	struct path_cpu *const cpu = vector ? my_cpu() : 0;
	struct path_recorder *const recorder = 0;

	if (cpu) {
		const __u64 now_ns = bpf_ktime_get_ns();

		path_irq_entered(recorder, cpu, now_ns, vector);
		tell(now_ns, EVENT_IRQ, 0, irq, 0, 0, 1, not_looked_at);
	}
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(handler_left, int irq, struct irqaction *action, int answer)
{
	struct path_cpu *const cpu = own_vector(irq, action) ? my_cpu() : 0;
	struct path_recorder *const recorder = 0;

	if (cpu) {
		const __u64 now_ns = bpf_ktime_get_ns();

		path_irq_left(recorder, cpu, now_ns, answer != 0);
		tell(now_ns, EVENT_IRQ_DONE, 0, irq, answer, 0, 1, not_looked_at);
	}
	return 0;
}

SEC("tp_btf/softirq_raise")
int BPF_PROG(raised, unsigned vector)
{
	struct path_cpu *const cpu = vector == SOFTIRQ_NET_RX ? my_cpu() : 0;
	struct path_recorder *const recorder = 0;

	if (cpu && cpu->handler_at_ns) {
		const __u64 now_ns = bpf_ktime_get_ns();

		path_raised(recorder, cpu, now_ns);
		tell(now_ns, EVENT_RAISE, 0, (__s32)vector, 0, 0, 0, not_looked_at);
	}
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entered, unsigned vector)
{
	struct path_cpu *const cpu = vector == SOFTIRQ_NET_RX || vector == SOFTIRQ_NET_TX ? my_cpu() : 0;
	struct path_recorder *const recorder = 0;

	if (cpu) {
		const __u64 now_ns = bpf_ktime_get_ns();

		path_softirq_entered(recorder, cpu, now_ns, vector == SOFTIRQ_NET_RX);
		tell(now_ns, EVENT_SOFTIRQ, 0, (__s32)vector, 0, 0, 0, not_looked_at);
	}
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_left, unsigned vector)
{
	struct path_cpu *const cpu = vector == SOFTIRQ_NET_RX || vector == SOFTIRQ_NET_TX ? my_cpu() : 0;

	if (cpu) {
		const __u64 now_ns = path_softirq_has_polled(cpu) && !has_events ? 0 : bpf_ktime_get_ns();

		path_softirq_left(cpu, now_ns);
		tell(now_ns, EVENT_SOFTIRQ_DONE, 0, (__s32)vector, 0, 0, 0, not_looked_at);
	}
	return 0;
}

/* The verifier wants to see the bound on the very register that is used: the compiler must not know it already. */
static __always_inline __u64 batch_of(int work)
{
	__u64 batch = work > 0 ? (__u64)work : 0;

	barrier_var(batch);
	return batch < PATH_BATCHES ? batch : PATH_BATCHES - 1;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(polled, struct napi_struct *napi, int work, int budget)
{
	struct path_cpu *const cpu = my_cpu();

	if (!cpu) {
		return 0;
	}
	const __u64 now_ns = bpf_ktime_get_ns();
	const _Bool own = is_own(napi->dev);

	if (own) {
		path_polled(cpu, now_ns, work, budget);
		cpu->sums.batch[batch_of(work)]++;
	} else {
		path_other_polled(cpu, now_ns);
	}
	tell(now_ns, EVENT_POLL, 0, work, budget, 0, own, not_looked_at);
	return 0;
}
