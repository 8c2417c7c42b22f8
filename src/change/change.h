/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing a real interface with a way back. Every command that changes settings goes through a change:
 *
 *   change_begin     takes the lock of the device (a second holdoff is refused, with who holds it), reads what is there,
 *                    checks that it can be put back (through the driver model where the driver rounds), starts the helper
 *                    and journals: synced to disk before anything is sent
 *   change_apply     sends only what differs, once for the device, each queue and each NAPI instance; on failure what was
 *                    done is undone
 *   change_keep      the change stays: the journal entry stays too, for `holdoff revert`
 *   change_revert    puts the old read-back back, verifies, and drops the entry
 *
 * Journal: one file per device under /run/holdoff (root) or $XDG_RUNTIME_DIR/holdoff, or in HOLDOFF_STATE_DIR; written to a
 * temporary, synced and renamed; so it is whole or old. It names boot id, network namespace, ifindex, name and permanent
 * address: after a reboot or when the interface was made anew an entry is stale, is dropped and said once. An entry has two
 * layers: what is on trial (being changed right now, or until a deadline), and below it what was kept.
 *
 * --for and --until-confirmed are deadlines in the entry, and a helper process of its own (a session of its own, no
 * terminal, deaf to SIGHUP) that reverts when the deadline comes, whatever became of the command. The helper also watches
 * over a change without a deadline while it is being made: a command that is killed in the middle is undone.
 *
 * From change_begin to change_keep or change_revert the signals that end or stop a process are blocked; change_apply looks
 * for them between two messages and undoes what it has done.
 */
#ifndef HOLDOFF_CHANGE_CHANGE_H
#define HOLDOFF_CHANGE_CHANGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "nic/model.h"
#include "nic/nic.h"

#define CHANGE_QUEUES_MAX 64
#define CHANGE_NAPIS_MAX 64

struct open_change; /* change.c */

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
	CHANGE_STAYS,          /* until `holdoff revert` */
	CHANGE_FOR,            /* put back after span_ns */
	CHANGE_UNTIL_CONFIRMED /* put back after span_ns unless `holdoff confirm` comes */
};

struct change {
	struct nic *nic;
	struct nic_identity identity;
	struct nic_model model; /* of the device as it was before */
	struct change_set old;  /* of everything that the request touches: all fields that are reported */
	struct change_set wanted;
	struct change_set reported; /* read back after change_apply; before it the same as old */
	bool is_needed; /* something that was asked for differs from what is there: else nothing is journalled or sent */
	bool is_applied;
	bool has_effect; /* something that was asked for differs from before */
	enum change_end end;
	int64_t deadline_at_ns;   /* CLOCK_BOOTTIME, NEVER_AT_NS if it stays */
	struct open_change *open; /* owned from change_begin to change_keep or change_revert */
	int helper_fd;
	sigset_t signals; /* mask of before */
};

/*
 * Reads what is there without taking, journalling or sending anything: fills identity, model, old, wanted and is_needed.
 * -EOPNOTSUPP for what the driver does not have (with the nearest that it has), -EINVAL for what cannot be meant. Enough for a
 * dry run; change_begin does it too.
 */
int change_look(struct change *change, struct nic *nic, const struct change_set *wanted, struct err *err);

/*
 * -EBUSY: another holdoff is at it, or an earlier change is on trial (err says which; a trial may follow a trial, and goes back to
 * before both). -ENOTRECOVERABLE: it could not be put back again; with `force` that is not asked. -EPERM: without CAP_NET_ADMIN, before anything is journalled. A stale entry is dropped; stale is
 * set and err holds the sentence though 0 is returned.
 */
int change_begin(struct change *change, struct nic *nic, const struct change_set *wanted, enum change_end end,
		 int64_t span_ns, bool force, bool *stale, struct err *err);
/* On failure everything is as before (the change has ended, only its error is left), or -EUCLEAN and the entry is kept. -EINTR:
 * a signal came. */
