/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/probes.h"

#include <arpa/inet.h>
#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace/probes_state.h" /* for what follows */

#include <probes.skel.h> /* made from probes.bpf.c */

#include "base/time.h"
#include "trace/loading.h"

#define RING_BYTES (8 * 1024 * 1024)

static_assert(PROBES_IRQS_MAX == PATH_IRQS_MAX, "the kernel's side and ours agree");

struct probes {
	struct probes_bpf *programs;
	struct probes_request request;
	struct ring_buffer *ring; /* NULL without events */
	int statistics_fd;        /* while it is open the kernel takes the time of BPF programs; -1: it does not */
	int cpus;
	int64_t begin_at_ns, end_at_ns, window_at_ns; /* end_at_ns 0: it has not ended */
	uint64_t runs_before;
	int64_t run_before_ns, timing_ns;
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* ---- events as text ---- */

static const char *irq_name(const struct probes_request *request, int32_t irq)
{
	for (unsigned i = 0; i < request->irq_count; i++) {
		if (request->irq[i] == (uint32_t)irq) {
			return request->irq_name[i];
		}
	}
	return "?";
}

/* may_be and exchange: whether it may be a request or an answer, which the kernel's own text does not tell. */
static void write_packet(const struct probes_request *request, const struct probes_event *event, FILE *out)
{
	fprintf(out, "dev=%s skbaddr=%llx len=%u", event->is_own ? request->device : "other", event->skb, event->bytes);
	if (event->kind == PATH_EVENT_XMIT_DONE) {
		fprintf(out, " rc=%d", event->value);
	} else if (event->kind != PATH_EVENT_QUEUE) {
		fprintf(out, " echo=%u", event->may_be);
	}
	if (event->exchange) {
		fprintf(out, " exchange=%u", event->exchange);
	}
}

static void write_event(const struct probes_request *request, const struct probes_event *event, FILE *out)
{
	if (event->kind == PATH_EVENT_LOST) {
		fprintf(out, "CPU:%u [LOST %d EVENTS]\n", event->cpu, event->value);
		return;
	}
	fprintf(out, "thread-%u [%03u] %llu.%09llu: %s: ", event->pid, event->cpu, event->at_ns / 1000000000,
		event->at_ns % 1000000000, path_kind_names[event->kind]);
	switch (event->kind) {
	case PATH_EVENT_QUEUE:
	case PATH_EVENT_XMIT:
	case PATH_EVENT_XMIT_DONE:
	case PATH_EVENT_RECEIVE:
		write_packet(request, event, out);
		break;
	case PATH_EVENT_FREE:
	case PATH_EVENT_COPY:
		fprintf(out, "skbaddr=%llx", event->skb);
		break;
	case PATH_EVENT_IRQ:
		fprintf(out, "irq=%d name=%s", event->value, irq_name(request, event->value));
		break;
	case PATH_EVENT_IRQ_DONE:
		fprintf(out, "irq=%d ret=%s", event->value, event->budget ? "handled" : "unhandled");
		break;
	case PATH_EVENT_POLL:
		fprintf(out, "napi poll on napi struct 0 for device %s work %d budget %d",
			event->is_own ? request->device : "other", event->value, event->budget);
		break;
	case PATH_EVENT_WAKE:
		fprintf(out, "pid=%d", event->value);
		break;
	case PATH_EVENT_RUN:
		fprintf(out, "next_pid=%d", event->value);
		break;
	default:
		fprintf(out, "vec=%d", event->value);
		break;
	}
	putc('\n', out);
}

static int take_event(void *context, void *data, size_t size)
{
	const struct probes *const probes = context;
	const struct probes_event *const event = data;

	if (size >= sizeof(*event) && event->kind < PATH_EVENTS) {
		write_event(&probes->request, event, probes->request.events);
	}
	return 0;
}

int probes_write_events(struct probes *probes, uint64_t *lost, struct err *err)
{
	*lost = probes->programs->bss->dropped;
	if (!probes->ring) {
		return 0;
	}
	const int ret = ring_buffer__consume(probes->ring);

	*lost = probes->programs->bss->dropped;
	if (ret < 0) {
		return err_set(err, ret, "events cannot be taken from the kernel: %s", strerror(-ret));
	}
	return ferror(probes->request.events) ? err_set(err, -EIO, "events cannot be written") : 0;
}

int probes_end_events(struct probes *probes, uint64_t *lost, struct err *err)
{
	const uint32_t first = 0;
	int ret = probes_write_events(probes, lost, err);

	if (ret || !probes->ring) {
		return ret;
	}
	uint64_t *const untold = calloc((size_t)probes->cpus, sizeof(*untold));

	if (!untold) {
		return err_set(err, -ENOMEM, "no memory for the lost events of %d CPUs", probes->cpus);
	}
	ret = bpf_map_lookup_elem(bpf_map__fd(probes->programs->maps.untold), &first, untold);
	for (int cpu = 0; ret == 0 && cpu < probes->cpus; cpu++) {
		if (untold[cpu]) {
			fprintf(probes->request.events, "CPU:%d [LOST %llu EVENTS]\n", cpu,
				(unsigned long long)untold[cpu]);
		}
	}
	free(untold);
	return ret ? err_set(err, ret, "lost events cannot be read: %s", strerror(-ret)) : 0;
}

/* ---- begin and end ---- */

static void prepare(struct probes_bpf *programs, const struct probes_request *request, unsigned inode)
{
	programs->rodata->ifindex = request->ifindex;
	programs->rodata->network_namespace = inode;
	programs->rodata->filter.protocol = request->choice.protocol;
	programs->rodata->filter.port = htons(request->choice.port);
	programs->rodata->filter.address = request->choice.address;
	programs->rodata->has_filter = request->choice.protocol || request->choice.port || request->choice.address;
	programs->rodata->has_events = request->events != NULL;
	programs->rodata->wants_answers = !request->without_answers;
	for (unsigned i = 0; i < request->irq_count && i + 1 < PATH_VECTORS_MAX; i++) {
		if (request->irq[i] < PROBES_IRQS_MAX) {
			programs->rodata->vector_of[request->irq[i]] = (__u8)(i + 1);
		}
	}
	memcpy((char *)programs->rodata->shared_action, request->shared_action, sizeof(request->shared_action));
	if (request->events) {
		bpf_map__set_max_entries(programs->maps.events, RING_BYTES);
	}
}

/* The programs that an event of a kind needs. */
static const struct {
	const char *name;
	enum path_kind kind;
} programs[] = {
	{ "queued", PATH_EVENT_QUEUE },
	{ "xmit_started", PATH_EVENT_XMIT },
	{ "xmit_ended", PATH_EVENT_XMIT_DONE },
	{ "consumed", PATH_EVENT_FREE },
	{ "discarded", PATH_EVENT_FREE },
	{ "received", PATH_EVENT_RECEIVE },
	{ "copied", PATH_EVENT_COPY },
	{ "woken", PATH_EVENT_WAKE },
	{ "switched", PATH_EVENT_RUN },
	{ "handler_entered", PATH_EVENT_IRQ },
	{ "handler_left", PATH_EVENT_IRQ_DONE },
	{ "raised", PATH_EVENT_RAISE },
	{ "softirq_entered", PATH_EVENT_SOFTIRQ },
	{ "softirq_left", PATH_EVENT_SOFTIRQ_DONE },
	{ "polled", PATH_EVENT_POLL },
};

/* Without interrupts of the interface nobody has to look at those of others. */
static uint32_t kinds_of(const struct probes_request *request)
{
	const uint32_t of_irqs = 1u << PATH_EVENT_IRQ | 1u << PATH_EVENT_IRQ_DONE | 1u << PATH_EVENT_RAISE;

	return request->kinds & ~(request->irq_count ? 0 : of_irqs);
}

static void choose_programs(struct probes *probes)
{
	const uint32_t kinds = kinds_of(&probes->request);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct bpf_program *const program =
			bpf_object__find_program_by_name(probes->programs->obj, programs[i].name);

		bpf_program__set_autoload(program, (kinds & 1u << programs[i].kind) != 0);
	}
	bpf_program__set_autoattach(probes->programs->progs.nothing, false);
}

