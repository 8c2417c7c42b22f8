/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/trace_live.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "coalesce/field.h"
#include "nic/nic.h"
#include "trace/parts.h"
#include "trace/sampling.h"
#include "trace/tracefs.h"

/* The kernel takes the time of programs for a tenth of the time, since that costs as well. */
#define STEP_NS (50 * NS_PER_MS)
#define STEPS_OF_A_WINDOW 2
#define STEPS_OF_A_ROUND 20
#define STEPS_OF_A_SECOND (NS_PER_S / STEP_NS)

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal)
{
	(void)signal;
	is_interrupted = 1;
}

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* ---- what is to be traced ---- */

void trace_vectors(struct nic *nic, struct probes_request *request)
{
	struct nic_vector vectors[PATH_VECTORS_MAX - 1];
	struct err ignored;
	unsigned count = 0;

	if (nic_vector_list(nic, vectors, PATH_VECTORS_MAX - 1, &count, &ignored) != 0) {
		return;
	}
	for (unsigned i = 0; i < count && i < PATH_VECTORS_MAX - 1; i++) {
		request->irq[i] = vectors[i].irq;
		snprintf(request->irq_name[i], sizeof(request->irq_name[i]), "%.60s", vectors[i].action);
		request->irq_count++;
		/* Drivers that call their handler after the device only: then all that use the line are counted. */
		if (vectors[i].is_shared && strstr(vectors[i].action, nic->name)) {
			snprintf(request->shared_action, sizeof(request->shared_action), "%s", nic->name);
		}
	}
}

/* A driver may not tell its settings. Where there is no queue, none is waited in: those events are not worth their cost. */
static void look(struct nic *nic, struct probes_request *request, struct trace_report *report)
{
	struct coalesce settings = { .present = 0 };
	struct nic_identity identity;
	struct err ignored;

	report->has_no_queue = nic_identify(nic, &identity, &ignored) == 0 && strcmp(identity.queueing, "noqueue") == 0;
	request->kinds &= ~(report->has_no_queue ? 1u << PATH_EVENT_QUEUE : 0);

	if (nic_coalesce_get(nic, &settings, &ignored) == 0) {
		report->has_tx_usecs = coalesce_has(&settings, COALESCE_TX_USECS);
		report->tx_usecs = settings.value[COALESCE_TX_USECS];
		report->has_rx_usecs = coalesce_has(&settings, COALESCE_RX_USECS);
		report->rx_usecs = settings.value[COALESCE_RX_USECS];
	}
}

static int prepare(const struct trace_live *live, struct probes_request *request, struct trace_report *report,
		   struct err *err)
{
	struct nic nic;
	int ret = live->netns ? nic_enter_netns(live->netns, err) : 0;

	ret = ret ? ret : nic_open(&nic, live->device, err);
	if (ret) {
		return ret;
	}
	snprintf(request->device, sizeof(request->device), "%s", nic.name);
	snprintf(report->device, sizeof(report->device), "%s", nic.name);
	request->ifindex = nic.ifindex;
	request->choice = live->choice;
	trace_vectors(&nic, request);
	look(&nic, request, report);
	nic_close(&nic);
	return 0;
}

/* ---- the trace ---- */

struct watch {
	struct trace_live *live;
	struct probes *probes;
	struct trace_report *report;
	struct probes_cost cost; /* of all windows */
	struct sampling sampling;
	unsigned window_step; /* when the window that is open, or the next one, began or begins */
};

static bool has_enough(const struct watch *watch)
{
	uint64_t sent, received;

	return watch->live->count && probes_packets(watch->probes, &sent, &received) == 0 &&
	       (sent >= watch->live->count || received >= watch->live->count);
}

static void begin_window(struct watch *watch)
{
	struct err ignored;

	watch->report->has_cost = probes_cost_begin(watch->probes, &ignored) == 0;
}

/* What the programs took since the window began: fewer packets are followed, or more, or it is not worth it. */
static void end_window(struct watch *watch)
{
	const struct probes_cost before = watch->cost;

	probes_cost_end(watch->probes, &watch->cost);
	watch->report->is_stopped = !sampling_take(&watch->sampling, watch->cost.run_ns - before.run_ns,
						   watch->cost.window_ns - before.window_ns);
	probes_follow(watch->probes, watch->sampling.every);
}

