/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of probes.c in a program that is built without BPF. */
#include <errno.h>
#include <stddef.h>

#include "trace/probes.h"

#define WHY "this holdoff was built without BPF (make BPF=yes needs clang, bpftool and libbpf-dev)"

int probes_open(struct probes **probes, const struct probes_request *request, struct err *err)
{
	(void)request;
	*probes = NULL;
	return err_set(err, -EOPNOTSUPP, WHY);
}

void probes_close(struct probes *probes)
{
	(void)probes;
}

void probes_stop(struct probes *probes)
{
	(void)probes;
}

int probes_read(struct probes *probes, struct path_result *result, struct err *err)
{
	(void)probes;
	(void)result;
	return err_set(err, -EOPNOTSUPP, WHY);
}

void probes_follow(struct probes *probes, unsigned every)
{
	(void)probes;
	(void)every;
}

int probes_packets(struct probes *probes, uint64_t *sent, uint64_t *received)
{
	(void)probes;
	*sent = *received = 0;
	return -EOPNOTSUPP;
}

int probes_write_events(struct probes *probes, uint64_t *lost, struct err *err)
{
	(void)probes;
	*lost = 0;
	return err_set(err, -EOPNOTSUPP, WHY);
}

int probes_end_events(struct probes *probes, uint64_t *lost, struct err *err)
{
	(void)probes;
	*lost = 0;
	return err_set(err, -EOPNOTSUPP, WHY);
}

int probes_cost_begin(struct probes *probes, struct err *err)
{
	(void)probes;
	return err_set(err, -EOPNOTSUPP, WHY);
}

void probes_cost_end(struct probes *probes, struct probes_cost *cost)
{
	(void)probes;
	(void)cost;
}
