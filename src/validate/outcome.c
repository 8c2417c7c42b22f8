/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a run to the terms of a cell. A campaign's tool stops after so many exchanges or datagrams, a run after a time:
 * counts of the run are those per exchange or datagram, times as many as were measured.
 */
#include "base/time.h"
#include "base/wide.h"
#include "validate/cell.h"

/*
 * What the campaign's receiver did with each datagram when the traffic was over: CPU time that delays nothing. Where the
 * CPU is never idle (200 kpps) datagrams are taken each 5 us and cost 5.3 us. Fitted on the cells of datagrams at
 * rx-usecs 100; in instructions.
 */
#define TALLY_INSTRUCTIONS 300

static void model(struct cell *cell, enum cell_quantity quantity, int64_t value)
{
	cell->value[quantity].is_modelled = true;
	cell->value[quantity].modelled = value;
}

/* ping prints round trips in whole us: mean cut, as its division does, others to the nearest. */
static int64_t as_printed(const struct cell *cell, int64_t value_ns, int64_t half_ns)
{
	return cell->has_whole_us ? (value_ns + half_ns) / NS_PER_US * NS_PER_US : value_ns;
}

static enum run_latency latency_of(const struct cell *cell)
{
	if (cell->workload.kind != WORKLOAD_UDP) {
		return RUN_RTT;
	}
	return cell->is_shared ? RUN_SEND_TO_RECV : RUN_ONE_WAY;
}

static void take_latency(struct cell *cell, const struct histogram *histogram)
{
	if (histogram->count == 0) {
		return;
	}
	model(cell, CELL_LATENCY_MEAN, as_printed(cell, histogram_mean(histogram), 0));
	model(cell, CELL_LATENCY_P50, as_printed(cell, histogram_percentile(histogram, 500000), NS_PER_US / 2));
	model(cell, CELL_LATENCY_P99, as_printed(cell, histogram_percentile(histogram, 990000), NS_PER_US / 2));
}

/* What the counts of the run are per, and how many of them were measured. */
static void shares(const struct cell *cell, const struct run *run, const struct histogram *latency, uint64_t *of_run,
		   uint64_t *measured)
{
	switch (cell->workload.kind) {
	case WORKLOAD_UDP:
		*of_run = run->findings.sent;
		*measured = (uint64_t)cell->sent;
		break;
	case WORKLOAD_TCP:
	case WORKLOAD_TFTP:
		*of_run = *measured = 1;
		break;
	default:
		*of_run = latency->count;
		*measured = (uint64_t)cell->received;
		break;
	}
}

static int64_t tally_ns(const struct cell *cell)
{
	return cell->workload.kind == WORKLOAD_UDP ? cell->received * cell->ns_per_instruction * TALLY_INSTRUCTIONS : 0;
}

void cell_take_run(struct cell *cell, const struct run *run)
{
	const struct histogram *latency = &run->findings.latency[latency_of(cell)];
	uint64_t of_run, measured;

	take_latency(cell, latency);
	shares(cell, run, latency, &of_run, &measured);
	if (of_run == 0) {
		return;
	}
	model(cell, CELL_IRQS, (int64_t)wide_scale_to_nearest(run->findings.irq_count, measured, of_run));
	if (cell->is_shared) {
		model(cell, CELL_PEER_IRQS,
		      (int64_t)wide_scale_to_nearest(run->findings.peer_irq_count, measured, of_run));
	}
	model(cell, CELL_CPU_BUSY,
	      (int64_t)wide_scale_to_nearest((uint64_t)(run_busy_ns(run) - run->findings.counted_idle_ns), measured,
					     of_run) +
		      tally_ns(cell));
	model(cell, CELL_LOST, (int64_t)wide_scale_to_nearest(run->findings.dropped, measured, of_run));
	model(cell, CELL_THROUGHPUT, (int64_t)run_goodput_bps(run));
	model(cell, CELL_EXCHANGES,
	      (int64_t)wide_scale_to_nearest(latency->count, 1000 * (uint64_t)NS_PER_S,
					     (uint64_t)run->conditions.duration_ns));
}

bool cell_error(const struct cell *cell, enum cell_quantity quantity, int64_t *milli_percent)
{
	const struct cell_value *value = &cell->value[quantity];
	const int64_t base = quantity == CELL_LOST ? cell->sent : value->measured;

	if (!value->is_measured || !value->is_modelled || base <= 0) {
		return false;
	}
	const bool is_low = value->modelled < value->measured;
	const uint64_t distance = is_low ? (uint64_t)(value->measured - value->modelled)
					 : (uint64_t)(value->modelled - value->measured);
	const int64_t error = (int64_t)wide_scale_to_nearest(distance, 100000, (uint64_t)base);

	*milli_percent = is_low ? -error : error;
	return true;
}
