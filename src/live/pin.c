/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Above ordinary processes, below the kernel's threads for interrupts (50). */
#define PRIORITY 20

static int hold_latency(struct pin *pin, struct err *err)
{
	const int32_t us = 0;

	pin->latency_fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	if (pin->latency_fd < 0 || write(pin->latency_fd, &us, sizeof(us)) != (ssize_t)sizeof(us)) {
		return err_set(err, -errno, "CPUs cannot be kept out of deep idle states: /dev/cpu_dma_latency: %s",
			       strerror(errno));
	}
	return 0;
}

static int hold_affinity(struct pin *pin, int cpu, struct err *err)
{
	cpu_set_t one;

	if (sched_getaffinity(0, sizeof(pin->affinity), &pin->affinity) != 0) {
		return err_set(err, -errno, "the CPUs of this process are not known: %s", strerror(errno));
	}
	cpu = cpu < 0 ? sched_getcpu() : cpu;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0) {
		return err_set(err, -errno, "this process cannot be put on CPU %d: %s", cpu, strerror(errno));
	}
	pin->has_affinity = true;
	return 0;
}

static int hold_priority(struct pin *pin, struct err *err)
{
	const struct sched_param parameters = { .sched_priority = PRIORITY };

	pin->policy = sched_getscheduler(0);
	sched_getparam(0, &pin->parameters);
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) != 0) {
		return err_set(err, -errno, "this process cannot have a real-time priority (CAP_SYS_NICE): %s",
			       strerror(errno));
	}
	pin->has_priority = true;
	return 0;
}

int pin_hold(struct pin *pin, int cpu, struct err *err)
{
	*pin = (struct pin){ .latency_fd = -1 };
	int ret = hold_latency(pin, err);

	ret = ret ? ret : hold_affinity(pin, cpu, err);
	ret = ret ? ret : hold_priority(pin, err);
	if (ret) {
		pin_release(pin);
	}
	return ret;
}

void pin_release(struct pin *pin)
{
	if (pin->has_priority) {
		sched_setscheduler(0, pin->policy, &pin->parameters);
	}
	if (pin->has_affinity) {
		sched_setaffinity(0, sizeof(pin->affinity), &pin->affinity);
	}
	if (pin->latency_fd >= 0) {
		close(pin->latency_fd);
	}
	*pin = (struct pin){ .latency_fd = -1 };
}
