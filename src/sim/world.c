/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop: take the earliest deadline of any part, let that part act, look at what it touched, again. All events that the world can
 * see are in `dispatch`. Equal instants run in the order in which they were set.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world_private.h"

void world_set(struct world *world, const struct end *end, enum end_slot slot, int64_t at_ns)
{
	eventq_update(&world->queue, end->index * SLOTS_PER_END + slot, at_ns);
}

void world_record(struct world *world, const struct end *end, enum run_latency latency, int64_t value_ns)
{
	if (is_board(end)) {
		histogram_record(&findings(world)->latency[latency], value_ns);
	}
}

void world_count_sent(struct world *world)
{
	findings(world)->sent++;
}

void world_count_received(struct world *world, uint64_t count)
{
	findings(world)->received += count;
}

void world_count_dropped(struct world *world, uint64_t count)
{
	findings(world)->dropped += count;
}

struct frame world_answer(const struct world *world, const struct frame *to)
{
	struct frame answer = *to;

	switch ((enum frame_kind)to->kind) {
	case FRAME_ECHO_REQUEST:
		answer.kind = FRAME_ECHO_REPLY;
		break;
	case FRAME_BUS:
		answer.kind = FRAME_RESPONSE;
		break;
	default:
		answer.kind = FRAME_RESPONSE;
		if (world->workload->kind == WORKLOAD_TFTP) {
			answer.payload = world->workload->size + TFTP_HEADER_BYTES;
			answer.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_TFTP, answer.payload);
		}
		break;
	}
	return answer;
}

/* ---- the loop ---- */

static inline void sync_end(struct world *world, const struct end *end)
{
	world_set(world, end, SLOT_CHIP, chip_deadline(&end->chip));
	eventq_update(&world->queue, end->irq_cpu_slot, cpu_deadline(end->irq_cpu));
	if (end->app_cpu != end->irq_cpu) {
		eventq_update(&world->queue, end->app_cpu_slot, cpu_deadline(end->app_cpu));
	}
}

void world_sync(struct world *world, struct end *end)
{
	if (end->ideal) {
		return;
	}
	sync_end(world, end);
	if (end->host->shared) {
		sync_end(world, other_end(world, end));
	}
}

static void cpu_step_ends(struct world *world, struct cpu *cpu)
{
	uint8_t number;
	const enum cpu_level level = cpu_finish(cpu, world->now_at_ns, &number);
	struct end *end = &world->end[step_end(number)];
	const enum step step = step_kind(number);

	if (step == STEP_APP) {
		app_step_done(world, end);
	} else if (step == STEP_SWITCH) {
		cpu->in_idle_loop = false;
		end_resume(world, end, cpu, CPU_TASK);
	} else if (level == CPU_HARDIRQ) {
		hardirq_step_done(world, end, cpu, step);
	} else {
		softirq_step_done(world, end, step);
	}
}

static void timer_ends(struct world *world, struct end *end, enum end_slot slot)
{
	world_set(world, end, slot, NEVER_AT_NS);
	if (end->ideal) {
		ideal_timer(world, end);
	} else {
		hardirq_timer(world, end, slot);
	}
}

static void end_event(struct world *world, struct end *end, enum end_slot slot)
{
	switch (slot) {
	case SLOT_ARRIVAL:
		nic_arrival(world, end);
		break;
	case SLOT_CHIP:
		chip_advance(&end->chip, world->now_at_ns);
		nic_check_line(world, end);
		break;
	case SLOT_SENT:
		nic_sent(world, end);
		break;
	case SLOT_NAPI_TIMER:
	case SLOT_TX_TIMER:
	case SLOT_APP_TIMER:
		timer_ends(world, end, slot);
		break;
	default:
		cpu_step_ends(world, &end->host->cpu[slot - SLOT_CPU]);
		break;
	}
	world_sync(world, end);
}

static int64_t jiffy_ns(const struct end *end)
{
	return NS_PER_S / end->profile->hz;
}

/* Counting begins here: what was found before is forgotten, frames under way stay counted. */
static void begin_counting(struct world *world)
{
	struct run_findings *found = findings(world);
	const uint64_t sent = found->sent, received = found->received, dropped = found->dropped;

	memset(found, 0, sizeof(*found));
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		histogram_init(&found->latency[i]);
	}
	found->sent = sent;
	found->received = received;
	found->dropped = dropped;
	world->counted_since_at_ns = world->now_at_ns;
	for (unsigned e = 0; e < 2; e++) {
		struct host *host = &world->host[e];

		for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
			struct cpu *cpu = &host->cpu[i];

			cpu_book(cpu, world->now_at_ns);
			memset(cpu->booked_ns, 0, sizeof(cpu->booked_ns));
			host->tick_seen_ns[i] = 0;
		}
	}
}