static int start(struct probes *probes)
{
	unsigned inode;
	int ret = loading_namespace(&inode);

	if (ret < 0) {
		return ret;
	}
	probes->programs = probes_bpf__open();
	if (!probes->programs) {
		return -errno;
	}
	prepare(probes->programs, &probes->request, inode);
	choose_programs(probes);
	ret = probes_bpf__load(probes->programs);
	if (ret == 0 && probes->request.events) {
		probes->ring = ring_buffer__new(bpf_map__fd(probes->programs->maps.events), take_event, probes, NULL);
		ret = probes->ring ? 0 : -errno;
	}
	return ret ? ret : probes_bpf__attach(probes->programs);
}

int probes_open(struct probes **opened, const struct probes_request *request, struct err *err)
{
	struct probes *const probes = calloc(1, sizeof(*probes));

	*opened = NULL;
	if (!probes) {
		return err_set(err, -ENOMEM, "no memory to trace");
	}
	probes->request = *request;
	probes->statistics_fd = -1;
	loading_begin();
	probes->cpus = libbpf_num_possible_cpus();
	const int ret = probes->cpus < 0 ? probes->cpus : start(probes);

	loading_end();
	if (ret < 0) {
		probes_close(probes);
		return loading_explain(ret, "tracing", err);
	}
	probes->begin_at_ns = now();
	*opened = probes;
	return 0;
}

void probes_close(struct probes *probes)
{
	if (!probes) {
		return;
	}
	if (probes->statistics_fd >= 0) {
		close(probes->statistics_fd);
	}
	ring_buffer__free(probes->ring);
	probes_bpf__destroy(probes->programs);
	free(probes);
}

void probes_stop(struct probes *probes)
{
	probes_bpf__detach(probes->programs);
	probes->end_at_ns = now();
}

/* ---- what was found ---- */

