/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A change that stays joins those that were kept before it: how two layers of an entry become one. In memory only. */
#include <string.h>

#include "base/time.h"
#include "change/journal.h"
#include "change/request.h"

static void drop_if_back(struct coalesce *old, struct coalesce *left)
{
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(old, field) && coalesce_has(left, field) && old->value[field] == left->value[field]) {
			old->present &= ~COALESCE_BIT(field);
			left->present &= ~COALESCE_BIT(field);
			old->value[field] = left->value[field] = 0;
		}
	}
}

/*
 * For each field of a later change: put back to what it was before the earlier one, if what that one left is what the later one found, or
 * if nobody knows what it left (it was being put back).
 */
static struct coalesce older(const struct coalesce *first_old, const struct coalesce *first_left,
			     const struct coalesce *old, uint32_t first_changed)
{
	struct coalesce merged = *old;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (!(first_changed & COALESCE_BIT(field)) || !coalesce_has(first_old, field)) {
			continue;
		}
		if (!coalesce_has(old, field) || !coalesce_has(first_left, field) ||
		    old->value[field] == first_left->value[field]) {
			coalesce_put(&merged, field, first_old->value[field]);
		}
	}
	return merged;
}

static void keep_device(struct journal_layer *kept, const struct journal_layer *open)
{
	if (!open->old.device.present) {
		return;
	}
	kept->old.device = older(&kept->old.device, &kept->left.device, &open->old.device, kept->device_changed);
	kept->left.device = open->left.device;
	kept->device_changed = (kept->device_changed | open->device_changed) &
			       coalesce_difference(&kept->old.device, &kept->left.device);
	if (!kept->device_changed) {
		kept->old.device = kept->left.device = (struct coalesce){ 0 };
	}
}

static void keep_queues(struct journal_layer *kept, const struct journal_layer *open)
{
	for (unsigned i = 0; i < open->old.queue_count; i++) {
		const uint32_t queue = open->old.queues[i].queue;
		const struct coalesce *const opened_left = change_set_queue_settings(&open->left, queue);
		struct change_queue *const old = change_set_queue(&kept->old, queue, true);
		struct change_queue *const left = change_set_queue(&kept->left, queue, true);

		if (old && left && opened_left) {
			old->settings = older(&old->settings, &left->settings, &open->old.queues[i].settings,
					      old->settings.present);
			left->settings = coalesce_merge(&left->settings, opened_left);
			drop_if_back(&old->settings, &left->settings);
		}
	}
}

static void keep_napi_field(struct nic_napi *old, struct nic_napi *left, const struct nic_napi *opened_old,
			    const struct nic_napi *opened_left, enum nic_napi_field field)
{
	if (!(opened_old->present & opened_left->present & field)) {
		return;
	}
	if (!(old->present & field) ||
	    ((left->present & field) && change_napi_value(left, field) != change_napi_value(opened_old, field))) {
		change_napi_put(old, field, change_napi_value(opened_old, field));
	}
	change_napi_put(left, field, change_napi_value(opened_left, field));
	if (change_napi_value(old, field) == change_napi_value(left, field)) {
		old->present &= ~(uint32_t)field;
		left->present &= ~(uint32_t)field;
	}
}

static void keep_napis(struct journal_layer *kept, struct journal_layer *open)
{
	for (unsigned i = 0; i < open->old.napi_count; i++) {
		const struct nic_napi *const opened_left = change_set_napi(&open->left, open->old.napis[i].id, false);
		struct nic_napi *const old = change_set_napi(&kept->old, open->old.napis[i].id, true);
		struct nic_napi *const left = change_set_napi(&kept->left, open->old.napis[i].id, true);

		for (unsigned k = 0; old && left && opened_left && k < CHANGE_NAPI_FIELDS; k++) {
			keep_napi_field(old, left, &open->old.napis[i], opened_left, change_napi_fields[k].field);
		}
	}
}

/* Queues and instances of which nothing is left to be put back. */
static void drop_empty(struct change_set *set)
{
	unsigned queues = 0, napis = 0;

	for (unsigned i = 0; i < set->queue_count; i++) {
		if (set->queues[i].settings.present) {
			set->queues[queues++] = set->queues[i];
		}
	}
	for (unsigned i = 0; i < set->napi_count; i++) {
		if (set->napis[i].present) {
			set->napis[napis++] = set->napis[i];
		}
	}
	set->queue_count = queues;
	set->napi_count = napis;
}

void journal_keep(struct journal *journal)
{
	struct journal_layer *const open = &journal->open, *const kept = &journal->kept;

	if (!kept->is_present) {
		*kept = *open;
	} else {
		keep_device(kept, open);
		keep_queues(kept, open);
		keep_napis(kept, open);
		kept->pid = open->pid;
		kept->speed_mbps = open->speed_mbps;
		memcpy(kept->command, open->command, sizeof(kept->command));
		memcpy(kept->since, open->since, sizeof(kept->since));
	}
	drop_empty(&kept->old);
	drop_empty(&kept->left);
	kept->deadline_at_ns = NEVER_AT_NS;
	kept->helper_pid = 0;
	kept->until_confirmed = false;
	kept->failure[0] = '\0';
	if (change_set_is_empty(&kept->old)) {
		memset(kept, 0, sizeof(*kept));
	}
	memset(open, 0, sizeof(*open));
}
