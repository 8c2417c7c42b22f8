/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/path.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct path_recorder {
	struct histogram stage[PATH_STAGES];
};

#include "trace/path_rules.h"

void path_record(struct path_recorder *recorder, __u32 stage, __u64 span_ns)
{
	histogram_record(&recorder->stage[stage], (int64_t)span_ns);
}

enum { NET_TX = 2, NET_RX = 3 }; /* the kernel's softirqs */

/* What is learned about interrupts on a CPU. */
struct learner {
	int32_t irq;     /* whose handler runs; -1: none */
	int32_t raised;  /* who raised NET_RX since the last poll; -1: nobody */
	bool is_unclear; /* more than one did */
};

struct cpu {
	struct path_cpu state;
	struct learner learner;
	int64_t last_at_ns;
};

struct path {
	char device[PATH_NAME_MAX];
	struct path_recorder recorder;
	struct path_packet packets[PATH_PACKETS];
	struct path_reader readers[PATH_READERS];
	struct cpu *cpus[PATH_CPUS_MAX];
	uint8_t vector_of[PATH_IRQS_MAX]; /* 0: not the interface's */
	unsigned vector_count;
	struct path_irq irq[PATH_VECTORS_MAX];
	uint64_t seen[PATH_EVENTS];
	uint64_t out_of_order;
	bool has_begun;
	int64_t begin_at_ns, end_at_ns;
};

const char *const path_kind_names[PATH_EVENTS] = {
	[PATH_EVENT_QUEUE] = "net_dev_queue",
	[PATH_EVENT_XMIT] = "net_dev_start_xmit",
	[PATH_EVENT_XMIT_DONE] = "net_dev_xmit",
	[PATH_EVENT_COMPLETION] = "completion",
	[PATH_EVENT_FREE] = "consume_skb",
	[PATH_EVENT_RECEIVE] = "netif_receive_skb",
	[PATH_EVENT_COPY] = "skb_copy_datagram_iovec",
	[PATH_EVENT_IRQ] = "irq_handler_entry",
	[PATH_EVENT_IRQ_DONE] = "irq_handler_exit",
	[PATH_EVENT_RAISE] = "softirq_raise",
	[PATH_EVENT_SOFTIRQ] = "softirq_entry",
	[PATH_EVENT_SOFTIRQ_DONE] = "softirq_exit",
	[PATH_EVENT_POLL] = "napi_poll",
	[PATH_EVENT_WAKE] = "sched_waking",
	[PATH_EVENT_RUN] = "sched_switch",
	[PATH_EVENT_LOST] = "lost",
};

static const struct {
	const char *key, *title;
} stages[] = {
	[PATH_QDISC] = { "qdisc_ns", "queued to xmit" },
	[PATH_XMIT] = { "xmit_ns", "in the driver's xmit" },
	[PATH_XMIT_TO_IRQ] = { "xmit_to_irq_ns", "xmit returned to irq" },
	[PATH_TX_IRQ_TO_POLL] = { "tx_irq_to_poll_ns", "irq to poll" },
	[PATH_POLL_TO_COMPLETION] = { "poll_to_completion_ns", "poll to completion" },
	[PATH_IRQ_TO_COMPLETION] = { "irq_to_completion_ns", "irq to completion" },
	[PATH_XMIT_TO_COMPLETION] = { "xmit_to_completion_ns", "xmit returned to completion" },
	[PATH_IRQ_TO_RAISE] = { "irq_to_raise_ns", "irq to softirq raised" },
	[PATH_RAISE_TO_SOFTIRQ] = { "raise_to_softirq_ns", "raised to softirq" },
	[PATH_RX_IRQ_TO_POLL] = { "rx_irq_to_poll_ns", "irq to poll" },
	[PATH_POLL_TO_STACK] = { "poll_to_stack_ns", "poll to stack" },
	[PATH_IRQ_TO_STACK] = { "irq_to_stack_ns", "irq to stack" },
	[PATH_STACK_TO_WAKE] = { "stack_to_wake_ns", "stack to reader woken" },
	[PATH_WAKE_TO_RUN] = { "wake_to_run_ns", "woken to running" },
	[PATH_RUN_TO_COPY] = { "run_to_copy_ns", "running to data copied" },
	[PATH_STACK_TO_COPY] = { "stack_to_copy_ns", "stack to data copied" },
	[PATH_IRQ_TO_COPY] = { "irq_to_copy_ns", "irq to data copied" },
	[PATH_ECHO] = { "echo_ns", "request to reply's xmit" },
	[PATH_IRQ_GAP] = { "irq_gap_ns", "between interrupts" },
};
static_assert(sizeof(stages) / sizeof(stages[0]) == PATH_STAGES, "a name for each stage");

