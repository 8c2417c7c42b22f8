#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic rtl8168
# r8169: ifdown and ifup set the coalescing to none, whether it was set before ifdown or while the interface was down.
DEV=${DEV:-eth0}

show() {
	reported=$(ethtool -c "$DEV" | sed -n 's/^\(.x-[uf][a-z]*\):[[:space:]]*/\1 /p' | tr '\n' ' ')
	echo "$1: reported ${reported}IntrMitigate$(ethtool -d "$DEV" raw on | od -A n -t x2 -j 226 -N 2)"
}

up() {
	ip link set "$DEV" up
	until [ "$(cat "/sys/class/net/$DEV/carrier")" = 1 ]; do sleep 0.1; done
}

ethtool -C "$DEV" rx-usecs 200 rx-frames 4 tx-usecs 200 tx-frames 4
show "set"
ip link set "$DEV" down
show "    ifdown"
up
show "    ifup"
ip link set "$DEV" down
ethtool -C "$DEV" rx-usecs 200
show "set while down"
up
show "    ifup"
