/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to an interface while it is measured: rtnetlink's notifications, one change at a time. */
#ifndef HOLDOFF_LIVE_LINK_WATCH_H
#define HOLDOFF_LIVE_LINK_WATCH_H

#include <net/if.h>
#include <stdbool.h>

#include "base/err.h"

enum link_change { LINK_WENT_DOWN, LINK_CAME_UP, LINK_LOST_CARRIER, LINK_HAS_CARRIER, LINK_RENAMED, LINK_GONE };

struct link_state {
	char name[IFNAMSIZ];
	bool is_up, has_carrier, is_gone;
};

struct link_watch {
	int fd; /* to be polled for input; -1: nothing is watched */
	int ifindex;
	struct link_state told, now; /* what has been told, and what is */
};

/* Watches from now on. */
int link_watch_open(struct link_watch *watch, int ifindex, struct err *err);
void link_watch_close(struct link_watch *watch);

/* The next change, without waiting; name is the interface's after it. False: there is none. */
bool link_watch_next(struct link_watch *watch, enum link_change *change, char name[IFNAMSIZ]);

/* "went down", for "eth0 ...". */
const char *link_change_words(enum link_change change);

#endif
