/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is before a change and after it: everything that the request touches, and what it sets along with it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "change/change_private.h"
#include "change/request.h"

/* The supported field whose name goes on where this one ends, or begins the same way: rx-usecs-irq for rx-usecs. */
static const char *nearest_supported(enum coalesce_field field, uint32_t supported)
{
	const char *names[COALESCE_FIELDS], *const name = coalesce_fields[field].name;
	size_t count = 0;

	for (enum coalesce_field other = 0; other < COALESCE_FIELDS; other++) {
		if (supported & COALESCE_BIT(other)) {
			names[count++] = coalesce_fields[other].name;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (strncmp(names[i], name, strlen(name)) == 0 || strncmp(names[i], name, strlen(names[i])) == 0) {
			return names[i];
		}
	}
	const char *const nearest = text_nearest(name, names, count);

	for (size_t i = 0; !nearest && i < count; i++) {
		if (strncmp(names[i], name, 3) == 0) {
			return names[i];
		}
	}
	return nearest;
}

static int complain_supported(const struct change *change, const char *name, uint32_t supported, struct err *err)
{
	char names[ERR_TEXT_MAX] = "";
	size_t length = 0;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS && length < sizeof(names) / 2; field++) {
		if (supported & COALESCE_BIT(field)) {
			length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", length ? ", " : "",
						   coalesce_fields[field].name);
		}
	}
	return err_set(err, -EOPNOTSUPP, "%s (%s) has no %s; it has %s", change->nic->name, change->identity.driver,
		       name, length ? names : "none of ethtool's settings");
}

static int check_supported(const struct change *change, const struct coalesce *wanted, uint32_t supported,
			   struct err *err)
{
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (!coalesce_has(wanted, field) || (supported & COALESCE_BIT(field))) {
			continue;
		}
		const char *const name = coalesce_fields[field].name, *const nearest =
									      nearest_supported(field, supported);

		if (nearest) {
			return err_set(err, -EOPNOTSUPP, "%s (%s) has no %s; the nearest that it has is %s",
				       change->nic->name, change->identity.driver, name, nearest);
		}
		return complain_supported(change, name, supported, err);
	}
	return 0;
}

static bool differs(const struct coalesce *wanted, const struct coalesce *old)
{
	const struct coalesce whole = coalesce_merge(old, wanted);

	return coalesce_difference(&whole, old);
}

static unsigned queues_of(const struct nic_identity *identity)
{
	const unsigned apart = identity->rx_channels > identity->tx_channels ? identity->rx_channels
									     : identity->tx_channels;

	return identity->has & NIC_HAS_CHANNELS ? identity->combined_channels + apart : 1;
}

/* What the driver says of one queue that is to be set. */
static int look_at_queue(struct change *change, const struct change_queue *wanted, uint32_t supported, struct err *err)
{
	struct change_queue *const old = change_set_queue(&change->old, wanted->queue, true);
	int ret = old ? 0 : err_set(err, -EINVAL, "at most %d queues can be put back", CHANGE_QUEUES_MAX);

	if (ret == 0) {
		ret = nic_queue_coalesce_get(change->nic, wanted->queue, supported, &old->settings, err);
	}
	if (ret == -EINVAL && (change->identity.has & NIC_HAS_CHANNELS) &&
	    wanted->queue >= queues_of(&change->identity)) {
		return err_set(err, ret, "%s has no queue %" PRIu32 ", the last is %u", change->nic->name,
			       wanted->queue, queues_of(&change->identity) - 1);
	}
	return ret ? ret : check_supported(change, &wanted->settings, old->settings.present, err);
}

/*
 * Setting the device sets every queue, and its queues may have been set one by one before or be so later, so each is put back by
 * itself. Of more queues than a set holds only those that differ from the device are taken. A driver without settings of single queues,
 * or a queue that cannot be read, has nothing that could be lost.
 */
static int look_at_other_queues(struct change *change, uint32_t supported, struct err *err)
{
	const unsigned count = queues_of(&change->identity);

	for (unsigned queue = 0; queue < count; queue++) {
		struct coalesce settings;

		if (change_set_queue_settings(&change->old, queue)) {
			continue;
		}
		if (nic_queue_coalesce_get(change->nic, queue, supported, &settings, NULL)) {
			break;
		}
		if (count > CHANGE_QUEUES_MAX && !differs(&settings, &change->old.device)) {
			continue;
		}
		struct change_queue *const old = change_set_queue(&change->old, queue, true);

		if (!old) {
			return err_set(
				err, -EINVAL,
				"more than %d queues of %s have settings of their own, too many to put them back",
				CHANGE_QUEUES_MAX, change->nic->name);
		}
		old->settings = settings;
	}
	return 0;
}

