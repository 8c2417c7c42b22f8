/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/setup_options.h"

void setup_options(struct cmd_option options[SETUP_KEYS], bool repeats_workload)
{
	for (enum setup_key key = 0; key < SETUP_KEYS; key++) {
		options[key] = (struct cmd_option){
			.name = setup_keys[key].name,
			.takes = setup_keys[key].value,
			.help = setup_keys[key].meaning,
			.repeats = key == SETUP_ASSUME || (key == SETUP_WORKLOAD && repeats_workload),
		};
	}
}
