#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic e1000e --append iomem=relaxed
# e1000e, 82574 with MSI-X: whatever resets the card silently replaces the time that was set.
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

settle() {
	sleep 1
	until [ "$(cat "/sys/class/net/$DEV/carrier")" = 1 ]; do sleep 0.1; done
}

longest() {
	ping -f -q -c 300 "$PEER" | awk -F/ '/^rtt/ { printf "    longest of 300 round trips: %.1f ms\n", $6 }'
}

# after TEXT COMMAND...
after() {
	text=$1
	shift
	ethtool -C "$DEV" rx-usecs 500
	show "rx-usecs 500 was set"
	"$@"
	settle
	show "    after $text"
	ethtool -C "$DEV" rx-usecs 3
}

ping -q -c 3 "$PEER" >/dev/null
ethtool -C "$DEV" rx-usecs 500
show "rx-usecs 500 was set"
longest
ip link set "$DEV" mtu 1400
settle
show "after another MTU"
longest
ethtool -C "$DEV" rx-usecs 500
show "rx-usecs 500 was asked for again"
ethtool -C "$DEV" rx-usecs 3
after "another ring size" ethtool -G "$DEV" rx 512
after "ethtool -r" ethtool -r "$DEV"
after "ethtool -K rx off" ethtool -K "$DEV" rx off

ethtool -C "$DEV" rx-usecs 500
ip link set "$DEV" down
ip link set "$DEV" up
settle
after "an MTU that is changed when ifdown and ifup came before" ip link set "$DEV" mtu 1300
