/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: one file per interface, an INI text that people can read, with a checksum at its end. A file is either whole or
 * as it was before: it is written to a temporary, synced, renamed, and the directory synced. Reading is strict: what is torn,
 * changed by a single bit, of an unknown format or of another owner is refused (-EBADMSG), never guessed at.
 *
 * An entry has two layers. "open" is what is on trial: being changed right now (is_applied false: anything may have been sent) or
 * waiting for its deadline. "kept" is what earlier changes have left to be put back by hand. In both, `old` is what was there and
 * `left` what holdoff left there, both as read back. Of the device both hold every field that was reported, and device_changed
 * says which of them holdoff is answerable for; queues and NAPI instances hold only those fields.
 *
 * Invariants: an entry in the file has at least one layer; `left` of a layer that is not applied is empty.
 */
#ifndef HOLDOFF_CHANGE_JOURNAL_H
#define HOLDOFF_CHANGE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "change/change.h"

#define JOURNAL_PATH_MAX 512
#define JOURNAL_BOOT_MAX 40

#define JOURNAL_FOLDER_OF_ROOT "/run/holdoff"

struct journal_layer {
	bool is_present, is_applied, until_confirmed;
	uint64_t token;         /* tells a helper whether the layer is still the one that it watches */
	int64_t deadline_at_ns; /* CLOCK_BOOTTIME, NEVER_AT_NS without one */
	unsigned speed_mbps;    /* at which it was read, 0 unknown: some drivers report other values at another speed */
	uint32_t pid, helper_pid;
	char command[160], since[32];
	char failure[ERR_TEXT_MAX]; /* why it could not be put back, "" if that was not tried */
	uint32_t device_changed;
	struct change_set old, left;
};

struct journal {
	char boot[JOURNAL_BOOT_MAX];
	uint64_t netns; /* inode */
	int ifindex;
	char name[IFNAMSIZ], driver[32], bus[64];
	uint8_t permanent_address[NIC_ADDRESS_MAX];
	unsigned permanent_address_bytes;
	struct journal_layer open, kept;
};

/* ---- where ---- */

/* The folder: HOLDOFF_STATE_DIR, else JOURNAL_FOLDER_OF_ROOT for root, else $XDG_RUNTIME_DIR/holdoff; -EINVAL unless that is an absolute path.
 * With `make` it is made if need be, and refused when others than its owner could write into it. */
int journal_folder(char folder[JOURNAL_PATH_MAX], bool make, struct err *err);
/* Inode of this process's network namespace; 0 if /proc does not tell. */
uint64_t journal_netns(void);
int journal_boot(char boot[JOURNAL_BOOT_MAX], struct err *err);
/* FOLDER/netNETNS-ifIFINDEX plus the suffix: ".entry", ".new", ".lock". */
void journal_path(char path[JOURNAL_PATH_MAX], const char *folder, uint64_t netns, int ifindex, const char *suffix);

/* ---- what ---- */

/* Fills in what identifies an interface now, no layers. */
int journal_init(struct journal *journal, const struct nic_identity *identity, struct err *err);
/* Whether the entry is of another boot, or of an interface that has been made anew since; err then says what and why. */
bool journal_is_stale(const struct journal *journal, const struct nic_identity *identity, struct err *err);

/* 0, -ENOENT when there is none, -EBADMSG for what is no entry. */
int journal_read(struct journal *journal, const char *path, struct err *err);
/* Without a layer left the file is removed instead. On failure the old file is as it was. Under the lock of the interface. */
int journal_write(const struct journal *journal, const char *folder, struct err *err);
/* Removes entry and temporary, and syncs the folder. */
int journal_remove(const char *folder, uint64_t netns, int ifindex, struct err *err);

/*
 * The open layer becomes part of the kept one, in memory: what a field was before the first change stays what it will be put back
 * to, unless somebody else has changed it in between. A field that came to be what it was drops out.
 */
void journal_keep(struct journal *journal);

#endif
