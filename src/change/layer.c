/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open layer of an entry, as a change makes it: before anything is sent, and when everything was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "change/change_private.h"
#include "change/lock.h"
#include "change/put_back.h"
#include "change/request.h"

static uint64_t make_token(void)
{
	uint64_t token = 0;

	if (getrandom(&token, sizeof(token), 0) != (ssize_t)sizeof(token)) {
		token = (uint64_t)helper_now() ^ (uint64_t)getpid();
	}
	return (token >> 2) | 1;
}

/* What an earlier trial has to put back, put over what this change has: for as long as nobody knows how far this one came. */
static void overlay(struct change_set *old, const struct journal_layer *earlier)
{
	struct change_set over = earlier->old;

	over.device = change_only(&over.device, earlier->device_changed);
	change_set_merge(old, &over);
}

void layer_make(const struct change *change, struct journal_layer *layer, const struct journal_layer *earlier)
{
	memset(layer, 0, sizeof(*layer));
	layer->is_present = true;
	layer->until_confirmed = change->end == CHANGE_UNTIL_CONFIRMED;
	layer->token = earlier->is_present ? earlier->token : make_token();
	layer->deadline_at_ns = change->deadline_at_ns;
	layer->speed_mbps = change->identity.has & NIC_HAS_SPEED ? change->identity.speed_mbps : 0;
	layer->pid = (uint32_t)getpid();
	lock_own_command(layer->command, sizeof(layer->command));
	lock_now(layer->since, sizeof(layer->since));
	layer->old = change->old;
	if (earlier->is_present) {
		overlay(&layer->old, earlier);
	}
}

/* What adaptive moderation moves by itself is not ours, unless it was asked for. */
static uint32_t device_changed(const struct change *change)
{
	const uint32_t drifts = put_back_volatile(&change->old.device) & put_back_volatile(&change->reported.device);

	return coalesce_difference(&change->old.device, &change->reported.device) & change->old.device.present &
	       (~drifts | change->wanted.device.present);
}

void layer_fill(const struct change *change, struct journal_layer *layer)
{
	layer->is_applied = true;
	layer->left = (struct change_set){ 0 };
	layer->old = (struct change_set){ 0 };
	layer->device_changed = device_changed(change);
	if (layer->device_changed) {
		layer->old.device = change->old.device;
		layer->left.device = change->reported.device;
	}
	for (unsigned i = 0; i < change->old.queue_count; i++) {
		const struct coalesce *const old = &change->old.queues[i].settings,
					     *const now = &change->reported.queues[i].settings;
		const uint32_t changed = coalesce_difference(old, now) & old->present & now->present;

		if (changed) {
			change_set_queue(&layer->old, change->old.queues[i].queue, true)->settings =
				change_only(old, changed);
			change_set_queue(&layer->left, change->old.queues[i].queue, true)->settings =
				change_only(now, changed);
		}
	}
	for (unsigned i = 0; i < change->old.napi_count; i++) {
		const uint32_t changed = change_napi_difference(&change->old.napis[i], &change->reported.napis[i]);

		if (changed) {
			struct nic_napi *const old = change_set_napi(&layer->old, change->old.napis[i].id, true);
			struct nic_napi *const left = change_set_napi(&layer->left, change->old.napis[i].id, true);

			*old = change->old.napis[i];
			*left = change->reported.napis[i];
			old->present &= changed;
			left->present &= changed;
		}
	}
}

void layer_join(struct journal *journal, const struct journal *before)
{
	struct journal joined = { .open = journal->open, .kept = before->open };
	const struct journal_layer latest = journal->open;

	if (!before->open.is_present) {
		return;
	}
	journal_keep(&joined);
	journal->open = joined.kept;
	if (!joined.kept.is_present) {
		return;
	}
	journal->open.token = latest.token;
	journal->open.helper_pid = latest.helper_pid;
	journal->open.deadline_at_ns = latest.deadline_at_ns;
	journal->open.until_confirmed = latest.until_confirmed;
}

int layer_adopt(struct journal_layer *layer, struct nic *nic, struct err *err)
{
	struct change *const change = calloc(1, sizeof(*change));

	if (!change) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	change->nic = nic;
	change->old = layer->old;
	const int ret = change_read_back(change, err);

	if (ret == 0) {
		layer_fill(change, layer);
	}
	free(change);
	return ret;
}