int change_apply(struct change *change, struct err *err);
/* Lets go of the lock. The journal entry stays, with its helper if it has a deadline. */
int change_keep(struct change *change, struct err *err);
/* -EUCLEAN when the old read-back did not come back: loud, the entry is kept (exit status 7). -ESTALE: somebody else has changed it
 * since, which is left alone and journalled. */
int change_revert(struct change *change, struct err *err);

/*
 * A series of settings, tried one after the other, all of them to be put back: a sweep. `touched` says which fields will be set, whatever
 * its values are; errors as change_begin. From here to change_revert the entry says "half done", so that the helper puts everything back when the
 * command dies, at whatever instant. Signals are blocked as in every change; between two settings the caller may let those through
 * that it handles.
 */
int change_begin_series(struct change *change, struct nic *nic, const struct change_set *touched, bool *stale,
			struct err *err);
/*
 * The next setting of the series: first everything goes back to what it was, since some drivers let other settings creep with each change,
 * then what is wanted is sent (nothing: the setting of before) and read back into change->reported. A driver's refusal, -ENOTRECOVERABLE or -EINTR: what was there
 * before the series is there again, and the series goes on. -EUCLEAN: that did not come back; change_revert tries again, and is loud.
 */
int change_try(struct change *change, const struct change_set *wanted, struct err *err);

/* Between two settings of a series: lets SIGINT, SIGTERM, SIGHUP and SIGQUIT through, or holds them again. */
void change_series_signals(bool let);

/* ---- what was changed earlier ---- */

struct change_reverted {
	struct change_set back;    /* fields that were put back, with their values */
	struct change_set foreign; /* fields that somebody else changed since, as they read now: left alone */
	bool was_kept, was_trial;  /* what kind of entry there was */
	bool is_stale; /* it belonged to another boot or interface and was dropped; err says so though 0 is returned */
	char command[160]; /* that made the change */
};

/* What `holdoff revert DEV` does: by the entry of the device, whoever wrote it. force: also when somebody else has changed
 * the values since (-ESTALE without it: what was still ours is back, the rest stays journalled). -ENOENT: nothing to put back.
 * reverted may be NULL. */
int change_revert_device(struct nic *nic, bool force, struct change_reverted *reverted, struct err *err);
/* `holdoff confirm DEV`: the deadline is taken away; what a dead command has left and could not be put back is kept as it reads now.
 * -ENOENT without such an entry. */
int change_confirm(struct nic *nic, struct err *err);

/* One device that has an entry. */
struct change_listed {
	char name[IFNAMSIZ]; /* as it is called now, if it could be found out, else as it was called */
	int ifindex;
	bool has_kept, has_trial;
	int64_t left_ns; /* until the trial is put back; NEVER_AT_NS without a deadline, 0 if it is over */
	bool until_confirmed;
	bool helper_is_gone; /* the trial is not put back by itself any more: the process that would was killed */
	bool is_damaged;     /* the entry cannot be read: nothing but failure says anything of it */
	char command[160], since[32], failure[ERR_TEXT_MAX];
};

/* Devices of this network namespace with an entry, for `holdoff revert` without a name and for show. Entries of another boot are
 * dropped, unless somebody is at them; how many is in *stale, and err says so; with NULL
 * for stale they are only passed over. Returns how many there are (at most max are written), or a negative errno. */
int change_list(struct change_listed *listed, unsigned max, unsigned *stale, struct err *err);
/* The same of root's journal, whoever asks: what anybody may read, and only root may put back. Nothing is dropped. None where
 * HOLDOFF_STATE_DIR names the journal. */
int change_list_of_root(struct change_listed *listed, unsigned max, struct err *err);
/* Drops the entry of an interface that is gone; -EBUSY when it is not, under whatever name. */
int change_forget(int ifindex, struct err *err);

#endif
