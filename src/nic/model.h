/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of our driver models stands for a driver found on a machine, if any: by the driver's name, the kernel's
 * release and what else the interface says. So `show` can say what values mean, `set` what the driver will do with
 * them, and a way back can be found for values that a driver rounds.
 */
#ifndef HOLDOFF_NIC_MODEL_H
#define HOLDOFF_NIC_MODEL_H

#include "chip/chip.h"
#include "driver/driver.h"
#include "nic/nic.h"

struct nic_model {
	bool is_known;
	struct driver driver; /* in the state that the reported settings stand for */
	struct chip_config chip;
	/* What was assumed to choose it ("kernel 6.1.0-57 has the 2025 rule; clock of 266666666 Hz"), or why
	 * there is none. */
	char note[160];
};

/*
 * is_known is false, with a note, for drivers without a model and where a needed clock is not to be had (fec and
 * stmmac without debugfs). `reported` is what nic_coalesce_get gave; NULL when it gave nothing.
 */
void nic_model_find(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported);

/*
 * A request after which the driver model reads back exactly `wanted` (its present fields), starting from what it
 * is in: the wanted values themselves where that works, else found by search near them (r8169 reads 1229 where
 * 1228 was asked and refuses 1229). -EINVAL if there is none, with a sentence. Without a known model the wanted
 * values themselves.
 */
int nic_model_request_for(const struct nic_model *model, const struct coalesce *wanted, struct coalesce *request,
			  struct err *err);

#endif
