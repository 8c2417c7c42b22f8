/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was changed earlier: put back by hand or by the helper, confirmed, listed. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/time.h"
#include "change/change_private.h"
#include "change/lock.h"
#include "change/put_back.h"
#include "change/request.h"

/* ---- the entry under its lock ---- */

/* One that names another interface than its file does would be written elsewhere. */
static int read_entry(struct journal *journal, const char *folder, uint64_t netns, int ifindex, struct err *err)
{
	char path[JOURNAL_PATH_MAX];

	journal_path(path, folder, netns, ifindex, ".entry");
	const int ret = journal_read(journal, path, err);

	if (ret == 0 && (journal->netns != netns || journal->ifindex != ifindex)) {
		return err_set(err, -EBADMSG, "%s is an entry of another interface", path);
	}
	return ret;
}

int entry_lock(struct locked_entry *entry, int ifindex, const char *name, int wait_ms, struct err *err)
{
	const uint64_t netns = journal_netns();
	int ret = journal_folder(entry->folder, true, err);

	if (ret) {
		return ret;
	}
	journal_path(entry->lock_path, entry->folder, netns, ifindex, ".lock");
	entry->lock_fd = lock_take(entry->lock_path, name, wait_ms, err);
	if (entry->lock_fd < 0) {
		return entry->lock_fd;
	}
	ret = read_entry(&entry->journal, entry->folder, netns, ifindex, err);
	entry->is_there = ret == 0;
	if (ret == 0 || ret == -ENOENT) {
		return 0;
	}
	entry_unlock(entry);
	if (ret == -EBADMSG && err) {
		err_set(err, ret, "%.300s; to give up what it would put back, remove the file", err->text);
	}
	return ret;
}

void entry_unlock(struct locked_entry *entry)
{
	lock_drop(entry->lock_fd, entry->lock_path);
	entry->lock_fd = -1;
}

bool entry_drop_stale(struct locked_entry *entry, const struct nic_identity *identity, struct err *err)
{
	if (!entry->is_there || !journal_is_stale(&entry->journal, identity, err)) {
		return false;
	}
	journal_remove(entry->folder, entry->journal.netns, entry->journal.ifindex, NULL);
	entry->is_there = false;
	return true;
}

int open_by_index(struct nic *nic, int ifindex, struct err *err)
{
	char name[IFNAMSIZ];

	if (!if_indextoname((unsigned)ifindex, name)) {
		return err_set(err, -ENODEV, "interface %d is gone", ifindex);
	}
	const int ret = nic_open(nic, name, err);

	if (ret == 0 && nic->ifindex != ifindex) {
		nic_close(nic);
		return err_set(err, -ENODEV, "interface %d is gone", ifindex);
	}
	return ret;
}

/* ---- putting back ---- */

/* What the layer says afterwards. The deadline is over for what it was; what is left is for somebody to decide. */
static void note_outcome(struct journal_layer *layer, int ret, const struct err *err)
{
	if (ret == 0) {
		memset(layer, 0, sizeof(*layer));
		return;
	}
	if (ret == -EPERM) {
		return; /* of who asked, which is nothing of the layer's */
	}
	snprintf(layer->failure, sizeof(layer->failure), "%s", err->text);
	if (ret == -ESTALE) {
		layer->deadline_at_ns = NEVER_AT_NS;
	}
}

/*
 * A full disk must not keep the old values off. Without this write a death in the middle may leave values that look like somebody
 * else's later, no more.
 */
static int put_back_journalled(struct locked_entry *entry, struct put_back *work, struct change_reverted *reverted,
			       struct err *err)
{
	journal_write(&entry->journal, entry->folder, NULL);
	return put_back_send(work, reverted, err);
}

/* Whatever the kernel answered: it is not back. Three answers say why nobody can help that here. */
static int failure_of(int ret)
{
	switch (ret) {
	case 0:
	case -ESTALE:
	case -EPERM:
	case -ENODEV:
		return ret;
	default:
		return -EUCLEAN;
	}
}

