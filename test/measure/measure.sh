#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff ping, load and measure with each real driver on a chip of ours (e1000e: test/guest), at the settings that the
# threads speak of: the figures are those of ping and of /proc/interrupts, and the same a second time.
. "$(dirname "$0")/../guest/boots"

for nic in rtl8168 tsnep fec; do
	if run --nic $nic --cached --fetch; then
		boot $nic --nic $nic --cached --name measure-$nic test/measure/measure.guest
	else
		skip $nic "$(tail -n 1 "$scratch/err")"
	fi
done
finish
