/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After a setting was changed: some drivers reset the card for it, and the link goes down for a second or three. */
#ifndef HOLDOFF_LIVE_SETTLE_H
#define HOLDOFF_LIVE_SETTLE_H

#include "base/err.h"
#include "nic/nic.h"

/*
 * Waits until the interface has had its carrier for 100 ms, and where it had lost it, until the host answers a ping, for it may take
 * a while until frames pass (spanning tree, address resolution). stop_fd ends it when it can be read; -1: nothing does. -EINTR; -ENETDOWN
 * when the link does not come back within 20 s; -EHOSTUNREACH when the host does not answer within 20 s of that; -ENODEV.
 */
int settle(struct nic *nic, const char *host, int stop_fd, struct err *err);

#endif