int entry_put_back(struct locked_entry *entry, struct journal_layer *layer, struct nic *nic,
		   const struct nic_identity *identity, bool force, struct change_reverted *reverted, struct err *err)
{
	struct put_back *const work = malloc(sizeof(*work));
	struct err write_err = { "" };

	if (!work) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	int ret = put_back_begin(work, nic, identity, layer, force, err);

	ret = failure_of(ret ? ret : put_back_journalled(entry, work, reverted, err));
	free(work);
	note_outcome(layer, ret, err);
	const int written = journal_write(&entry->journal, entry->folder, &write_err);

	return ret == 0 && written ? err_set(err, written, "%s", write_err.text) : ret;
}

/* The trial, then what was kept below it. */
static int put_back_entry(struct nic *nic, const struct nic_identity *identity, struct locked_entry *entry, bool force,
			  struct change_reverted *reverted, struct err *err)
{
	struct journal *const journal = &entry->journal;
	int ret = journal->open.is_present ? entry_put_back(entry, &journal->open, nic, identity, force, reverted, err)
					   : 0;

	if ((ret == 0 || ret == -ESTALE) && journal->kept.is_present) {
		struct err kept_err = { "" };
		const int kept = entry_put_back(entry, &journal->kept, nic, identity, force, reverted, &kept_err);

		if (kept) {
			ret = err_set(err, kept, "%s", kept_err.text);
		}
	}
	return ret;
}

static int revert_locked(struct nic *nic, struct locked_entry *entry, bool force, struct change_reverted *reverted,
			 struct err *err)
{
	struct nic_identity identity;
	const int ret = nic_identify(nic, &identity, err);

	if (ret) {
		return ret;
	}
	if (entry_drop_stale(entry, &identity, err)) {
		reverted->is_stale = true;
		return 0;
	}
	if (!entry->is_there) {
		return err_set(err, -ENOENT, "%s: holdoff has changed nothing that could be put back", nic->name);
	}
	reverted->was_trial = entry->journal.open.is_present;
	reverted->was_kept = entry->journal.kept.is_present;
	snprintf(reverted->command, sizeof(reverted->command), "%s",
		 reverted->was_trial ? entry->journal.open.command : entry->journal.kept.command);
	return put_back_entry(nic, &identity, entry, force, reverted, err);
}

int change_revert_device(struct nic *nic, bool force, struct change_reverted *reverted, struct err *err)
{
	struct change_reverted unasked;
	struct err local = { "" };
	struct locked_entry *const entry = calloc(1, sizeof(*entry));

	err = err ? err : &local;
	reverted = reverted ? reverted : &unasked;
	memset(reverted, 0, sizeof(*reverted));
	int ret = entry ? entry_lock(entry, nic->ifindex, nic->name, LOCK_WAIT_MS, err)
			: err_set(err, -ENOMEM, "out of memory");

	if (ret == 0) {
		ret = revert_locked(nic, entry, force, reverted, err);
		entry_unlock(entry);
	}
	free(entry);
	return ret;
}

/* ---- the helper's ---- */

static bool is_due(const struct journal_layer *trial, bool is_early)
{
	return is_early || !trial->is_applied || trial->deadline_at_ns == NEVER_AT_NS ||
	       helper_now() >= trial->deadline_at_ns;
}

static int revert_trial_locked(struct locked_entry *entry, const struct helper_task *task, bool is_early,
			       struct err *err)
{
	struct journal_layer *const trial = &entry->journal.open;
	struct nic_identity identity;
	struct nic nic;

	if (!entry->is_there || !trial->is_present || trial->token != task->token) {
		return 0;
	}
	if (!is_due(trial, is_early)) {
		return CHANGE_NOT_DUE;
	}
	int ret = open_by_index(&nic, task->ifindex, err);

	if (ret == -ENODEV) {
		/* Removed, and its settings with it; or moved to another namespace, where nobody would find it. */
		syslog(LOG_WARNING, "%s is gone from its network namespace: what was set there is not put back",
		       task->name);
		return journal_remove(entry->folder, task->netns, task->ifindex, err);
	}
	if (ret) {
		return ret;
	}
	ret = nic_identify(&nic, &identity, err);
	if (ret == 0 && !entry_drop_stale(entry, &identity, err)) {
		ret = entry_put_back(entry, trial, &nic, &identity, false, NULL, err);
	}
	nic_close(&nic);
	return ret;
}

