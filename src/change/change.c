/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transaction. Order is what makes it safe:
 *
 *   1. the lock; nobody else of us changes the interface or its entry
 *   2. the helper, which waits for the command's end
 *   3. the entry, synced: what was there, "not applied". From here on a death of the command is undone by the helper
 *   4. the messages
 *   5. what is read back goes into the entry, "applied". From here on the deadline counts, if there is one
 *   6. without a deadline the layer is merged into what is kept, in one write: the helper finds nothing to look after
 *
 * Invariant: at every instant between 3 and 6 the entry on disk holds enough to put everything back that may have been sent.
 */
#include "change/change.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "change/change_private.h"
#include "change/lock.h"
#include "change/put_back.h"
#include "change/request.h"
#include "nic/netlink.h"

/* ---- beginning ---- */

static int check_permission(const struct nic *nic, struct err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (!nic->ethtool->is_kernel) {
		return 0; /* a test's peer asks for none */
	}
	if (syscall(SYS_capget, &header, data) == 0 && !(data[0].effective & (1u << CAP_NET_ADMIN))) {
		return err_set(err, -EPERM, "changing the settings of %s needs CAP_NET_ADMIN: run it as root",
			       nic->name);
	}
	return 0;
}

/* Whether the old read-back can be had again, from what the request leads to. Only a driver model can tell. */
static int check_way_back(const struct change *change, struct err *err)
{
	struct nic_model after = change->model;
	struct driver_result result = { .quiet = true };
	struct coalesce request;

	if (!after.is_known || !change->wanted.device.present || !change->old.device.present) {
		return 0;
	}
	driver_set(&after.driver, &change->wanted.device, &result);
	if (result.error || nic_model_request_for(&after, &change->old.device, &request, err) == 0) {
		return 0;
	}
	return err_prefix(err, -ENOTRECOVERABLE,
			  "nothing is sent, since it could not be put back (--force sends it all the same)");
}

/* The signals that end or stop a process are held back from here to end_change. */
static void block_signals(sigset_t *before)
{
	static const int signals[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP, SIGTTIN,
				       SIGTTOU, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2 };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaddset(&set, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &set, before);
}

/* While it is blocked the kernel keeps a signal that is ignored too: nohup means SIGHUP. */
static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static bool is_signalled(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t pending;
	bool is = false;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		is |= sigismember(&pending, ending[i]) == 1 && !is_ignored(ending[i]);
	}
	return is;
}

/* What change keeps from begin to end besides its own fields. */
struct open_change {
	struct locked_entry entry; /* entry.journal: as it is on disk */
	struct journal before;     /* as it was before this change */
	bool was_there;
	uint32_t helper_pid;
};

static void end_change(struct change *change)
{
	struct open_change *const open = change->open;

	if (!open) {
		return;
	}
	/* First the lock, then the sign to the helper, which will want it. */
	entry_unlock(&open->entry);
	if (change->helper_fd >= 0) {
		close(change->helper_fd);
	}
	change->helper_fd = -1;
	change->open = NULL;
	free(open);
	sigprocmask(SIG_SETMASK, &change->signals, NULL);
}

static int complain_trial(const struct journal_layer *trial, const char *name, struct err *err)
{
	const int64_t left_ns = trial->deadline_at_ns == NEVER_AT_NS ? 0 : trial->deadline_at_ns - helper_now();
	char left[TEXT_DURATION_MAX];

	if (trial->failure[0]) {
		return err_set(err, -EBUSY,
			       "%s: an earlier change (%s) could not be put back: %.150s; holdoff revert --force %s or "
			       "holdoff confirm %s comes first",
			       name, trial->command, trial->failure, name, name);
	}
	if (helper_is_gone(trial->helper_pid) || left_ns < -NS_PER_S) {
		return err_set(
			err, -EBUSY,
			"%s: an earlier change (%s) is not put back by itself any more, since its helper is gone: "
			"holdoff revert %s or holdoff confirm %s comes first",
			name, trial->command, name, name);
	}
	return err_set(
		err, -EBUSY,
		"%s is on trial and will be put back in %s (%s): holdoff confirm %s or holdoff revert %s comes first",
		name, text_print_duration(left_ns > 0 ? left_ns - left_ns % NS_PER_MS : 0, left), trial->command, name,
		name);
}

/* What an earlier change has left: a dead command's half is undone, a trial is in the way unless this is another one. */
static int settle_earlier(const struct change *change, struct open_change *open, enum change_end end, bool *stale,
			  struct err *err)
{
	struct journal_layer *const trial = &open->entry.journal.open;
	int ret = 0;

