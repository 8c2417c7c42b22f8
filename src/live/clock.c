/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/time.h"

int64_t clock_thread_cpu(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (int64_t)used.tv_sec * NS_PER_S + used.tv_nsec;
}

void clock_identify(struct clock_identity *identity)
{
	FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat status;

	*identity = (struct clock_identity){ .boot = "" };
	if (file) {
		if (!fgets(identity->boot, sizeof(identity->boot), file)) {
			identity->boot[0] = '\0';
		}
		identity->boot[strcspn(identity->boot, "\n")] = '\0';
		fclose(file);
	}
	if (stat("/proc/self/ns/time", &status) == 0) {
		identity->time_namespace = (uint64_t)status.st_ino;
	}
}

bool clock_is_same(const struct clock_identity *one, const struct clock_identity *other)
{
	return one->boot[0] && strcmp(one->boot, other->boot) == 0 && one->time_namespace == other->time_namespace;
}