int change_revert_trial(const struct helper_task *task, bool is_early, struct err *err)
{
	struct locked_entry *const entry = calloc(1, sizeof(*entry));
	int ret = entry ? entry_lock(entry, task->ifindex, task->name, LOCK_WAIT_FOREVER, err) : -ENOMEM;

	if (ret == 0) {
		ret = revert_trial_locked(entry, task, is_early, err);
		entry_unlock(entry);
	}
	free(entry);
	return ret;
}

void change_clean(const struct helper_task *task)
{
	char path[JOURNAL_PATH_MAX];

	journal_path(path, task->folder, task->netns, task->ifindex, ".new");
	if (access(path, F_OK)) {
		return;
	}
	struct locked_entry *const entry = calloc(1, sizeof(*entry));

	if (entry && entry_lock(entry, task->ifindex, task->name, LOCK_WAIT_FOREVER, NULL) == 0) {
		unlink(path);
		entry_unlock(entry);
	}
	free(entry);
}

/* ---- confirming ---- */

static int confirm_locked(struct nic *nic, struct locked_entry *entry, struct err *err)
{
	struct nic_identity identity;
	int ret = nic_identify(nic, &identity, err);

	if (ret) {
		return ret;
	}
	if (entry_drop_stale(entry, &identity, err)) {
		return -ENOENT;
	}
	struct journal_layer *const trial = &entry->journal.open;

	if (!entry->is_there || !trial->is_present || (!trial->is_applied && !trial->failure[0])) {
		return err_set(err, -ENOENT, "%s: nothing is on trial there%s", nic->name,
			       entry->is_there && trial->is_present ? " any more: it is being put back" : "");
	}
	ret = trial->is_applied ? 0 : layer_adopt(trial, nic, err);
	if (ret) {
		return ret;
	}
	journal_keep(&entry->journal);
	return journal_write(&entry->journal, entry->folder, err);
}

int change_confirm(struct nic *nic, struct err *err)
{
	struct locked_entry *const entry = calloc(1, sizeof(*entry));
	int ret = entry ? entry_lock(entry, nic->ifindex, nic->name, LOCK_WAIT_MS, err)
			: err_set(err, -ENOMEM, "out of memory");

	if (ret == 0) {
		ret = confirm_locked(nic, entry, err);
		entry_unlock(entry);
	}
	free(entry);
	return ret;
}

/* ---- listing ---- */

/* Somebody else has changed it: the helper has left it to people. */
static bool is_given_up(const struct journal_layer *layer)
{
	return layer->failure[0] && layer->deadline_at_ns == NEVER_AT_NS;
}

static void describe(struct change_listed *listed, const struct journal *journal)
{
	const struct journal_layer *const layer = journal->open.is_present ? &journal->open : &journal->kept;

	memset(listed, 0, sizeof(*listed));
	if (!if_indextoname((unsigned)journal->ifindex, listed->name)) {
		snprintf(listed->name, sizeof(listed->name), "%s", journal->name);
	}
	listed->ifindex = journal->ifindex;
	listed->has_kept = journal->kept.is_present;
	listed->has_trial = journal->open.is_present;
	listed->left_ns = NEVER_AT_NS;
	if (listed->has_trial && layer->deadline_at_ns != NEVER_AT_NS) {
		listed->left_ns = time_max(layer->deadline_at_ns - helper_now(), 0);
		listed->until_confirmed = layer->until_confirmed;
	}
	listed->helper_is_gone = listed->has_trial && helper_is_gone(layer->helper_pid) && !is_given_up(layer);
	snprintf(listed->command, sizeof(listed->command), "%s", layer->command);
	snprintf(listed->since, sizeof(listed->since), "%s", layer->since);
	snprintf(listed->failure, sizeof(listed->failure), "%s", layer->failure);
}

static void describe_damaged(struct change_listed *listed, int ifindex, const struct err *err)
{
	memset(listed, 0, sizeof(*listed));
	if (!if_indextoname((unsigned)ifindex, listed->name)) {
		snprintf(listed->name, sizeof(listed->name), "if%d", ifindex);
	}
	listed->ifindex = ifindex;
	listed->is_damaged = true;
	listed->left_ns = NEVER_AT_NS;
	snprintf(listed->failure, sizeof(listed->failure), "%s", err->text);
}

struct listing {
	char folder[JOURNAL_PATH_MAX], boot[JOURNAL_BOOT_MAX];
	struct change_listed *listed;
	unsigned max, count, stale;
	bool drops; /* stale ones */
};