static void add_spans(struct probes_spans *into, const struct probes_spans *from)
{
	into->sum_ns += from->sum_ns;
	into->min_ns = into->min_ns > from->min_ns ? into->min_ns : from->min_ns;
	into->max_ns = into->max_ns > from->max_ns ? into->max_ns : from->max_ns;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		into->bucket[i] += from->bucket[i];
	}
}

/* Values of per-CPU maps are rounded up to 8 bytes each. */
static_assert(sizeof(struct probes_spans) % 8 == 0 && sizeof(struct path_cpu) % 8 == 0, "no gaps between CPUs");

static int read_stages(const struct probes *probes, struct path_result *result)
{
	struct probes_spans *const spans = calloc((size_t)probes->cpus, sizeof(*spans));
	int ret = spans ? 0 : -ENOMEM;

	for (__u32 stage = 0; ret == 0 && stage < PATH_STAGES; stage++) {
		ret = bpf_map_lookup_elem(bpf_map__fd(probes->programs->maps.stages), &stage, spans);
		for (int cpu = 1; ret == 0 && cpu < probes->cpus; cpu++) {
			add_spans(&spans[0], &spans[cpu]);
		}
		if (ret == 0) {
			histogram_load(&result->stage[stage], spans[0].bucket, spans[0].sum_ns,
				       (int64_t)~spans[0].min_ns, (int64_t)spans[0].max_ns);
		}
	}
	free(spans);
	return ret;
}

static int read_sums(const struct probes *probes, struct path_sums *sums)
{
	struct path_cpu *const cpus = calloc((size_t)probes->cpus, sizeof(*cpus));
	const __u32 first = 0;
	const int ret = cpus ? bpf_map_lookup_elem(bpf_map__fd(probes->programs->maps.cpus), &first, cpus) : -ENOMEM;

	memset(sums, 0, sizeof(*sums));
	for (int cpu = 0; ret == 0 && cpu < probes->cpus; cpu++) {
		path_sums_add(sums, &cpus[cpu].sums);
	}
	free(cpus);
	return ret;
}

static int count_in_flight(const struct probes *probes, uint64_t *count)
{
	struct path_packet packet;
	int ret = 0;

	*count = 0;
	for (__u32 place = 0; ret == 0 && place < PATH_PACKETS; place++) {
		ret = bpf_map_lookup_elem(bpf_map__fd(probes->programs->maps.packets), &place, &packet);
		*count += ret == 0 && packet.key && packet.state == PATH_SENT;
	}
	return ret;
}

int probes_read(struct probes *probes, struct path_result *result, struct err *err)
{
	memset(result, 0, sizeof(*result));
	int ret = read_stages(probes, result);

	ret = ret ? ret : read_sums(probes, &result->sums);
	ret = ret ? ret : count_in_flight(probes, &result->in_flight);
	if (ret < 0) {
		return err_set(err, ret, "what was traced in the kernel cannot be read: %s", strerror(-ret));
	}
	result->begin_at_ns = probes->begin_at_ns;
	result->end_at_ns = probes->end_at_ns ? probes->end_at_ns : now();
	for (unsigned i = 0; i < probes->request.irq_count && i + 1 < PATH_VECTORS_MAX; i++) {
		struct path_irq *const irq = &result->irq[result->irq_count++];

		irq->irq = probes->request.irq[i];
		memcpy(irq->name, probes->request.irq_name[i], sizeof(irq->name));
		irq->interrupts = result->sums.vector[i + 1].interrupts;
		irq->hardirq_ns = (int64_t)result->sums.vector[i + 1].hardirq_ns;
	}
	return 0;
}

void probes_follow(struct probes *probes, unsigned every)
{
	probes->programs->data->every = every;
}

int probes_packets(struct probes *probes, uint64_t *sent, uint64_t *received)
{
	struct path_sums sums;
	const int ret = read_sums(probes, &sums);

	*sent = sums.sent + sums.sent_unfollowed;
	*received = sums.received + sums.received_unfollowed;
	return ret;
}

/* ---- what it costs ---- */

int probes_cost_begin(struct probes *probes, struct err *err)
{
	probes->statistics_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	probes->timing_ns =
		probes->statistics_fd < 0 ? -1 : loading_timing(bpf_program__fd(probes->programs->progs.nothing));
	loading_cost(probes->programs->obj, &probes->runs_before, &probes->run_before_ns);
	probes->window_at_ns = now();
	return probes->statistics_fd < 0
		       ? err_set(err, -EOPNOTSUPP, "this kernel does not take the time of BPF programs")
		       : 0;
}

void probes_cost_end(struct probes *probes, struct probes_cost *cost)
{
	uint64_t runs;
	int64_t run_ns;

	if (probes->statistics_fd < 0) {
		return;
	}
	close(probes->statistics_fd);
	probes->statistics_fd = -1;
	cost->window_ns += now() - probes->window_at_ns;
	loading_cost(probes->programs->obj, &runs, &run_ns);
	cost->runs += runs - probes->runs_before;
	cost->run_ns += run_ns - probes->run_before_ns;
	cost->timing_ns = probes->timing_ns;
	cost->once_ns = loading_once(probes->programs->obj, probes->programs->progs.nothing);
}
