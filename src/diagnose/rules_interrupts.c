/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts, CPUs, and frames that are lost between them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/rules.h"

static const char *vector_owner(const struct diagnosis *diagnosis, const struct diagnose_vector *vector)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		if (vector->devices >> i & 1) {
			return diagnosis->devices[i].name[0] ? diagnosis->devices[i].name : diagnosis->devices[i].bus;
		}
	}
	return "";
}

void rule_shared_line(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		const struct diagnose_vector *const vector = &diagnosis->vectors[i];

		if (vector->devices && vector->is_shared) {
			remark_add(diagnosis, origin, DIAGNOSE_NOTE,
				   "interrupt %" PRIu32 " of %s is shared (%s): its count is an upper bound",
				   vector->irq, vector_owner(diagnosis, vector), vector->action);
		}
	}
}

/* Interrupts of one queue alone say nothing about how several are spread. */
static void check_spread(struct diagnosis *diagnosis, struct remark_origin *origin, unsigned index)
{
	unsigned data = 0, on_first = 0, cpu = 0;
	uint64_t count = 0;

	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		const struct diagnose_vector *const vector = &diagnosis->vectors[i];

		if (!(vector->devices >> index & 1) || !vector->is_data || vector->last == 0) {
			continue;
		}
		cpu = data ? cpu : vector->cpu;
		data++;
		count += vector->last;
		/* All but a thousandth. */
		on_first += vector->cpu == cpu && vector->cpu_count >= vector->last - vector->last / 1000;
	}
	if (data < 2 || on_first < data) {
		return;
	}
	origin->device = (int)index;
	remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
		   "all %" PRIu64 " interrupts of the %u queues of %s were taken by CPU %u: pin first, coalesce second",
		   count, data, remark_device(diagnosis, (int)index), cpu);
	remark_try(diagnosis, origin, "cat /proc/irq/*/smp_affinity_list",
		   "spread the queues over CPUs, and keep the load off CPU %u", cpu);
}

void rule_one_cpu(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		check_spread(diagnosis, origin, i);
	}
}

void rule_no_direction(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		if (strstr(diagnosis->vectors[i].action, "gve-ntfy-blk")) {
			remark_add(
				diagnosis, origin, DIAGNOSE_NOTE,
				"the names of gve's vectors do not tell the direction: unknown from the text (by the "
				"driver the lower half is transmit, the upper half receive)");
		}
	}
}

/* ---- interrupts a second against a hold ---- */

static uint32_t usecs_of(const struct diagnosis *diagnosis, int *device)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct coalesce *const settings = &diagnosis->devices[i].settings;

		if (settings->value[COALESCE_RX_USECS] && !settings->value[COALESCE_ADAPTIVE_RX]) {
			*device = (int)i;
			return settings->value[COALESCE_RX_USECS];
		}
	}
	for (unsigned i = 0; i < diagnosis->change_count; i++) {
		if (diagnosis->changes[i].request.value[COALESCE_RX_USECS] && !diagnosis->changes[i].is_refused) {
			*device = diagnosis->changes[i].device;
			return diagnosis->changes[i].request.value[COALESCE_RX_USECS];
		}
	}
	return 0;
}