/* A window is a tenth of the time; after one that was too dear the next comes at once. */
static void take_cost(struct watch *watch, unsigned step)
{
	const unsigned every = watch->sampling.every;

	if (step == watch->window_step) {
		begin_window(watch);
	} else if (step == watch->window_step + STEPS_OF_A_WINDOW) {
		end_window(watch);
		watch->window_step += watch->sampling.every > every || watch->sampling.too_dear ? STEPS_OF_A_WINDOW + 1
												: STEPS_OF_A_ROUND;
	}
}

/* A part that was not asked for has some events nevertheless. */
static int read_result(struct probes *probes, struct trace_report *report, struct err *err)
{
	const int ret = probes_read(probes, &report->result, err);

	for (enum path_stage stage = 0; ret == 0 && report->parts && stage < PATH_STAGES; stage++) {
		if (!parts_have(report->parts, stage)) {
			histogram_init(&report->result.stage[stage]);
		}
	}
	return ret;
}

static void take_figures(const struct watch *watch)
{
	struct trace_report *const report = watch->report;

	report->every = watch->sampling.every;
	report->every_most = watch->sampling.most;
	report->hits = watch->cost.runs;
	report->hit_ns = watch->cost.run_ns;
	report->timing_ns = watch->cost.timing_ns;
	report->added_rtt_ns = watch->cost.once_ns;
	report->cost_window_ns = watch->cost.window_ns;
}

static int draw(const struct watch *watch, struct err *err)
{
	const int ret = read_result(watch->probes, watch->report, err);

	if (ret == 0) {
		take_figures(watch);
		trace_view_draw(&watch->live->view, watch->report);
	}
	return ret;
}

static int watch_it(struct watch *watch, struct err *err)
{
	const int64_t end_at_ns = now() + watch->live->duration_ns;
	int ret = 0;

	for (unsigned step = 0; ret == 0 && !is_interrupted && !watch->report->is_stopped; step++) {
		const int64_t left_ns = end_at_ns - now();

		if (left_ns <= 0 || has_enough(watch)) {
			break;
		}
		take_cost(watch, step);
		const struct timespec rest = { .tv_nsec = (long)time_min(left_ns, STEP_NS) };

		nanosleep(&rest, NULL);
		ret = probes_write_events(watch->probes, &watch->report->lost, err);
		if (ret == 0 && watch->live->view.terminal && step % STEPS_OF_A_SECOND == STEPS_OF_A_SECOND - 1) {
			ret = draw(watch, err);
		}
	}
	trace_view_clear(&watch->live->view);
	probes_cost_end(watch->probes, &watch->cost);
	return ret;
}

static int trace(struct trace_live *live, const struct probes_request *request, struct trace_report *report,
		 struct err *err)
{
	struct watch watch = { .live = live, .report = report };

	sampling_init(&watch.sampling, live->max_cost_ppm);
	int ret = probes_open(&watch.probes, request, err);

	if (ret == -EPERM) {
		const struct err why = *err;

		return err_set(err, ret, "%s; --from FILE and holdoff ping need neither", why.text);
	}
	if (ret) {
		return ret;
	}
	ret = watch_it(&watch, err);
	probes_stop(watch.probes);
	ret = ret ? ret : read_result(watch.probes, report, err);
	ret = ret ? ret : probes_end_events(watch.probes, &report->lost, err);
	probes_close(watch.probes);
	take_figures(&watch);
	return ret;
}

/* ---- by the kernel's own tracer ---- */

static int64_t own_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static uint64_t events_of(const struct path_result *result)
{
	uint64_t events = 0;

	for (enum path_kind kind = 0; kind < PATH_EVENTS; kind++) {
		events += result->seen[kind];
	}
	return events;
}

/* What is known of the cost is the time for reading events; what the kernel takes to write them is not. */
static void take_reading(struct trace_report *report, const struct path *path, int64_t begin_at_ns, int64_t before_ns)
{
	path_result(path, &report->result);
	report->has_cost = true;
	report->hits = events_of(&report->result);
	report->timing_ns = -1;
	report->hit_ns = own_time() - before_ns;
	report->cost_window_ns = now() - begin_at_ns;
}

static bool is_over(const struct trace_live *live, struct trace_report *report)
{
	const struct path_sums *const sums = &report->result.sums;

	report->is_stopped = live->max_cost_ppm && report->cost_window_ns > NS_PER_S / 2 &&
			     report->hit_ns > report->cost_window_ns / 1000000 * (int64_t)live->max_cost_ppm;
	return report->is_stopped || (live->count && (sums->sent >= live->count || sums->received >= live->count));
}