	if (!open->entry.is_there) {
		return 0;
	}
	if (entry_drop_stale(&open->entry, &change->identity, err)) {
		*stale = true;
		return 0;
	}
	if (trial->is_present && !trial->is_applied) {
		ret = entry_put_back(&open->entry, trial, change->nic, &change->identity, false, NULL, err);
	} else if (trial->is_present && (end == CHANGE_STAYS || trial->failure[0])) {
		ret = complain_trial(trial, change->nic->name, err);
	}
	return ret;
}

static int start_journal(struct change *change, struct open_change *open, struct err *err)
{
	struct journal *const journal = &open->entry.journal;

	open->was_there = open->entry.is_there && (journal->open.is_present || journal->kept.is_present);
	if (!open->was_there) {
		const int ret = journal_init(journal, &change->identity, err);

		if (ret) {
			return ret;
		}
	}
	open->before = *journal;
	layer_make(change, &journal->open, &open->before.open);
	struct helper_task task = { .folder = open->entry.folder,
				    .netns = journal->netns,
				    .token = journal->open.token,
				    .ifindex = journal->ifindex,
				    .deadline_at_ns = change->deadline_at_ns };

	snprintf(task.name, sizeof(task.name), "%s", change->nic->name);
	change->helper_fd = helper_start(&task, &open->helper_pid, err);
	if (change->helper_fd < 0) {
		return change->helper_fd;
	}
	journal->open.helper_pid = open->helper_pid;
	return journal_write(journal, open->entry.folder, err);
}

/* What is asked of change_begin. */
struct beginning {
	const struct change_set *wanted;
	enum change_end end;
	int64_t span_ns;
	bool force;
	bool is_series; /* what is wanted only says what will be touched */
};

/* Only when nothing of an earlier change is in the way any more is what there is what this one has to put back. */
static int begin_locked(struct change *change, struct open_change *open, const struct beginning *beginning, bool *stale,
			struct err *err)
{
	struct err dropped = { "" };
	int ret = settle_earlier(change, open, beginning->end, stale, err);

	if (*stale && err) {
		dropped = *err;
	}
	ret = ret ? ret : change_look(change, change->nic, beginning->wanted, err);
	change->is_needed |= ret == 0 && beginning->is_series;
	change->end = beginning->end;
	change->deadline_at_ns = change->end == CHANGE_STAYS ? NEVER_AT_NS : helper_now() + beginning->span_ns;
	if (ret == 0 && change->is_needed && !beginning->force && !beginning->is_series) {
		ret = check_way_back(change, err);
	}
	if (ret == 0 && change->is_needed) {
		ret = start_journal(change, open, err);
	}
	if (ret == 0 && *stale && err) {
		*err = dropped;
	}
	return ret;
}

static int begin_needed(struct change *change, const struct beginning *beginning, bool *stale, struct err *err)
{
	struct open_change *const open = calloc(1, sizeof(*open));
	sigset_t signals;

	if (!open) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	block_signals(&signals);
	int ret = entry_lock(&open->entry, change->nic->ifindex, change->nic->name, LOCK_WAIT_MS, err);

	if (ret) {
		free(open);
		sigprocmask(SIG_SETMASK, &signals, NULL);
		return ret;
	}
	ret = begin_locked(change, open, beginning, stale, err);
	change->signals = signals;
	change->open = open;
	if (ret || !change->is_needed) {
		end_change(change);
	}
	return ret;
}

static int begin(struct change *change, struct nic *nic, const struct beginning *beginning, bool *stale,
		 struct err *err)
{
	*stale = false;
	int ret = change_look(change, nic, beginning->wanted, err);

	if (ret || (!change->is_needed && !beginning->is_series)) {
		return ret;
	}
	ret = check_permission(nic, err);
	return ret ? ret : begin_needed(change, beginning, stale, err);
}

int change_begin(struct change *change, struct nic *nic, const struct change_set *wanted, enum change_end end,
		 int64_t span_ns, bool force, bool *stale, struct err *err)
{
	const struct beginning beginning = { .wanted = wanted, .end = end, .span_ns = span_ns, .force = force };

	return begin(change, nic, &beginning, stale, err);
}

int change_begin_series(struct change *change, struct nic *nic, const struct change_set *touched, bool *stale,
			struct err *err)
{
	const struct beginning beginning = { .wanted = touched, .end = CHANGE_STAYS, .is_series = true };

