/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop: take the earliest deadline of any part, let that part act, look at what it touched, again. All events that the world can
 * see are in `dispatch`. Equal instants run in the order in which they were set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/world_private.h"

#define RX_RING_FRAMES 1024
#define TX_RING_FRAMES 1024
#define QDISC_FRAMES 1024 /* txqueuelen is 1000 */
#define SOCKET_FRAMES 8192
#define FLIGHT_FRAMES 16384

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
			answer.payload = world->workload->size + 4;
			answer.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_TFTP, answer.payload);
		}
		break;
	}
	return answer;
}

/* ---- the loop ---- */

void world_sync(struct world *world, struct end *end)
{
	if (end->ideal) {
		return;
	}
	world_set(world, end, SLOT_CHIP, chip_deadline(&end->chip));
	world_set(world, end, SLOT_CPU + (unsigned)(end->irq_cpu - end->cpu), cpu_deadline(end->irq_cpu));
	if (end->app_cpu != end->irq_cpu) {
		world_set(world, end, SLOT_CPU + (unsigned)(end->app_cpu - end->cpu), cpu_deadline(end->app_cpu));
	}
}

static void cpu_step_ends(struct world *world, struct end *end, struct cpu *cpu)
{
	uint8_t step;
	const enum cpu_level level = cpu_finish(cpu, world->now_at_ns, &step);

	if (step == STEP_APP) {
		app_step_done(world, end);
	} else if (step == STEP_SWITCH) {
		end_resume(world, end, cpu, CPU_TASK);
	} else {
		softirq_step_done(world, end, cpu, level, (enum step)step);
	}
}

static void timer_ends(struct world *world, struct end *end, enum end_slot slot)
{
	world_set(world, end, slot, NEVER_AT_NS);
	if (end->ideal) {
		ideal_timer(world, end);
	} else {
		softirq_timer(world, end, slot);
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
		cpu_step_ends(world, end, &end->cpu[slot - SLOT_CPU]);
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
		for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
			struct cpu *cpu = &world->end[e].cpu[i];

			cpu_book(cpu, world->now_at_ns);
			memset(cpu->booked_ns, 0, sizeof(cpu->booked_ns));
			world->end[e].tick_seen_ns[i] = 0;
		}
	}
}

