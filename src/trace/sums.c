/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/sums.h"

#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sums.skel.h> /* made from sums.bpf.c */

#include "trace/loading.h"
#include "trace/sums_slot.h"

static_assert(SUMS_BATCHES == SUMS_BATCH_SIZES, "the kernel's side and ours agree");

struct sums {
	struct sums_bpf *programs;
	int statistics_fd; /* while it is open the kernel takes the time of BPF programs; -1: it does not */
	int cpus;
};

static int start(struct sums *sums, int ifindex)
{
	unsigned inode;
	int ret = loading_namespace(&inode);

	if (ret < 0) {
		return ret;
	}
	sums->programs = sums_bpf__open();
	if (!sums->programs) {
		return -errno;
	}
	sums->programs->rodata->ifindex = ifindex;
	sums->programs->rodata->network_namespace = inode;
	ret = sums_bpf__load(sums->programs);

	return ret ? ret : sums_bpf__attach(sums->programs);
}

int sums_open(struct sums **opened, int ifindex, struct err *err)
{
	struct sums *const sums = calloc(1, sizeof(*sums));

	*opened = NULL;
	if (!sums) {
		return err_set(err, -ENOMEM, "no memory to count in the kernel");
	}
	sums->statistics_fd = -1;
	loading_begin();
	sums->cpus = libbpf_num_possible_cpus();
	const int ret = sums->cpus < 0 ? sums->cpus : start(sums, ifindex);

	loading_end();
	if (ret < 0) {
		sums_close(sums);
		return loading_explain(ret, "counting", err);
	}
	sums->statistics_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	*opened = sums;
	return 0;
}

void sums_close(struct sums *sums)
{
	if (!sums) {
		return;
	}
	if (sums->statistics_fd >= 0) {
		close(sums->statistics_fd);
	}
	sums_bpf__destroy(sums->programs);
	free(sums);
}

static void take_slot(const struct sums_slot *slot, struct sums_cpu *cpu, struct sums_polls *polls)
{
	*cpu = (struct sums_cpu){
		.hardirq_ns = (int64_t)slot->hardirq_ns,
		.softirq_ns = (int64_t)slot->softirq_ns,
		.softirq_net_ns = (int64_t)slot->softirq_net_ns,
		.handlers = slot->handlers,
		.softirqs = slot->softirqs,
	};
	polls->polls += slot->polls;
	polls->work += slot->poll_work;
	polls->exhausted += slot->polls_exhausted;
	for (unsigned i = 0; i < SUMS_BATCHES; i++) {
		polls->batch[i] += slot->batch[i];
	}
}

int sums_read(const struct sums *sums, struct sums_cpu *cpus, unsigned max, unsigned *count, struct sums_polls *polls,
	      struct err *err)
{
	const int first = 0;
	struct sums_slot *const slots = calloc((size_t)sums->cpus, sizeof(*slots));

	*count = 0;
	memset(polls, 0, sizeof(*polls));
	if (!slots) {
		return err_set(err, -ENOMEM, "no memory to read what was counted in the kernel");
	}
	const int ret = bpf_map_lookup_elem(bpf_map__fd(sums->programs->maps.slots), &first, slots);

	for (unsigned i = 0; ret == 0 && i < (unsigned)sums->cpus; i++) {
		struct sums_cpu left_out;

		take_slot(&slots[i], i < max ? &cpus[i] : &left_out, polls);
	}
	free(slots);
	if (ret < 0) {
		return err_set(err, -errno, "what was counted in the kernel cannot be read: %s", strerror(errno));
	}
	*count = (unsigned)sums->cpus < max ? (unsigned)sums->cpus : max;
	return 0;
}

int sums_cost(const struct sums *sums, uint64_t *runs, int64_t *run_ns, struct err *err)
{
	*runs = 0;
	*run_ns = 0;
	if (sums->statistics_fd < 0) {
		return err_set(err, -EOPNOTSUPP, "this kernel does not take the time of BPF programs");
	}
	loading_cost(sums->programs->obj, runs, run_ns);
	return 0;
}
