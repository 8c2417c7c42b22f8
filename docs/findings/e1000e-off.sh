#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic e1000e --append iomem=relaxed
# e1000e, 82574 with MSI-X: rx-usecs 0 (no throttle) is reported over ifdown and ifup, and a throttle is there.
DEV=${DEV:-eth0}

# EITR of the vectors for receive, transmit and other causes, in units of 256 ns: BAR 0 + 0xe8.
eitr() {
	bar=$(cut -d' ' -f1 "/sys/class/net/$DEV/device/resource" | head -n 1)
	for vector in 0 1 2; do
		printf ' %d' "$(busybox devmem $((bar + 0xe8 + 4 * vector)) 32)"
	done
}

show() {
	echo "$1: $(ethtool -c "$DEV" | grep '^rx-usecs:'), EITR$(eitr)"
}

# over SETTING: an ifdown and ifup
over() {
	ethtool -C "$DEV" rx-usecs "$1"
	show "rx-usecs $1 was set"
	ip link set "$DEV" down
	ip link set "$DEV" up
	until [ "$(cat "/sys/class/net/$DEV/carrier")" = 1 ]; do sleep 0.1; done
	show "    after ifdown and ifup"
}

over 500
over 0
