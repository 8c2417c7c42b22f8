/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper: a process of its own that puts a change back when its deadline comes, or at once when the command that was making
 * it dies in the middle. It has a session of its own and no terminal, standard streams or working folder, and it is deaf to signals
 * but SIGTERM, at which it puts back what it looks after rather than never (a system that goes down, a session that is cleared).
 */
#ifndef HOLDOFF_CHANGE_HELPER_H
#define HOLDOFF_CHANGE_HELPER_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct helper_task {
	const char *folder; /* of the journal */
	uint64_t netns, token;
	int ifindex;
	char name[IFNAMSIZ];
	int64_t deadline_at_ns; /* CLOCK_BOOTTIME, NEVER_AT_NS without one */
};

/* ns of CLOCK_BOOTTIME: goes on while the machine sleeps. */
int64_t helper_now(void);

/*
 * Starts it, before the entry with this token is written. Returns a descriptor when the helper is ready, and its process in *pid; closing
 * the descriptor, by hand or by death, says that the command has ended: then the helper looks at the entry and does what it says.
 */
int helper_start(const struct helper_task *task, uint32_t *pid, struct err *err);

/* Whether this process is surely no helper any more: somebody has killed it. False if it cannot be told. */
bool helper_is_gone(uint32_t pid);

#endif