	return begin(change, nic, &beginning, stale, err);
}

/* ---- applying ---- */

static int send_device(struct change *change, struct err *err)
{
	const struct coalesce whole = coalesce_merge(&change->old.device, &change->wanted.device);
	const struct coalesce request = change_only(&whole, coalesce_difference(&whole, &change->old.device));

	return request.present ? nic_coalesce_set(change->nic, &request, err) : 0;
}

/* The device may just have set it, so it is read again. */
static int send_queue(struct change *change, const struct change_queue *wanted, struct err *err)
{
	const uint32_t supported = change_set_queue_settings(&change->old, wanted->queue)->present;
	struct coalesce now;
	int ret = nic_queue_coalesce_get(change->nic, wanted->queue, supported, &now, err);
	const struct coalesce whole = coalesce_merge(&now, &wanted->settings);

	if (ret == 0 && coalesce_difference(&whole, &now)) {
		ret = nic_queue_coalesce_set(change->nic, wanted->queue, &whole, err);
	}
	return ret;
}

static int send_napi(struct change *change, const struct nic_napi *wanted, struct err *err)
{
	const struct nic_napi *const old = change_set_napi(&change->old, wanted->id, false);
	struct nic_napi request = *wanted;

	request.present &= change_napi_difference(wanted, old);
	return request.present ? nic_napi_set(change->nic, &request, err) : 0;
}

static int check_signal(struct err *err)
{
	return is_signalled() ? err_set(err, -EINTR, "a signal came before everything was sent") : 0;
}

static int send_all(struct change *change, struct err *err)
{
	int ret = check_signal(err);

	if (ret == 0) {
		ret = send_device(change, err);
	}
	for (unsigned i = 0; ret == 0 && i < change->wanted.queue_count; i++) {
		ret = check_signal(err);
		ret = ret ? ret : send_queue(change, &change->wanted.queues[i], err);
	}
	for (unsigned i = 0; ret == 0 && i < change->wanted.napi_count; i++) {
		ret = check_signal(err);
		ret = ret ? ret : send_napi(change, &change->wanted.napis[i], err);
	}
	return ret;
}

static bool settings_have_effect(const struct coalesce *wanted, const struct coalesce *old,
				 const struct coalesce *reported)
{
	return coalesce_difference(old, reported) & wanted->present;
}

static bool has_effect(struct change *change)
{
	bool has = settings_have_effect(&change->wanted.device, &change->old.device, &change->reported.device);

	for (unsigned i = 0; i < change->wanted.queue_count; i++) {
		const struct change_queue *const wanted = &change->wanted.queues[i];

		has |= settings_have_effect(&wanted->settings, change_set_queue_settings(&change->old, wanted->queue),
					    change_set_queue_settings(&change->reported, wanted->queue));
	}
	for (unsigned i = 0; i < change->old.napi_count; i++) {
		has |= change_napi_difference(&change->old.napis[i], &change->reported.napis[i]) != 0;
	}
	return has;
}

static int journal_applied(struct change *change, struct err *err)
{
	struct open_change *const open = change->open;
	struct journal applied = open->entry.journal;

	layer_fill(change, &applied.open);
	if (change_set_is_empty(&applied.open.old)) {
		applied = open->before;
	} else {
		layer_join(&applied, &open->before);
	}
	const int ret = journal_write(&applied, open->entry.folder, err);

	if (ret == 0) {
		open->entry.journal = applied;
	}
	return ret;
}

/* On disk again as it was while it was being made: whoever dies now leaves all of it to be put back. */
static int journal_begun(struct change *change, struct err *err)
{
	struct open_change *const open = change->open;

	layer_make(change, &open->entry.journal.open, &open->before.open);
	open->entry.journal.open.helper_pid = open->helper_pid;
	open->entry.journal.kept = open->before.kept;
	return journal_write(&open->entry.journal, open->entry.folder, err);
}

static int put_back_mine(struct change *change, struct journal_layer *mine, struct err *err)
{
	struct put_back *const work = malloc(sizeof(*work));

	if (!work) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	int ret = put_back_begin(work, change->nic, &change->identity, mine, false, err);

	if (ret == 0 && change->is_applied) {
		ret = journal_begun(change, err);
	}
	ret = ret ? ret : put_back_send(work, NULL, err);
	free(work);
	return ret;
}

