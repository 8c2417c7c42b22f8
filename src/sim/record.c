/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the world to the run: the conditions it was made under, and the findings that are not counted on the way: what is still under
 * way, the time of each CPU.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/world_private.h"

/* ---- conditions ---- */

static void copy_name(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

void record_programmed(struct world *world, const struct end *end, const struct driver_write *writes, unsigned count)
{
	struct run_conditions *conditions = &world->run->conditions;

	for (unsigned i = 0; is_board(end) && i < count; i++) {
		const struct chip_register *row = chip_register_at(end->chip.config.family, writes[i].offset);
		unsigned slot = 0;

		while (slot < conditions->programmed_count && row &&
		       strcmp(conditions->programmed[slot].name, row->name) != 0) {
			slot++;
		}
		if (!row || slot == RUN_REGISTERS_MAX) {
			continue;
		}
		copy_name(conditions->programmed[slot].name, sizeof(conditions->programmed[slot].name), row->name);
		conditions->programmed[slot].value = writes[i].value;
		if (slot == conditions->programmed_count) {
			conditions->programmed_count++;
		}
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
		copy_name(conditions->peer_driver, sizeof(conditions->peer_driver), world->end[1].driver.variant->name);
		copy_name(conditions->peer_host, sizeof(conditions->peer_host), peer->profile.name);
		conditions->peer_requested = peer->request;
		conditions->shared_host = world->config->shared_host;
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
	conditions->propagation_ns = config->propagation_ns;
	conditions->cpus = board->cpus ? board->cpus : board->profile.cpus;
	conditions->irq_cpu = board->irq_cpu;
	conditions->app_cpu = board->app_cpu;
	conditions->requested = board->request;
	conditions->reports_settings = driver_get(&end->driver, &conditions->reported) == 0;
	conditions->gro_flush_timeout_ns = end->napi.gro_flush_timeout_ns;
	conditions->xmit_ns = board->profile.xmit_ns;
	conditions->defer_hard_irqs = end->napi.defer_hard_irqs;
	conditions->workload = config->workload;
	conditions->warmup_ns = config->warmup_ns;
	describe_hold(world);
	note_assumptions(conditions, &board->board.assume);
}

/* ---- findings ---- */

static uint64_t count_in_flight(struct world *world)
{
	uint64_t count = 0;

	for (unsigned e = 0; e < 2; e++) {
		const struct end *end = &world->end[e];

		count += frames_count(&world->in_flight[e]) + frames_count(&end->qdisc) + frames_count(&end->rx_ring);
		for (unsigned level = 0; !end->ideal && level < CPU_HARDIRQ; level++) {
			const struct cpu_step *step = &end->irq_cpu->level[level];

			count += step->active && step_end(step->step) == e &&
				 (step_kind(step->step) == STEP_RX || step_kind(step->step) == STEP_STACK);
		}
		count += end->list_count - end->list_done;
	}
	return count;
}

static void find_cpus(struct world *world)
{
	struct run_findings *found = findings(world);
	struct host *host = world->end[0].host;

	found->cpus = world->run->conditions.cpus;
	for (unsigned i = 0; i < found->cpus; i++) {
		struct cpu *cpu = &host->cpu[i];

		cpu_book(cpu, world->now_at_ns);
		found->cpu[i] = (struct run_cpu){
			.hardirq_ns = cpu->booked_ns[CPU_HARDIRQ_TIME],
			.softirq_ns = cpu->booked_ns[CPU_SOFTIRQ_TIME],
			.app_ns = cpu->booked_ns[CPU_APP_TIME],
			.idle_exit_ns = cpu->booked_ns[CPU_IDLE_EXIT_TIME],
			.number = i,
		};
	}
}

void record_level(struct world *world, struct end *end)
{
	struct run_findings *found = findings(world);
	const int level = driver_level(&end->driver);

	if (!is_board(end)) {
		return;
	}
	if (end->level >= 0) {
		found->level_ns[end->level] +=
			world->now_at_ns - time_max(end->level_since_at_ns, world->counted_since_at_ns);
	}
	found->level_changes += end->level >= 0 && level != end->level;
	end->level = level;
	end->level_since_at_ns = world->now_at_ns;
}

static void conclude(struct world *world)
{
	struct run_findings *found = findings(world);

	record_level(world, &world->end[0]);
	world->run->conditions.duration_ns = world->now_at_ns - world->counted_since_at_ns;
	found->app_bytes_span_ns = world->run->conditions.duration_ns;
	nic_masked(world, &world->end[0], false);
	for (unsigned i = 0; i < RUN_LATENCIES; i++) {
		found->has |= found->latency[i].count > 0 ? 1u << i : 0;
	}
	found->in_flight = count_in_flight(world);
	find_cpus(world);
}

void record_run(struct world *world)
{
	describe(world);
	conclude(world);
}