const char *path_stage_key(enum path_stage stage)
{
	return stages[stage].key;
}

const char *path_stage_title(enum path_stage stage)
{
	return stages[stage].title;
}

struct path *path_new(const char *device)
{
	struct path *const path = calloc(1, sizeof(*path));

	if (path) {
		snprintf(path->device, sizeof(path->device), "%s", device);
	}
	return path;
}

void path_free(struct path *path)
{
	for (unsigned i = 0; path && i < PATH_CPUS_MAX; i++) {
		free(path->cpus[i]);
	}
	free(path);
}

static struct cpu *cpu_of(struct path *path, uint32_t number)
{
	if (number >= PATH_CPUS_MAX) {
		return NULL;
	}
	if (!path->cpus[number]) {
		path->cpus[number] = calloc(1, sizeof(struct cpu));
		if (path->cpus[number]) {
			path->cpus[number]->learner = (struct learner){ .irq = -1, .raised = -1 };
		}
	}
	return path->cpus[number];
}

/* ---- which interrupts are the interface's ---- */

bool path_use_irq(struct path *path, uint32_t irq, const char *name)
{
	if (irq >= PATH_IRQS_MAX || path->vector_of[irq]) {
		return irq < PATH_IRQS_MAX;
	}
	if (path->vector_count + 1 >= PATH_VECTORS_MAX) {
		return false;
	}
	const unsigned vector = ++path->vector_count;

	path->vector_of[irq] = (uint8_t)vector;
	path->irq[vector].irq = irq;
	snprintf(path->irq[vector].name, sizeof(path->irq[vector].name), "%s", name);
	return true;
}

static bool is_name_character(char character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
	       (character >= '0' && character <= '9') || character == '_';
}

/* The name stands there whole: eth1 is not in eth10-rx-0. */
static bool names_device(const char *action, const char *device)
{
	const size_t length = strlen(device);

	for (const char *place = length ? strstr(action, device) : NULL; place; place = strstr(place + 1, device)) {
		if ((place == action || !is_name_character(place[-1])) && !is_name_character(place[length])) {
			return true;
		}
	}
	return false;
}

static bool is_own(const struct path *path, const struct path_event *event)
{
	return event->device[0] == '\0' || strcmp(event->device, path->device) == 0;
}

static void learn_poll(struct path *path, struct learner *learner, const struct path_event *event)
{
	if (learner->raised >= 0 && !learner->is_unclear && is_own(path, event)) {
		path_use_irq(path, (uint32_t)learner->raised, "");
	}
	learner->raised = -1;
	learner->is_unclear = false;
}

void path_learn(struct path *path, const struct path_event *event)
{
	struct cpu *const cpu = cpu_of(path, event->cpu);

	if (!cpu) {
		return;
	}
	struct learner *const learner = &cpu->learner;

	if (event->kind == PATH_EVENT_IRQ) {
		learner->irq = event->value;
		if (event->device[0] == '\0' || names_device(event->device, path->device)) {
			path_use_irq(path, (uint32_t)event->value, event->device);
		}
	} else if (event->kind == PATH_EVENT_IRQ_DONE) {
		learner->irq = -1;
	} else if (event->kind == PATH_EVENT_RAISE && event->value == NET_RX && learner->irq >= 0) {
		learner->is_unclear |= learner->raised >= 0 && learner->raised != learner->irq;
		learner->raised = learner->irq;
	} else if (event->kind == PATH_EVENT_POLL) {
		learn_poll(path, learner, event);
	}
}

/* ---- matching ---- */

static unsigned vector_of(struct path *path, const struct path_event *event)
{
	const uint32_t irq = (uint32_t)event->value;
	const unsigned vector = irq < PATH_IRQS_MAX ? path->vector_of[irq] : 0;

	if (vector && path->irq[vector].name[0] == '\0') {
		snprintf(path->irq[vector].name, sizeof(path->irq[vector].name), "%s", event->device);
	}
	return vector;
}

