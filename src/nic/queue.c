/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of single queues: ioctl ETHTOOL_PERQUEUE (Linux 4.6), which has no netlink form. Its structure is the
 * old one: no word for "unsupported", and no place for the completion queue modes and what came later. Source:
 * include/uapi/linux/ethtool.h.
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "nic/nic_private.h"
#include "nic/stand_in.h"

#define COLUMN(field, member) [field] = offsetof(struct ethtool_coalesce, member)

/* Where a field stands in the ioctl's structure; 0 (which is the number of the command): nowhere. */
static const uint8_t columns[COALESCE_FIELDS] = {
	COLUMN(COALESCE_RX_USECS, rx_coalesce_usecs),
	COLUMN(COALESCE_RX_FRAMES, rx_max_coalesced_frames),
	COLUMN(COALESCE_RX_USECS_IRQ, rx_coalesce_usecs_irq),
	COLUMN(COALESCE_RX_FRAMES_IRQ, rx_max_coalesced_frames_irq),
	COLUMN(COALESCE_TX_USECS, tx_coalesce_usecs),
	COLUMN(COALESCE_TX_FRAMES, tx_max_coalesced_frames),
	COLUMN(COALESCE_TX_USECS_IRQ, tx_coalesce_usecs_irq),
	COLUMN(COALESCE_TX_FRAMES_IRQ, tx_max_coalesced_frames_irq),
	COLUMN(COALESCE_STATS_BLOCK_USECS, stats_block_coalesce_usecs),
	COLUMN(COALESCE_ADAPTIVE_RX, use_adaptive_rx_coalesce),
	COLUMN(COALESCE_ADAPTIVE_TX, use_adaptive_tx_coalesce),
	COLUMN(COALESCE_PKT_RATE_LOW, pkt_rate_low),
	COLUMN(COALESCE_RX_USECS_LOW, rx_coalesce_usecs_low),
	COLUMN(COALESCE_RX_FRAMES_LOW, rx_max_coalesced_frames_low),
	COLUMN(COALESCE_TX_USECS_LOW, tx_coalesce_usecs_low),
	COLUMN(COALESCE_TX_FRAMES_LOW, tx_max_coalesced_frames_low),
	COLUMN(COALESCE_PKT_RATE_HIGH, pkt_rate_high),
	COLUMN(COALESCE_RX_USECS_HIGH, rx_coalesce_usecs_high),
	COLUMN(COALESCE_RX_FRAMES_HIGH, rx_max_coalesced_frames_high),
	COLUMN(COALESCE_TX_USECS_HIGH, tx_coalesce_usecs_high),
	COLUMN(COALESCE_TX_FRAMES_HIGH, tx_max_coalesced_frames_high),
	COLUMN(COALESCE_SAMPLE_INTERVAL, rate_sample_interval),
};

static uint32_t *cell(struct ethtool_coalesce *coalesce, enum coalesce_field field)
{
	return (uint32_t *)(void *)((uint8_t *)coalesce + columns[field]);
}

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
		if ((supported & COALESCE_BIT(field)) && columns[field]) {
			coalesce_put(settings, field, *cell(one.coalesce, field));
		}
	}
	free(one.operation);
	return explain(nic, queue, ret, err);
}

/* What the structure has no place for would be lost in silence. */
static int check_columns(const struct coalesce *whole, struct err *err)
{
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(whole, field) && !columns[field]) {
			return err_set(err, -EOPNOTSUPP,
				       "%s cannot be set for a single queue: the kernel's ioctl has no place for it",
				       coalesce_fields[field].name);
		}
	}
	return 0;
}

int nic_queue_coalesce_set(struct nic *nic, unsigned queue, const struct coalesce *whole, struct err *err)
{
	struct one_queue one;
	int ret = check_columns(whole, err);

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
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(whole, field)) {
			*cell(one.coalesce, field) = whole->value[field];
		}
	}
	ret = nic_ethtool_ioctl(nic, one.operation, err);
	free(one.operation);
	return explain(nic, queue, ret, err);
}
