/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/pmu.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(uint64_t what, unsigned cpu)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = what,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

void pmu_open(struct pmu *pmu)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;

	*pmu = (struct pmu){ 0 };
	if (cpus <= 0) {
		return;
	}
	pmu->fd = calloc((size_t)cpus, sizeof(*pmu->fd));
	if (!pmu->fd) {
		return;
	}
	pmu->cpus = (unsigned)cpus;
	for (unsigned cpu = 0; cpu < pmu->cpus; cpu++) {
		pmu->fd[cpu][0] = open_counter(PERF_COUNT_HW_CPU_CYCLES, cpu);
		pmu->fd[cpu][1] = open_counter(PERF_COUNT_HW_INSTRUCTIONS, cpu);
		any |= pmu->fd[cpu][0] >= 0 && pmu->fd[cpu][1] >= 0;
	}
	if (!any) {
		pmu_close(pmu);
	}
}

void pmu_close(struct pmu *pmu)
{
	for (unsigned i = 0; i < 2 * pmu->cpus; i++) {
		if (pmu->fd[i / 2][i % 2] >= 0) {
			close(pmu->fd[i / 2][i % 2]);
		}
	}
	free(pmu->fd);
	*pmu = (struct pmu){ 0 };
}

static bool read_counter(int fd, uint64_t *value)
{
	uint64_t answer[3]; /* value, time enabled, time running */

	if (fd < 0 || read(fd, answer, sizeof(answer)) != (ssize_t)sizeof(answer) || answer[1] != answer[2]) {
		return false;
	}
	*value = answer[0];
	return true;
}

bool pmu_read(const struct pmu *pmu, unsigned cpu, uint64_t *cycles, uint64_t *instructions)
{
	return cpu < pmu->cpus && read_counter(pmu->fd[cpu][0], cycles) && read_counter(pmu->fd[cpu][1], instructions);
}