static void take_xmit(struct path *path, struct path_cpu *cpu, const struct path_event *event)
{
	struct path_packet *const packet = &path->packets[path_packet_place(event->skb)];
	const uint64_t now_ns = (uint64_t)event->at_ns;

	if (!is_own(path, event)) {
		if (event->kind == PATH_EVENT_XMIT) {
			path_sent_elsewhere(cpu, packet, event->skb);
		}
		return;
	}
	if (event->kind == PATH_EVENT_QUEUE) {
		path_queued(cpu, packet, event->skb, now_ns);
	} else if (event->kind == PATH_EVENT_XMIT) {
		path_xmit_started(&path->recorder, cpu, packet, event->skb, now_ns, event->bytes,
				  event->flags & PATH_MAY_BE, event->exchange);
	} else {
		path_xmit_ended(&path->recorder, cpu, packet, event->skb, now_ns, event->value != 0);
	}
}

static void take_skb(struct path *path, struct path_cpu *cpu, const struct path_event *event)
{
	struct path_packet *const packet = &path->packets[path_packet_place(event->skb)];
	struct path_reader *const reader = &path->readers[path_reader_place(event->pid)];
	const uint64_t now_ns = (uint64_t)event->at_ns;

	switch (event->kind) {
	case PATH_EVENT_COMPLETION:
		if (packet->key == event->skb && packet->state == PATH_SENT) {
			path_completed(&path->recorder, cpu, packet, now_ns, 1);
		}
		break;
	case PATH_EVENT_FREE:
		if (packet->key == event->skb) {
			path_freed(&path->recorder, cpu, packet, reader, event->pid, now_ns);
		}
		break;
	case PATH_EVENT_RECEIVE:
		path_received(&path->recorder, cpu, packet, event->skb, now_ns, event->bytes, is_own(path, event),
			      event->flags & PATH_MAY_BE, event->exchange);
		break;
	default:
		path_skb_copied(&path->recorder, cpu, packet, reader, event->skb, event->pid, now_ns);
		break;
	}
}

static void take_softirq(struct path *path, struct path_cpu *cpu, const struct path_event *event)
{
	const uint64_t now_ns = (uint64_t)event->at_ns;

	if (event->value != NET_RX && event->value != NET_TX) {
		return;
	}
	if (event->kind == PATH_EVENT_SOFTIRQ) {
		path_softirq_entered(&path->recorder, cpu, now_ns, event->value == NET_RX);
	} else if (event->kind == PATH_EVENT_SOFTIRQ_DONE) {
		path_softirq_left(cpu, now_ns);
	} else if (event->value == NET_RX) {
		path_raised(&path->recorder, cpu, now_ns);
	}
}

static void take_thread(struct path *path, struct path_cpu *cpu, const struct path_event *event)
{
	const uint32_t pid = (uint32_t)event->value;
	struct path_reader *const reader = &path->readers[path_reader_place(pid)];
	const uint64_t now_ns = (uint64_t)event->at_ns;

	if (event->kind == PATH_EVENT_RUN) {
		path_runs(&path->recorder, reader, pid, now_ns);
	} else if (cpu->rx_key && cpu->softirq_at_ns) {
		path_woken(&path->recorder, cpu, &path->packets[path_packet_place(cpu->rx_key)], reader, pid, now_ns);
	}
}

static void take_interrupt(struct path *path, struct path_cpu *cpu, const struct path_event *event)
{
	const unsigned vector = vector_of(path, event);

	if (vector && event->kind == PATH_EVENT_IRQ) {
		path_irq_entered(&path->recorder, cpu, (uint64_t)event->at_ns, vector);
	} else if (vector) {
		path_irq_left(&path->recorder, cpu, (uint64_t)event->at_ns, !(event->flags & PATH_NOT_HANDLED));
	}
}

static void dispatch(struct path *path, struct path_cpu *cpu, const struct path_event *event)
{
	switch (event->kind) {
	case PATH_EVENT_QUEUE:
	case PATH_EVENT_XMIT:
	case PATH_EVENT_XMIT_DONE:
		take_xmit(path, cpu, event);
		break;
	case PATH_EVENT_IRQ:
	case PATH_EVENT_IRQ_DONE:
		take_interrupt(path, cpu, event);
		break;
	case PATH_EVENT_RAISE:
	case PATH_EVENT_SOFTIRQ:
	case PATH_EVENT_SOFTIRQ_DONE:
		take_softirq(path, cpu, event);
		break;
	case PATH_EVENT_POLL:
		if (is_own(path, event)) {
			path_polled(cpu, (uint64_t)event->at_ns, event->value, event->budget);
			cpu->sums.batch[event->value < 0              ? 0
					: event->value < PATH_BATCHES ? event->value
								      : PATH_BATCHES - 1]++;
		} else {
			path_other_polled(cpu, (uint64_t)event->at_ns);
		}
		break;
	case PATH_EVENT_WAKE:
	case PATH_EVENT_RUN:
		take_thread(path, cpu, event);
		break;
	default:
		take_skb(path, cpu, event);
		break;
	}
}