static void tick(struct world *world)
{
	int64_t next_ns = NEVER_AT_NS;

	for (unsigned e = 0; e < 2; e++) {
		struct end *end = &world->end[e];

		if (end->ideal || end->host->index != e) {
			continue;
		}
		const int64_t jiffy = jiffy_ns(end);

		if (world->now_at_ns % jiffy == 0) {
			hardirq_tick(world, end);
			world_sync(world, end);
		}
		next_ns = time_min(next_ns, (world->now_at_ns / jiffy + 1) * jiffy);
	}
	eventq_set(&world->queue, SLOT_TICK, next_ns);
}

static void dispatch(struct world *world, unsigned slot)
{
	if (slot < 2 * SLOTS_PER_END) {
		end_event(world, &world->end[slot / SLOTS_PER_END], slot % SLOTS_PER_END);
	} else if (slot == SLOT_LINES) {
		eventq_set(&world->queue, SLOT_LINES, NEVER_AT_NS);
		nic_take_lines(world, &world->end[0]);
		world_sync(world, &world->end[0]);
	} else if (slot == SLOT_TICK) {
		tick(world);
	} else if (slot == SLOT_WARMUP) {
		eventq_set(&world->queue, SLOT_WARMUP, NEVER_AT_NS);
		begin_counting(world);
	} else {
		world->finished = true;
	}
}

static void run_loop(struct world *world)
{
	while (!world->finished) {
		const unsigned slot = eventq_first(&world->queue);

		world->now_at_ns = world->queue.at_ns[slot];
		dispatch(world, slot);
	}
}

/* The interrupt of the link coming up, and what it sets off in chip and driver, is over long before: traffic meets a quiet NIC. */
#define SETTLE_NS (20 * NS_PER_MS)

static void settle(struct world *world)
{
	for (unsigned e = 0; e < 2; e++) {
		if (!world->end[e].ideal) {
			nic_check_line(world, &world->end[e]);
		}
		world_sync(world, &world->end[e]);
	}
	tick(world);
	eventq_set(&world->queue, SLOT_END, SETTLE_NS);
	run_loop(world);
	world->finished = false;
	begin_counting(world);
}

static void start(struct world *world)
{
	const struct world_config *config = world->config;

	eventq_set(&world->queue, SLOT_END, world->now_at_ns + config->warmup_ns + config->duration_ns);
	world->sources_end_at_ns = world->now_at_ns + config->warmup_ns + config->duration_ns - config->drain_ns;
	if (config->warmup_ns > 0) {
		eventq_set(&world->queue, SLOT_WARMUP, world->now_at_ns + config->warmup_ns);
	}
	/* The peer first: it has to be ready when the board begins. */
	for (unsigned i = 0; i < 2; i++) {
		struct end *end = &world->end[1 - i];

		workload_schedule_init(&end->schedule, world->workload, world->now_at_ns, config->seed);
		if (end->ideal) {
			ideal_start(world, end);
		} else if (end->app.role != APP_NONE) {
			app_start(world, end);
		}
		world_sync(world, end);
	}
}

/* ---- the outside ---- */

void world_config_init(struct world_config *config)
{
	memset(config, 0, sizeof(*config));
	config->end[1].ideal = true;
	config->duration_ns = 3 * NS_PER_S;
	config->seed = 1;
}

static int check_config(const struct world_config *config, struct err *err)
{
	if (config->end[0].ideal) {
		return err_set(err, -EINVAL, "the board cannot be ideal: only its peer can");
	}
	if (config->duration_ns <= 0) {
		return err_set(err, -EINVAL, "duration has to be more than 0");
	}
	if (config->warmup_ns < 0 || config->duration_ns > NEVER_AT_NS / 4 || config->warmup_ns > NEVER_AT_NS / 4) {
		return err_set(err, -EINVAL, "duration and warm-up have to be 0 to 73 years");
	}
	if (config->hops >= WIRE_SEGMENTS_MAX) {
		return err_set(err, -EINVAL, "hops has to be 0 to %d", WIRE_SEGMENTS_MAX - 1);
	}
	return 0;
}

int world_run(const struct world_config *given, struct run *run, struct err *err)
{
	struct world_config config = *given;

	if (config.speed_mbps == 0) {
		config.speed_mbps = config.end[0].board.speed_mbps;
	}
	int ret = check_config(&config, err);
	if (ret < 0) {
		return ret;
	}
	struct world *world = calloc(1, sizeof(*world));
	if (!world) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	run_init(run);
	world->config = &config;
	world->workload = &config.workload;
	world->run = run;
	eventq_init(&world->queue);
	ret = world_bring_up(world, err);
	if (ret == 0) {
		settle(world);
		start(world);
		run_loop(world);
		record_run(world);
	}
	world_free(world);
	return ret;
}
