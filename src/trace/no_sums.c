/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of sums.c in a program that is built without BPF. */
#include <errno.h>
#include <stddef.h>

#include "trace/sums.h"

#define WHY "this holdoff was built without BPF (make BPF=yes needs clang, bpftool and libbpf-dev)"

int sums_open(struct sums **sums, int ifindex, struct err *err)
{
	(void)ifindex;
	*sums = NULL;
	return err_set(err, -EOPNOTSUPP, WHY);
}

void sums_close(struct sums *sums)
{
	(void)sums;
}

int sums_read(const struct sums *sums, struct sums_cpu *cpus, unsigned max, unsigned *count, struct sums_polls *polls,
	      struct err *err)
{
	(void)sums;
	(void)cpus;
	(void)max;
	(void)polls;
	*count = 0;
	return err_set(err, -EOPNOTSUPP, WHY);
}

int sums_cost(const struct sums *sums, uint64_t *runs, int64_t *run_ns, struct err *err)
{
	(void)sums;
	*runs = 0;
	*run_ns = 0;
	return err_set(err, -EOPNOTSUPP, WHY);
}
