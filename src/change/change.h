/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing a real interface with a way back. Every command that changes settings goes through a change:
 *
 *   change_begin     takes the lock of the device (a second holdoff is refused, with who holds it), reads what is there, checks that it can be put
 *                    back (through the driver model where the driver rounds), and journals it: synced to disk before anything is sent
 *   change_apply     sends only what differs, once for the device, each queue and each NAPI instance; on failure what was done is undone
 *   change_keep      the change stays: the journal entry stays too, for `holdoff revert`
 *   change_revert    puts the old read-back back, verifies, and drops the entry
 *
 * Journal: one file per device under /run/holdoff (root) or $XDG_RUNTIME_DIR/holdoff, written to a temporary, synced and renamed; so it is whole or
 * old. It names boot id, network namespace, ifindex, name and permanent address: after a reboot or when the interface was made anew an entry is stale,
 * is dropped and said once. --for and --until-confirmed are deadlines in the entry, and a helper process of its own (a session of its own, no
 * terminal, deaf to SIGHUP) that reverts when the deadline comes, whatever became of the command.
 */
#ifndef HOLDOFF_CHANGE_CHANGE_H
#define HOLDOFF_CHANGE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "nic/model.h"
#include "nic/nic.h"

#define CHANGE_QUEUES_MAX 64
#define CHANGE_NAPIS_MAX 64

struct change_queue {
	uint32_t queue;
	struct coalesce settings;
};

/* What is asked for, or what was there. */
struct change_set {
	struct coalesce device;
	unsigned queue_count, napi_count;
	struct change_queue queues[CHANGE_QUEUES_MAX];
	struct nic_napi napis[CHANGE_NAPIS_MAX];
};

enum change_end {
	CHANGE_STAYS,             /* until `holdoff revert` */
	CHANGE_FOR,               /* put back after span_ns */
	CHANGE_UNTIL_CONFIRMED    /* put back after span_ns unless `holdoff confirm` comes */
};

struct change {
	struct nic *nic;
	struct nic_identity identity;
	struct nic_model model;
	int lock_fd;
	struct change_set old;      /* of everything that the request touches */
	struct change_set wanted;
	struct change_set reported; /* read back after change_apply */
	bool is_applied;
	bool has_effect;            /* something that was asked for differs from before */
};

/* -EBUSY: another holdoff is at it (err says which). -EINVAL: could not be put back again. A stale entry is dropped; stale is set and
 * err holds the sentence though 0 is returned. */
int change_begin(struct change *change, struct nic *nic, const struct change_set *wanted, enum change_end end, int64_t span_ns, bool *stale,
		 struct err *err);
int change_apply(struct change *change, struct err *err);
/* Lets go of the lock. The journal entry stays, with its helper if it has a deadline. */
int change_keep(struct change *change, struct err *err);
/* -EUCLEAN when the old read-back did not come back: loud, the entry is kept (exit status 7). */
int change_revert(struct change *change, struct err *err);

/* What `holdoff revert DEV` does: by the entry of the device, whoever wrote it. force: also when somebody else has changed the values since
 * (-ESTALE without it). -ENOENT: nothing to put back. */
int change_revert_device(struct nic *nic, bool force, struct err *err);
/* `holdoff confirm DEV`: the deadline is taken away; -ENOENT without an entry. */
int change_confirm(struct nic *nic, struct err *err);

/* Devices with an entry, for `holdoff revert` without a name and for show. */
int change_list(char (*names)[IFNAMSIZ], unsigned max, struct err *err);

/* What the helper runs: sleeps to the deadline, then reverts unless the entry is gone or confirmed. Returns an exit status. */
int change_helper(const char *entry_path);

#endif