/* Back to what was before this change, on disk too. */
static int undo(struct change *change, struct err *err)
{
	struct open_change *const open = change->open;
	struct journal_layer mine;

	layer_make(change, &mine, &open->before.open);
	mine.old = change->old;
	if (change->is_applied) {
		layer_fill(change, &mine);
	}
	const int ret = put_back_mine(change, &mine, err);

	if (ret == 0) {
		return journal_write(&open->before, open->entry.folder, err);
	}
	if (open->entry.journal.open.is_present) {
		snprintf(open->entry.journal.open.failure, sizeof(open->entry.journal.open.failure), "%s", err->text);
		journal_write(&open->entry.journal, open->entry.folder, NULL);
	}
	return ret == -ESTALE ? ret : -EUCLEAN;
}

/* The change has failed: its error stays, unless undoing fails too. */
static int fail(struct change *change, int error, struct err *err)
{
	struct err undo_err = { "" };
	const int ret = undo(change, &undo_err);

	if (ret) {
		err_set(err, -EUCLEAN, "%.160s; and what was done could not be undone: %.180s", err->text,
			undo_err.text);
	} else {
		err_set(err, error, "%s; everything is as it was before", err->text);
	}
	end_change(change);
	return ret ? -EUCLEAN : error;
}

int change_apply(struct change *change, struct err *err)
{
	struct err local = { "" };

	err = err ? err : &local;
	if (!change->is_needed) {
		return 0;
	}
	int ret = send_all(change, err);

	ret = ret ? ret : change_read_back(change, err);
	ret = ret ? ret : journal_applied(change, err);
	if (ret) {
		return fail(change, ret, err);
	}
	change->is_applied = true;
	change->has_effect = has_effect(change);
	return 0;
}

/* ---- a series ---- */

/* The entry stays as it was begun: whenever the command dies, all of what was there is put back. */
static int series_go_back(struct change *change, struct err *err)
{
	struct journal_layer all;

	layer_make(change, &all, &change->open->before.open);
	all.old = change->old;
	change->is_applied = false;
	const int ret = put_back_mine(change, &all, err);

	return ret && ret != -ENODEV ? -EUCLEAN : ret;
}

void change_series_signals(bool let)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(let ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

/* Only what change_begin_series was told of can be put back. */
static int check_touched(const struct change *change, const struct change_set *wanted, struct err *err)
{
	bool is_within = !(wanted->device.present & ~change->old.device.present);

	for (unsigned i = 0; i < wanted->queue_count; i++) {
		const struct coalesce *const old = change_set_queue_settings(&change->old, wanted->queues[i].queue);

		is_within &= old && !(wanted->queues[i].settings.present & ~old->present);
	}
	for (unsigned i = 0; i < wanted->napi_count; i++) {
		const struct nic_napi *const old = change_set_napi_settings(&change->old, wanted->napis[i].id);

		is_within &= old && !(wanted->napis[i].present & ~old->present);
	}
	return is_within
		       ? 0
		       : err_set(err, -EINVAL, "a setting of %s that the series was not begun with", change->nic->name);
}

int change_try(struct change *change, const struct change_set *wanted, struct err *err)
{
	struct err local = { "" };

	err = err ? err : &local;
	int ret = check_touched(change, wanted, err);

	if (ret) {
		return ret;
	}
	ret = series_go_back(change, err);
	if (ret) {
		return ret;
	}
	change->wanted = *wanted;
	ret = check_way_back(change, err);
	ret = ret ? ret : send_all(change, err);
	ret = ret ? ret : change_read_back(change, err);
	if (ret == 0) {
		change->has_effect = has_effect(change);
		return 0;
	}
	struct err undo_err = { "" };

	if (series_go_back(change, &undo_err)) {
		return err_set(err, -EUCLEAN, "%.160s; and what was done could not be undone: %.180s", err->text,
			       undo_err.text);
	}
	change->reported = change->old;
	return ret;
}

int change_keep(struct change *change, struct err *err)
{
	struct open_change *const open = change->open;
	struct err local = { "" };

	err = err ? err : &local;
	if (!open) {
		return 0;
	}
	if (change->end == CHANGE_STAYS && open->entry.journal.open.is_present) {
		struct journal kept = open->entry.journal;

		journal_keep(&kept);
		const int ret = journal_write(&kept, open->entry.folder, err);

		if (ret) {
			return fail(change, ret, err);
		}
	}
	end_change(change);
	return 0;
}

int change_revert(struct change *change, struct err *err)
{
	struct err local = { "" };
	int ret = 0;

	err = err ? err : &local;
	if (change->open) {
		ret = undo(change, err);
		end_change(change);
	}
	return ret;
}