static int read_tracer(struct trace_live *live, struct tracefs *tracefs, const struct path *path,
		       struct trace_report *report, struct err *err)
{
	const int64_t begin_at_ns = now(), before_ns = own_time();
	int64_t drawn_at_ns = begin_at_ns;
	struct ftrace_facts facts = { .lost = 0 };
	int ret = 0;

	while (ret >= 0 && !is_interrupted) {
		const int64_t left_ns = begin_at_ns + live->duration_ns - now();
		const struct timespec rest = { .tv_nsec = (long)time_min(left_ns, STEP_NS) };

		if (left_ns <= 0 || is_over(live, report)) {
			break;
		}
		if (ret == 0) {
			nanosleep(&rest, NULL);
		}
		ret = tracefs_take(tracefs, &facts, err);
		take_reading(report, path, begin_at_ns, before_ns);
		if (now() >= drawn_at_ns + NS_PER_S) {
			drawn_at_ns = now();
			trace_view_draw(&live->view, report);
		}
	}
	trace_view_clear(&live->view);
	/* What has happened by now is part of it, though it may not have been read yet. */
	const int64_t end_at_ns = now();

	tracefs_stop(tracefs);
	do {
		ret = ret < 0 || report->is_stopped ? ret : tracefs_take(tracefs, &facts, err);
	} while (ret == 1 && !report->is_stopped);
	take_reading(report, path, begin_at_ns, before_ns);
	report->lost = facts.lost;
	report->resolution_ns = facts.resolution_ns;
	report->result.begin_at_ns = begin_at_ns;
	report->result.end_at_ns = end_at_ns;
	return ret < 0 ? ret : 0;
}

static int trace_by_tracefs(struct trace_live *live, const struct probes_request *request, struct trace_report *report,
			    struct err *err)
{
	struct path *const path = path_new(request->device);
	struct tracefs *tracefs;

	if (!path) {
		return err_set(err, -ENOMEM, "no memory to trace");
	}
	for (unsigned i = 0; i < request->irq_count; i++) {
		path_use_irq(path, request->irq[i], request->irq_name[i]);
	}
	int ret = live->choice.protocol || live->choice.port || live->choice.address
			  ? err_set(err, -EOPNOTSUPP, "the kernel's tracer cannot filter packets: --filter needs BPF")
			  : tracefs_open(&tracefs, path, request->events, &report->kinds, err);

	if (ret == 0) {
		report->backend = "tracefs";
		ret = read_tracer(live, tracefs, path, report, err);
		tracefs_close(tracefs);
	}
	path_free(path);
	return ret;
}

static int trace_by_any(struct trace_live *live, const struct probes_request *request, struct trace_report *report,
			struct err *err)
{
	struct err other;

	if (live->backend == TRACE_TRACEFS) {
		return trace_by_tracefs(live, request, report, err);
	}
	const int ret = trace(live, request, report, err);

	if (ret != -EOPNOTSUPP || live->backend == TRACE_BPF) {
		return ret;
	}
	const struct err why = *err;

	return trace_by_tracefs(live, request, report, &other) == 0
		       ? 0
		       : err_set(err, ret, "%.180s; %.180s", why.text, other.text);
}

int trace_live_run(struct trace_live *live, struct trace_report *report, struct err *err)
{
	struct probes_request request = { .kinds = PROBES_ALL_KINDS };
	int ret = prepare(live, &request, report, err);

	if (ret) {
		return ret;
	}
	if (live->events_file) {
		request.events = fopen(live->events_file, "we");
		if (!request.events) {
			return err_set(err, -EINVAL, "%s: %s", live->events_file, strerror(errno));
		}
	}
	if (report->parts) {
		request.kinds &= parts_kinds(report->parts);
		request.without_answers = !(report->parts & 1u << PART_ANSWERS);
	}
	report->backend = "bpf";
	report->resolution_ns = 1;
	report->kinds = ~0u & ~(1u << PATH_EVENT_COMPLETION) & ~(1u << PATH_EVENT_LOST);
	catch_signals();
	ret = trace_by_any(live, &request, report, err);
	if (request.events && fclose(request.events) != 0 && ret == 0) {
		ret = err_set(err, -EIO, "%s: %s", live->events_file, strerror(errno));
	}
	return ret;
}
