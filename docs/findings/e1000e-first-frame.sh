#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic e1000e --append iomem=relaxed
# e1000e, 82574 with MSI-X: a time that is set soon after the link came up is replaced by the first received frame.
DEV=${DEV:-eth0} PEER=${PEER:-10.0.0.2}

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

ip link set "$DEV" down
ip link set "$DEV" up
until [ "$(cat "/sys/class/net/$DEV/carrier")" = 1 ]; do sleep 0.1; done
ethtool -C "$DEV" rx-usecs 500
show "rx-usecs 500 was set"
ping -q -c 1 "$PEER" >/dev/null
show "after one ping"
sleep 10
ping -q -c 5 "$PEER" >/dev/null
show "ten seconds and five pings later"
ethtool -C "$DEV" rx-usecs 500
show "rx-usecs 500 was asked for again"
