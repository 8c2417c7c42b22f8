#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic e1000e --append iomem=relaxed
# e1000e: rx-usecs 4, the "simplified" mode, throttles to an interrupt each 15 ms until the watchdog runs.
DEV=${DEV:-eth0} PEER=${PEER:-10.0.0.2}

show() {
	bar=$(cut -d' ' -f1 "/sys/class/net/$DEV/device/resource" | head -n 1)
	echo "$1: $(ethtool -c "$DEV" | grep '^rx-usecs:'), EITR $(busybox devmem $((bar + 0xe8)) 32)"
}

longest() {
	ping -f -q -c 100 "$PEER" | awk -F/ '/^rtt/ { printf "    longest of 100 round trips: %.1f ms\n", $6 }'
}

ping -q -c 3 "$PEER" >/dev/null
ethtool -C "$DEV" rx-usecs 4
show "rx-usecs 4 was set"
longest
# The watchdog runs each 2 s: once with the traffic of before, once without.
sleep 5
show "five seconds later"
longest