/* The busiest queue decides: a hold limits each of them. Three percent are the counter's own rounding and drift. */
void rule_rate_limit(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	uint64_t most = 0, sum = 0;
	unsigned rows = 0;

	for (unsigned i = 0; i < diagnosis->rate_count; i++) {
		most = diagnosis->rates[i].max > most ? diagnosis->rates[i].max : most;
		sum += diagnosis->rates[i].sum;
		rows += diagnosis->rates[i].rows;
	}
	const uint32_t usecs = usecs_of(diagnosis, &origin->device);

	if (!rows || !usecs || !most) {
		return;
	}
	const uint64_t limit = 1000000 / usecs, mean = (sum + rows / 2) / rows;

	if (most * 100 > limit * 103) {
		remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
			   "rx-usecs %" PRIu32 " allows %" PRIu64 " interrupts/s of a queue, and up to %" PRIu64
			   " (mean %" PRIu64
			   ", n %u) were counted: accepted but ignored, or a queue has several vectors",
			   usecs, limit, most, mean, rows);
	} else if (most * 100 >= limit * 80) {
		remark_add(diagnosis, origin, DIAGNOSE_MEANS,
			   "rx-usecs %" PRIu32 " is honoured: it allows %" PRIu64
			   " interrupts/s of a queue, at most %" PRIu64 " (one each %" PRIu64 ".%" PRIu64
			   " us; mean %" PRIu64 ", n %u) were counted",
			   usecs, limit, most, 1000000 / most, 10000000 / most % 10, mean, rows);
	} else {
		remark_add(diagnosis, origin, DIAGNOSE_NOTE,
			   "rx-usecs %" PRIu32 " allows %" PRIu64 " interrupts/s of a queue, at most %" PRIu64
			   " were counted: it is not what limits them here, whether it is honoured cannot be told",
			   usecs, limit, most);
	}
}

/* ---- softnet_stat, drops ---- */

void rule_softnet(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	const struct diagnose_softnet *const now = &diagnosis->softnet, *const before = &diagnosis->softnet_before;

	if (!diagnosis->has_softnet) {
		return;
	}
	if (diagnosis->softnet_snapshots < 2) {
		remark_add(diagnosis, origin, DIAGNOSE_NOTE,
			   "softnet_stat of %u CPUs: %" PRIu64 " frames, %" PRIu64 " dropped, time_squeeze %" PRIu64
			   " since the start: one look tells no rate, and a squeeze without drops is no alarm",
			   now->cpus, now->processed, now->dropped, now->time_squeeze);
		return;
	}
	const uint64_t dropped = now->dropped - before->dropped, squeezed = now->time_squeeze - before->time_squeeze;

	if (dropped && dropped < UINT32_MAX) {
		remark_add(diagnosis, origin, DIAGNOSE_CAUSE,
			   "the kernel dropped %" PRIu64 " frames between the two looks: the backlog queue was full, "
			   "net.core.netdev_max_backlog bounds it",
			   dropped);
	} else {
		remark_add(diagnosis, origin, DIAGNOSE_NOTE,
			   "between the two looks the softirq ran out of its budget %" PRIu64
			   " times and dropped nothing: no alarm",
			   squeezed);
	}
}

/* Frames are lost while the CPUs have time: waking up, or the ring, is too slow for the rate. */
void rule_drops(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		const struct diagnose_drops *const drops = &diagnosis->devices[i].drops;
		const int64_t lost = drops->missed > drops->no_buffer ? drops->missed : drops->no_buffer;
		const int64_t all = lost > drops->dropped ? lost : drops->dropped;

		origin->device = (int)i;
		if (all <= 0) {
			continue;
		}
		if (diagnosis->idle_permille >= 200) {
			remark_add(
				diagnosis, origin, DIAGNOSE_CAUSE,
				"frames were lost (%" PRId64 ") while the CPUs were idle for %d.%d %% of the time: the "
				"wake-up (idle states) takes too long or the ring is too small, a shorter rx-usecs is "
				"not what helps",
				all, diagnosis->idle_permille / 10, diagnosis->idle_permille % 10);
			remark_try(diagnosis, origin, "cpupower idle-set -D 20",
				   "without deep idle states first, then a larger ring (ethtool -G)");
		} else {
			remark_add(diagnosis, origin, DIAGNOSE_NOTE,
				   "%" PRId64
				   " frames were lost on %s since it was loaded: before coalescing is touched, "
				   "look at the rate of it and at the CPUs",
				   all, remark_device(diagnosis, (int)i));
		}
	}
}

void rule_affinity(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	if (diagnosis->affinity[0]) {
		remark_add(diagnosis, origin, DIAGNOSE_MEANS, "the affinity mask is CPU %s", diagnosis->affinity);
	}
}