/* All but the sums. */
static void forget(struct path_cpu *cpu)
{
	const struct path_sums sums = cpu->sums;

	*cpu = (struct path_cpu){ .sums = sums, .has_raised = cpu->has_raised };
	for (unsigned vector = 0; vector < PATH_VECTORS_MAX; vector++) {
		cpu->sums.vector[vector].last_at_ns = 0;
	}
}

/* The end of a packet may be among the lost events, and its address another one's by now: it is given up. */
static void give_up_packets(struct path *path, struct path_sums *sums)
{
	for (unsigned i = 0; i < PATH_PACKETS; i++) {
		sums->displaced += path->packets[i].key && path->packets[i].state == PATH_SENT;
		path->packets[i].key = 0;
	}
	for (unsigned i = 0; i < PATH_READERS; i++) {
		path->readers[i].woken_at_ns = 0;
	}
}

bool path_take_event(struct path *path, const struct path_event *event)
{
	struct cpu *const cpu = cpu_of(path, event->cpu);

	if (cpu && event->kind == PATH_EVENT_LOST) {
		path->seen[event->kind]++;
		forget(&cpu->state);
		give_up_packets(path, &cpu->state.sums);
		return true;
	}
	if (!cpu || event->at_ns <= 0) {
		return false;
	}
	path->out_of_order += event->at_ns < cpu->last_at_ns;
	cpu->last_at_ns = event->at_ns;
	path->seen[event->kind]++;
	if (!path->has_begun || event->at_ns < path->begin_at_ns) {
		path->begin_at_ns = event->at_ns;
	}
	path->end_at_ns = !path->has_begun || event->at_ns > path->end_at_ns ? event->at_ns : path->end_at_ns;
	path->has_begun = true;
	dispatch(path, &cpu->state, event);
	return true;
}

/* ---- what was found ---- */

static void add_bins(struct path_bin *into, const struct path_bin *from)
{
	for (unsigned i = 0; i < PATH_BINS; i++) {
		into[i].count += from[i].count;
		into[i].sum_ns += from[i].sum_ns;
		into[i].max_ns = into[i].max_ns > from[i].max_ns ? into[i].max_ns : from[i].max_ns;
	}
}

/* Up to the bins all members are numbers of one size that add up. */
void path_sums_add(struct path_sums *into, const struct path_sums *from)
{
	__u64 *const sums = (__u64 *)into;
	const __u64 *const more = (const __u64 *)from;

	for (size_t i = 0; i < offsetof(struct path_sums, echo_gap) / sizeof(*sums); i++) {
		sums[i] += more[i];
	}
	add_bins(into->echo_gap, from->echo_gap);
	add_bins(into->echo_size, from->echo_size);
	for (unsigned i = 0; i < PATH_VECTORS_MAX; i++) {
		into->vector[i].interrupts += from->vector[i].interrupts;
		into->vector[i].hardirq_ns += from->vector[i].hardirq_ns;
	}
}

void path_result(const struct path *path, struct path_result *result)
{
	memset(result, 0, sizeof(*result));
	memcpy(result->stage, path->recorder.stage, sizeof(result->stage));
	memcpy(result->seen, path->seen, sizeof(result->seen));
	for (unsigned i = 0; i < PATH_CPUS_MAX; i++) {
		if (path->cpus[i]) {
			path_sums_add(&result->sums, &path->cpus[i]->state.sums);
		}
	}
	for (unsigned i = 0; i < PATH_PACKETS; i++) {
		result->in_flight += path->packets[i].key && path->packets[i].state == PATH_SENT;
	}
	result->out_of_order = path->out_of_order;
	result->begin_at_ns = path->begin_at_ns;
	result->end_at_ns = path->end_at_ns;
	for (unsigned vector = 1; vector <= path->vector_count; vector++) {
		struct path_irq *const irq = &result->irq[result->irq_count++];

		*irq = path->irq[vector];
		irq->interrupts = result->sums.vector[vector].interrupts;
		irq->hardirq_ns = (int64_t)result->sums.vector[vector].hardirq_ns;
	}
}
