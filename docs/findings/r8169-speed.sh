#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic rtl8168
# r8169: at another link speed the registers stay as they are and mean another time.
DEV=${DEV:-eth0}

show() {
	reported=$(ethtool -c "$DEV" | sed -n 's/^rx-usecs:[[:space:]]*//p')
	echo "$1: reported rx-usecs $reported, CPlusCmd IntrMitigate$(ethtool -d "$DEV" raw on | od -A n -t x2 -j 224 -N 4)"
}

# at MBPS: the link at that speed
at() {
	ethtool -s "$DEV" autoneg on speed "$1" duplex full
	until [ "$(cat "/sys/class/net/$DEV/speed" 2>/dev/null)" = "$1" ]; do sleep 0.1; done
	show "    at $1 Mb/s"
}

ethtool -C "$DEV" rx-usecs 100
show "rx-usecs 100 was set at 1000 Mb/s"
at 100
at 10
ethtool -C "$DEV" rx-usecs 400
show "rx-usecs 400 was set at 10 Mb/s"
at 100
at 1000
