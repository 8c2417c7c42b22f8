/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting one layer of the journal back: what holdoff has left is made again what it was, so that the read-back is the old one. What
 * somebody else has changed since is left alone.
 */
#ifndef HOLDOFF_CHANGE_PUT_BACK_H
#define HOLDOFF_CHANGE_PUT_BACK_H

#include "change/journal.h"

struct put_back {
	struct nic *nic;
	const struct nic_identity *identity;
	struct journal_layer *layer;
	bool force;
	struct change_set now, target, foreign; /* as read; what is to be put back; what is somebody else's */
};

/*
 * Reads what is there and finds what is to be put back. Then *layer says of its fields either what somebody else's value is measured by
 * (`left`), or nothing: those are ours in any case. The caller journals that before put_back_send, since a process that dies while it puts
 * back leaves values that are neither the old ones nor those that were left. With `force` all is ours. Borrows all arguments.
 */
int put_back_begin(struct put_back *work, struct nic *nic, const struct nic_identity *identity,
		   struct journal_layer *layer, bool force, struct err *err);

/*
 * 0: all of it is back (also when it was so already, or when a queue or instance is gone). -ESTALE: what was still ours is back,
 * *layer holds what somebody else has changed. -EUCLEAN: the old read-back did not come back. Other errors are those of reading and
 * sending; *layer is then untouched. reverted may be NULL; what was put back and what not is added to it.
 */
int put_back_send(struct put_back *work, struct change_reverted *reverted, struct err *err);

/* Fields that the adaptive mode moves by itself while it is on. */
uint32_t put_back_volatile(const struct coalesce *settings);

#endif