static int look_at_settings(struct change *change, struct err *err)
{
	struct coalesce now = { 0 };
	const int got = nic_coalesce_get(change->nic, &now, err);
	int ret = 0;

	nic_model_find(&change->model, &change->identity, got == 0 ? &now : NULL);
	if (!change->wanted.device.present && !change->wanted.queue_count) {
		return 0;
	}
	if (got) {
		return got;
	}
	if (change->wanted.device.present) {
		change->old.device = now;
		ret = check_supported(change, &change->wanted.device, now.present, err);
	}
	for (unsigned i = 0; ret == 0 && i < change->wanted.queue_count; i++) {
		ret = look_at_queue(change, &change->wanted.queues[i], now.present, err);
	}
	if (ret == 0 && change->wanted.device.present) {
		ret = look_at_other_queues(change, now.present, err);
	}
	return ret;
}

static int look_at_napi(struct change *change, const struct nic_napi *wanted, const struct nic_napi *now,
			struct err *err)
{
	struct nic_napi *const old = change_set_napi(&change->old, wanted->id, true);

	for (unsigned i = 0; old && i < CHANGE_NAPI_FIELDS; i++) {
		const enum nic_napi_field field = change_napi_fields[i].field;

		if ((wanted->present & field) && !(now->present & field)) {
			return err_set(err, -EOPNOTSUPP,
				       "NAPI instance %" PRIu32 " of %s has no %s: this kernel does not know it",
				       wanted->id, change->nic->name, change_napi_fields[i].name);
		}
		if (wanted->present & field) {
			change_napi_put(old, field, change_napi_value(now, field));
		}
	}
	return 0;
}

static int look_at_napis(struct change *change, struct err *err)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count = 0;
	int ret = change->wanted.napi_count ? nic_napi_list(change->nic, napis, NIC_NAPIS_MAX, &count, err) : 0;

	for (unsigned i = 0; ret == 0 && i < change->wanted.napi_count; i++) {
		const struct nic_napi *const wanted = &change->wanted.napis[i], *const now = change_find_napi(
											napis, count, wanted->id);

		if (!now && count && napis[0].id == 0) {
			ret = err_set(err, -EOPNOTSUPP,
				      "the kernel tells no single NAPI instances of %s: napi 0 stands for the whole "
				      "device",
				      change->nic->name);
		} else if (!now) {
			ret = err_set(err, -EINVAL, "%s has no NAPI instance %" PRIu32 " (holdoff show lists them)",
				      change->nic->name, wanted->id);
		} else {
			ret = look_at_napi(change, wanted, now, err);
		}
	}
	return ret;
}

static bool napi_differs(const struct change *change, const struct nic_napi *wanted)
{
	const struct nic_napi *const old = change_set_napi_settings(&change->old, wanted->id);

	return old && change_napi_difference(wanted, old);
}

static bool is_needed(const struct change *change)
{
	bool needed = change->wanted.device.present && differs(&change->wanted.device, &change->old.device);

	for (unsigned i = 0; i < change->wanted.queue_count; i++) {
		const struct change_queue *const wanted = &change->wanted.queues[i];

		needed |= differs(&wanted->settings, change_set_queue_settings(&change->old, wanted->queue));
	}
	for (unsigned i = 0; i < change->wanted.napi_count; i++) {
		needed |= napi_differs(change, &change->wanted.napis[i]);
	}
	return needed;
}

int change_look(struct change *change, struct nic *nic, const struct change_set *wanted, struct err *err)
{
	const struct change_set copy = *wanted;

	memset(change, 0, sizeof(*change));
	change->nic = nic;
	change->wanted = copy;
	change->helper_fd = -1;
	change->deadline_at_ns = NEVER_AT_NS;
	int ret = nic_identify(nic, &change->identity, err);

	ret = ret ? ret : look_at_settings(change, err);
	ret = ret ? ret : look_at_napis(change, err);
	change->is_needed = ret == 0 && is_needed(change);
	change->reported = change->old;
	return ret;
}

/* ---- afterwards ---- */

static int read_back_napis(struct change *change, struct err *err)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count = 0;
	const int ret = change->old.napi_count ? nic_napi_list(change->nic, napis, NIC_NAPIS_MAX, &count, err) : 0;

	for (unsigned i = 0; ret == 0 && i < change->old.napi_count; i++) {
		const struct nic_napi *const now = change_find_napi(napis, count, change->old.napis[i].id);

		if (!now) {
			return err_set(err, -ENETDOWN,
				       "NAPI instance %" PRIu32
				       " of %s is gone just after it was set (did the interface go down?)",
				       change->old.napis[i].id, change->nic->name);
		}
		for (unsigned k = 0; k < CHANGE_NAPI_FIELDS; k++) {
			if (change->old.napis[i].present & now->present & change_napi_fields[k].field) {
				change_napi_put(&change->reported.napis[i], change_napi_fields[k].field,
						change_napi_value(now, change_napi_fields[k].field));
			}
		}
	}
	return ret;
}

int change_read_back(struct change *change, struct err *err)
{
	int ret = 0;

	change->reported = change->old;
	if (change->old.device.present) {
		ret = nic_coalesce_get(change->nic, &change->reported.device, err);
	}
	for (unsigned i = 0; ret == 0 && i < change->old.queue_count; i++) {
		struct change_queue *const queue = &change->reported.queues[i];

		ret = nic_queue_coalesce_get(change->nic, queue->queue, queue->settings.present, &queue->settings, err);
	}
	return ret ? ret : read_back_napis(change, err);
}
