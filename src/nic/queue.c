/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of single queues: ioctl ETHTOOL_PERQUEUE (Linux 4.6), which has no netlink form. */
#include <errno.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "nic/nic_private.h"
#include "nic/old_settings.h"
#include "nic/stand_in.h"

/* The operation with room for one queue behind it. */
struct one_queue {
	struct ethtool_per_queue_op *operation;
	struct ethtool_coalesce *coalesce;
};

static int make(struct one_queue *one, uint32_t sub_command, unsigned queue, struct err *err)
{
	if (queue >= MAX_NUM_QUEUE) {
		return err_set(err, -EINVAL, "queue %u: the kernel counts to %d", queue, MAX_NUM_QUEUE - 1);
	}
	one->operation = calloc(1, sizeof(*one->operation) + sizeof(*one->coalesce));
	if (!one->operation) {
		return err_set(err, -ENOMEM, "no memory for the settings of a queue");
	}
	one->operation->cmd = ETHTOOL_PERQUEUE;
	one->operation->sub_command = sub_command;
	one->operation->queue_mask[queue / 32] = UINT32_C(1) << queue % 32;
	one->coalesce = (struct ethtool_coalesce *)(void *)one->operation->data;
	one->coalesce->cmd = sub_command;
	return 0;
}

static int explain(const struct nic *nic, unsigned queue, int ret, struct err *err)
{
	switch (ret) {
	case 0:
		return 0;
	case -EOPNOTSUPP:
		return err_set(err, ret, "%s: its driver has no settings of single queues, or not these", nic->name);
	case -EPERM:
		return err_set(err, ret, "%s: changing settings needs root (CAP_NET_ADMIN)", nic->name);
	default:
		return err_prefix(err, ret, "queue %u", queue);
	}
}

int nic_queue_coalesce_get(struct nic *nic, unsigned queue, uint32_t supported, struct coalesce *settings,
			   struct err *err)
{
	struct one_queue one;

	*settings = (struct coalesce){ 0 };
	if (!nic->ethtool->is_kernel) {
		return explain(nic, queue, stand_in_queue_get(queue, settings, err), err);
	}
	int ret = make(&one, ETHTOOL_GCOALESCE, queue, err);

	if (ret) {
		return ret;
	}
	ret = nic_ethtool_ioctl(nic, one.operation, err);
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS && !ret; field++) {
		const uint32_t *const value = old_settings_field(one.coalesce, field);

		if ((supported & COALESCE_BIT(field)) && value) {
			coalesce_put(settings, field, *value);
		}
	}
	free(one.operation);
	return explain(nic, queue, ret, err);
}

/* What the structure has no place for would be lost in silence. */
static int put_all(struct ethtool_coalesce *settings, const struct coalesce *whole, struct err *err)
{
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		uint32_t *const value = old_settings_field(settings, field);

		if (coalesce_has(whole, field) && !value) {
			return err_set(err, -EOPNOTSUPP,
				       "%s cannot be set for a single queue: the kernel's ioctl has no place for it",
				       coalesce_fields[field].name);
		}
		if (coalesce_has(whole, field)) {
			*value = whole->value[field];
		}
	}
	return 0;
}

int nic_queue_coalesce_set(struct nic *nic, unsigned queue, const struct coalesce *whole, struct err *err)
{
	struct one_queue one;
	int ret = put_all(&(struct ethtool_coalesce){ 0 }, whole, err);

	if (ret) {
		return ret;
	}
	if (!nic->ethtool->is_kernel) {
		return explain(nic, queue, stand_in_queue_set(queue, whole, err), err);
	}
	ret = make(&one, ETHTOOL_SCOALESCE, queue, err);
	if (ret) {
		return ret;
	}
	put_all(one.coalesce, whole, err);
	ret = nic_ethtool_ioctl(nic, one.operation, err);
	free(one.operation);
	return explain(nic, queue, ret, err);
}