static void tick(struct world *world)
{
	int64_t next_ns = NEVER_AT_NS;

	for (unsigned e = 0; e < 2; e++) {
		struct end *end = &world->end[e];

		if (end->ideal) {
			continue;
		}
		const int64_t jiffy = jiffy_ns(end);

		if (world->now_at_ns % jiffy == 0) {
			end_tick(world, end);
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

/* ---- set-up ---- */

static void roles(const struct workload *workload, enum app_role *board, enum app_role *peer)
{
	const bool rx = workload->direction == WORKLOAD_RX;

	switch (workload->kind) {
	case WORKLOAD_PING:
		*board = APP_PING;
		*peer = APP_NONE;
		break;
	case WORKLOAD_RR:
		*board = APP_CLIENT;
		*peer = APP_SERVER;
		break;
	case WORKLOAD_FIELDBUS:
		*board = APP_CLIENT;
		*peer = APP_NONE;
		break;
	case WORKLOAD_TCP:
		*board = rx ? APP_TCP_RECEIVER : APP_TCP_SENDER;
		*peer = rx ? APP_TCP_SENDER : APP_TCP_RECEIVER;
		break;
	case WORKLOAD_TFTP:
		*board = rx ? APP_CLIENT : APP_SERVER;
		*peer = rx ? APP_SERVER : APP_CLIENT;
		break;
	default:
		*board = rx ? APP_SINK : APP_SOURCE;
		*peer = rx ? APP_SOURCE : APP_SINK;
		break;
	}
}

static bool frames_allocate(struct frames *frames, uint32_t count)
{
	*frames = (struct frames){ .frame = calloc(count, sizeof(struct frame)), .mask = count - 1 };
	return frames->frame != NULL;
}

static bool end_allocate(struct end *end)
{
	return frames_allocate(&end->rx_ring, RX_RING_FRAMES) && frames_allocate(&end->tx_ring, TX_RING_FRAMES) &&
	       frames_allocate(&end->qdisc, QDISC_FRAMES) && frames_allocate(&end->socket, SOCKET_FRAMES);
}

static void world_free(struct world *world)
{
	for (unsigned e = 0; e < 2; e++) {
		free(world->end[e].rx_ring.frame);
		free(world->end[e].tx_ring.frame);
		free(world->end[e].qdisc.frame);
		free(world->end[e].socket.frame);
		free(world->in_flight[e].frame);
	}
	free(world);
}

static uint32_t ring_size(unsigned descriptors, uint32_t most)
{
	return descriptors == 0 || descriptors > most ? most : descriptors;
}

static void copy_name(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/* Keeps the last value written to each register, as what the driver has programmed. */
static void note_programmed(struct world *world, const struct end *end, const struct driver_result *result)
{
	struct run_conditions *conditions = &world->run->conditions;

	for (unsigned i = 0; is_board(end) && i < result->write_count; i++) {
		const struct chip_register *row = chip_register_at(end->chip.config.family, result->writes[i].offset);
		unsigned slot = 0;

		while (slot < conditions->programmed_count && row &&
		       strcmp(conditions->programmed[slot].name, row->name) != 0) {
			slot++;
		}
		if (!row || slot == RUN_REGISTERS_MAX) {
			continue;
		}
		copy_name(conditions->programmed[slot].name, sizeof(conditions->programmed[slot].name), row->name);
		conditions->programmed[slot].value = result->writes[i].value;
		if (slot == conditions->programmed_count) {
			conditions->programmed_count++;
		}
	}
}

static void perform(struct world *world, struct end *end, const struct driver_result *result)
{
	nic_writes(world, end, result->writes, result->write_count);
	note_programmed(world, end, result);
}

/* Probe, link, ifup, and what the user sets then. */
static int nic_bring_up(struct world *world, struct end *end, struct err *err)
{
	const struct end_config *config = end->config;
	const char *name = config->driver[0] ? config->driver : config->board.driver;
	const struct driver_variant *variant = driver_variant_find(name);
	struct driver_config driver_config;
	struct driver_result result;
	struct chip_config chip_config;

	if (!variant) {
		return err_set(err, -EINVAL, "unknown driver \"%s\"", name);
	}
	board_driver_config(&config->board, &driver_config);
	board_chip_config(&config->board, variant, &chip_config);
	const int ret = driver_init(&end->driver, variant, &driver_config, err);
	if (ret < 0) {
		return ret;
	}
	chip_init(&end->chip, &chip_config);
	chip_set_link(&end->chip, 0, world->config->speed_mbps);
	end->plan = driver_plan(&end->driver);
	end->tells_rx_free = config->board.family == CHIP_E1000E;
	end->rx_ring_size = ring_size(variant->rx_ring, RX_RING_FRAMES);
	end->tx_ring_size = ring_size(variant->tx_ring, TX_RING_FRAMES);
	driver_open(&end->driver, &result);
	perform(world, end, &result);
	driver_link(&end->driver, world->config->speed_mbps, &result);
	perform(world, end, &result);
	if (config->request.present) {
		driver_set(&end->driver, &config->request, &result);
		if (result.error) {
			return err_set(err, result.error, "%s refuses the settings: %s", variant->name, result.why);
		}
		perform(world, end, &result);
	}
	for (unsigned i = 0; i < config->poke_count; i++) {
		chip_write(&end->chip, 0, config->poke[i].offset, config->poke[i].value);
	}
	end->rx_frame_flags = driver_rx_frame_flags(&end->driver);
	nic_open(end);
	return 0;
}

static void napi_bring_up(struct end *end)
{
	const struct end_config *config = end->config;
	const bool defers = end->driver.variant->defers_by_default; /* netdev_sw_irq_coalesce_default_on */
	const uint32_t defer_hard_irqs = config->defer_hard_irqs_given ? config->defer_hard_irqs : defers ? 1 : 0;
	const int64_t gro_flush_timeout_ns = config->gro_flush_timeout_given ? config->gro_flush_timeout_ns
					     : defers			     ? 20 * NS_PER_US
									     : 0;

	napi_init(&end->napi, defer_hard_irqs, gro_flush_timeout_ns);
}

static int host_bring_up(struct world *world, struct end *end, struct err *err)
{
	const struct end_config *config = end->config;
	const unsigned cpus = config->cpus ? config->cpus : config->profile.cpus;

	if (cpus < 1 || cpus > RUN_CPUS_MAX || config->irq_cpu >= cpus || config->app_cpu >= cpus) {
		return err_set(err, -EINVAL, "irq-cpu %u and app-cpu %u have to be among %u CPUs, of 1 to %d",
			       config->irq_cpu, config->app_cpu, cpus, RUN_CPUS_MAX);
	}
	end->profile = &config->profile;
	for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
		cpu_init(&end->cpu[i]);
	}
	end->irq_cpu = &end->cpu[config->irq_cpu];
	end->app_cpu = &end->cpu[config->app_cpu];
	const int ret = nic_bring_up(world, end, err);
	if (ret < 0) {
		return ret;
	}
	napi_bring_up(end);
	return 0;
}

static int end_bring_up(struct world *world, unsigned index, struct err *err)
{
	struct end *end = &world->end[index];

	end->index = index;
	end->config = &world->config->end[index];
	end->ideal = end->config->ideal;
	end->masked_since_at_ns = NEVER_AT_NS;
	random_init(&end->random, world->config->seed, index);
	wire_init(&world->wire[index], world->config->speed_mbps, world->config->hops, world->config->propagation_ns);
	if (!end_allocate(end) || !frames_allocate(&world->in_flight[index], FLIGHT_FRAMES)) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	return end->ideal ? 0 : host_bring_up(world, end, err);
}

/* The interrupt of the link coming up, and what it sets off in chip and driver, is over long before: traffic meets a quiet NIC. */
#define SETTLE_NS (20 * NS_PER_MS)

static void settle(struct world *world)
{
	for (unsigned e = 0; e < 2; e++) {
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

/* ---- what came out ---- */

static uint64_t count_in_flight(struct world *world)
{
	uint64_t count = 0;

	for (unsigned e = 0; e < 2; e++) {
		struct end *end = &world->end[e];

		count += frames_count(&world->in_flight[e]) + frames_count(&end->qdisc) + frames_count(&end->rx_ring);
		for (unsigned level = 0; !end->ideal && level < CPU_HARDIRQ; level++) {
			const struct cpu_step *step = &end->irq_cpu->level[level];

			count += step->active && (step->step == STEP_RX || step->step == STEP_STACK);
		}
		count += end->list_count - end->list_done;
	}
	return count;
}

static void find_cpus(struct world *world)
{
	struct run_findings *found = findings(world);
	struct end *board = &world->end[0];

	found->cpus = world->run->conditions.cpus;
	for (unsigned i = 0; i < found->cpus; i++) {
		struct cpu *cpu = &board->cpu[i];

		cpu_book(cpu, world->now_at_ns);
		found->cpu[i] = (struct run_cpu){
			.hardirq_ns = cpu->booked_ns[CPU_HARDIRQ_TIME],
			.softirq_ns = cpu->booked_ns[CPU_SOFTIRQ_TIME],
			.app_ns = cpu->booked_ns[CPU_APP_TIME],
			.idle_exit_ns = cpu->booked_ns[CPU_IDLE_EXIT_TIME],
		};
	}
}

/* Kind and span of a hold as a run names them: where only a count of frames ends the wait there is no span. */
static const char *hold_kind(const struct chip_hold *hold, int64_t *hold_ns)
{
	static const char *const kinds[] = { "none", "hold-off", "restarting hold-off", "throttle" };
	const bool is_endless = hold->hold_ns == NEVER_AT_NS;

	*hold_ns = is_endless ? 0 : hold->hold_ns;
	return is_endless ? "frame count" : kinds[hold->kind];
}

static void describe_hold(struct world *world)
{
	struct run_conditions *conditions = &world->run->conditions;
	const struct end *end = &world->end[0];
	const struct chip_hold rx = board_hold(&end->chip, &end->driver, 0, CHIP_RX);
	const struct chip_hold tx = board_hold(&end->chip, &end->driver, 0, CHIP_TX);

	conditions->effective_rx_kind = hold_kind(&rx, &conditions->effective_rx_ns);
	conditions->effective_rx_frames = rx.frames;
	conditions->effective_rx_limit_ns = rx.limit_ns;
	conditions->effective_rx_throttle_ns = rx.throttle_ns;
	conditions->effective_rx_bypass_below_bytes = rx.bypass_below_bytes;
	conditions->effective_tx_kind = hold_kind(&tx, &conditions->effective_tx_ns);
	conditions->effective_tx_frames = tx.frames;
	conditions->effective_tx_limit_ns = tx.limit_ns;
	conditions->effective_tx_throttle_ns = tx.throttle_ns;
	conditions->effective_tx_bypass_below_bytes = tx.bypass_below_bytes;
}

static void note_assumptions(struct run_conditions *conditions, const struct assume *assume)
{
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		if (assume->value[i] != assume_infos[i].initial && conditions->assume_count < RUN_ASSUMES_MAX) {
			struct run_assume *row = &conditions->assumes[conditions->assume_count++];

			copy_name(row->name, sizeof(row->name), assume_infos[i].name);
			row->value = assume->value[i];
		}
	}
}

static void describe_peer(const struct world *world, struct run_conditions *conditions)
{
	const struct end_config *peer = &world->config->end[1];
	const size_t size = sizeof(conditions->peer);
	char *text = conditions->peer, delay[TEXT_DURATION_MAX], more[TEXT_DURATION_MAX];

	if (!peer->ideal) {
		copy_name(text, size, peer->board.name);
		return;
	}
	size_t length = (size_t)snprintf(text, size, "ideal:%s", text_print_duration(peer->delay_ns, delay));

	if (peer->delay_sd_ns && length < size) {
		length += (size_t)snprintf(text + length, size - length, "~%s",
					   text_print_duration(peer->delay_sd_ns, delay));
	}
	if (peer->delay_max_ns && length < size) {
		snprintf(text + length, size - length, ",%s..%s", text_print_duration(peer->delay_min_ns, delay),
			 text_print_duration(peer->delay_max_ns, more));
	}
}

static void describe(struct world *world)
{
	struct run_conditions *conditions = &world->run->conditions;
	const struct world_config *config = world->config;
	const struct end_config *board = &config->end[0];
	const struct end *end = &world->end[0];

	conditions->source = RUN_MODEL;
	conditions->seed = config->seed;
	copy_name(conditions->board, sizeof(conditions->board), board->board.name);
	copy_name(conditions->driver, sizeof(conditions->driver), end->driver.variant->name);
	describe_peer(world, conditions);
	copy_name(conditions->host, sizeof(conditions->host), board->profile.name);
	copy_name(conditions->host_source, sizeof(conditions->host_source), board->profile.source);
	copy_name(conditions->host_fit, sizeof(conditions->host_fit), board->profile.fit);
	conditions->speed_mbps = config->speed_mbps;
	conditions->hops = config->hops;
	conditions->cpus = board->cpus ? board->cpus : board->profile.cpus;
	conditions->requested = board->request;
	conditions->reports_settings = driver_get(&end->driver, &conditions->reported) == 0;
	conditions->gro_flush_timeout_ns = end->napi.gro_flush_timeout_ns;
	conditions->defer_hard_irqs = end->napi.defer_hard_irqs;
	conditions->workload = config->workload;
	conditions->warmup_ns = config->warmup_ns;
	describe_hold(world);
	note_assumptions(conditions, &board->board.assume);
}

static void conclude(struct world *world)
{
	struct run_findings *found = findings(world);

	world->run->conditions.duration_ns = world->now_at_ns - world->counted_since_at_ns;
	found->app_bytes_span_ns = world->run->conditions.duration_ns;
	nic_masked(world, &world->end[0], false);
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		found->has |= found->latency[i].count > 0 ? 1u << i : 0;
	}
	found->in_flight = count_in_flight(world);
	find_cpus(world);
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
	roles(world->workload, &world->end[0].app.role, &world->end[1].app.role);
	for (unsigned e = 0; e < 2 && ret == 0; e++) {
		ret = end_bring_up(world, e, err);
	}
	if (ret == 0) {
		if (world->workload->kind == WORKLOAD_TCP) {
			tcp_init(world);
		}
		settle(world);
		start(world);
		run_loop(world);
		describe(world);
		conclude(world);
	}
	world_free(world);
	return ret;
}