/* Whether the name is that of an entry of this namespace. */
static bool is_entry_of(const char *name, uint64_t netns, int *ifindex)
{
	char expected[JOURNAL_PATH_MAX];
	uint64_t number;

	if (sscanf(name, "net%" SCNu64 "-if%d.entry", &number, ifindex) != 2 || number != netns) {
		return false;
	}
	journal_path(expected, "", number, *ifindex, ".entry");
	return strcmp(expected + 1, name) == 0;
}

/* Whoever holds the lock may be writing an entry in its place just now. */
static bool drop_rebooted(const struct listing *listing, const struct journal *journal, struct err *err)
{
	struct locked_entry *const entry = calloc(1, sizeof(*entry));
	bool is_dropped = false;

	if (entry && entry_lock(entry, journal->ifindex, journal->name, 0, NULL) == 0) {
		is_dropped = entry->is_there && strcmp(entry->journal.boot, listing->boot) != 0 &&
			     journal_remove(entry->folder, journal->netns, journal->ifindex, NULL) == 0;
		entry_unlock(entry);
	}
	free(entry);
	if (is_dropped) {
		err_set(err, 0,
			"%s: what was changed before the last reboot is no longer to be put back (its journal entry is "
			"dropped)",
			journal->name);
	}
	return is_dropped;
}

static int list_one(struct listing *listing, const char *name, struct err *err)
{
	static struct journal journal;
	struct err damage = { "" };
	int ifindex;

	if (!is_entry_of(name, journal_netns(), &ifindex)) {
		return 0;
	}
	const int ret = read_entry(&journal, listing->folder, journal_netns(), ifindex, &damage);

	if (ret && ret != -EBADMSG) {
		return ret == -ENOENT ? 0 : err_set(err, ret, "%s", damage.text);
	}
	if (ret == 0 && strcmp(journal.boot, listing->boot) != 0) {
		listing->stale += listing->drops && drop_rebooted(listing, &journal, err);
		return 0;
	}
	if (listing->count < listing->max && ret) {
		describe_damaged(&listing->listed[listing->count], ifindex, &damage);
	} else if (listing->count < listing->max) {
		describe(&listing->listed[listing->count], &journal);
	}
	listing->count++;
	return 0;
}

static int list_folder(struct listing *listing, struct err *err)
{
	DIR *const folder = opendir(listing->folder);
	int ret = 0;

	if (!folder) {
		const int code = errno;

		return code == ENOENT ? 0 : err_set(err, -code, "%s: %s", listing->folder, strerror(code));
	}
	for (struct dirent *file = readdir(folder); file && ret == 0; file = readdir(folder)) {
		ret = list_one(listing, file->d_name, err);
	}
	closedir(folder);
	return ret;
}

int change_list(struct change_listed *listed, unsigned max, unsigned *stale, struct err *err)
{
	struct listing listing = { .listed = listed, .max = max, .drops = stale != NULL };
	int ret = journal_folder(listing.folder, false, err);

	/* Without a folder nothing was ever changed. */
	if (ret == -ENOENT) {
		ret = 0;
	} else if (ret == 0) {
		ret = journal_boot(listing.boot, err);
		ret = ret ? ret : list_folder(&listing, err);
	}
	if (stale) {
		*stale = listing.stale;
	}
	return ret ? ret : (int)listing.count;
}

int change_list_of_root(struct change_listed *listed, unsigned max, struct err *err)
{
	struct listing listing = { .folder = JOURNAL_FOLDER_OF_ROOT, .listed = listed, .max = max };
	const char *const given = getenv("HOLDOFF_STATE_DIR");
	const bool is_elsewhere = given && *given;
	int ret = journal_boot(listing.boot, err);

	ret = ret || is_elsewhere ? ret : list_folder(&listing, err);
	return ret ? ret : (int)listing.count;
}

int change_forget(int ifindex, struct err *err)
{
	char folder[JOURNAL_PATH_MAX], name[IFNAMSIZ];
	const int ret = journal_folder(folder, false, err);

	if (ret == 0 && if_indextoname((unsigned)ifindex, name)) {
		return err_set(err, -EBUSY, "interface %d is there, and called %s now", ifindex, name);
	}
	return ret ? ret : journal_remove(folder, journal_netns(), ifindex, err);
}
