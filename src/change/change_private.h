/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this part share. */
#ifndef HOLDOFF_CHANGE_CHANGE_PRIVATE_H
#define HOLDOFF_CHANGE_CHANGE_PRIVATE_H

#include "change/helper.h"
#include "change/journal.h"

/* The entry of one interface, locked. */
struct locked_entry {
	char folder[JOURNAL_PATH_MAX], lock_path[JOURNAL_PATH_MAX];
	int lock_fd;
	bool is_there; /* there is an entry, and journal holds it */
	struct journal journal;
};

/* -EBUSY after wait_ms (LOCK_WAIT_FOREVER: never); -EBADMSG when the entry is damaged. Unlocked with entry_unlock after a 0. */
int entry_lock(struct locked_entry *entry, int ifindex, const char *name, int wait_ms, struct err *err);
void entry_unlock(struct locked_entry *entry);
/* Removes an entry of another boot or interface; true if it was one, and err says so. */
bool entry_drop_stale(struct locked_entry *entry, const struct nic_identity *identity, struct err *err);

/*
 * Puts one layer of the entry back, journalling as it goes; the layer is gone from the entry afterwards, or holds what is left and why.
 * 0, -ESTALE, -EPERM, -ENODEV; -EUCLEAN for all else that kept it from coming back; when it is back, also journal_write's errors.
 */
int entry_put_back(struct locked_entry *entry, struct journal_layer *layer, struct nic *nic,
		   const struct nic_identity *identity, bool force, struct change_reverted *reverted, struct err *err);

/* What is reported now of all that change->old tells of. -ENETDOWN when a NAPI instance is gone. */
int change_read_back(struct change *change, struct err *err);

/* The open layer of this change, before anything is sent; with an earlier trial also what that has to put back. */
void layer_make(const struct change *change, struct journal_layer *layer, const struct journal_layer *earlier);
/* The layer once everything was sent and read back: what holdoff is answerable for, and what it left. */
void layer_fill(const struct change *change, struct journal_layer *layer);
/* A trial on top of a trial, as it was before: one layer, put back to what was before both. */
void layer_join(struct journal *journal, const struct journal *before);
/* Makes a half-done layer one that was applied: what it left is what reads now. For one that cannot be put back, so that people can
 * settle it. */
int layer_adopt(struct journal_layer *layer, struct nic *nic, struct err *err);

/* Opens an interface by its number, under whatever name it has now. -ENODEV. */
int open_by_index(struct nic *nic, int ifindex, struct err *err);

/* change_revert_trial: the trial that it is asked for is not due, or not any more. */
#define CHANGE_NOT_DUE 1

/*
 * What the helper does when it is time: puts the trial with this token back and drops it. 0 also when it is gone; -ESTALE: somebody else has
 * changed it, which is left journalled; other errors: it may be tried again. is_early: also before its deadline.
 */
int change_revert_trial(const struct helper_task *task, bool is_early, struct err *err);
/* Removes what a command leaves that was killed while it wrote its entry. */
void change_clean(const struct helper_task *task);

#endif
