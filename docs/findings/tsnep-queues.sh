#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic tsnep-4
# tsnep: what is reported is the first queue; asking for that value again leaves other queues with what they have.
DEV=${DEV:-eth0}

# ECM_INT_DELAY of four queues, a byte each.
show() {
	echo "$1: reported $(ethtool -c "$DEV" | sed -n 's/^rx-usecs:[[:space:]]*//p'), ECM_INT_DELAY$(ethtool -d "$DEV" raw on | od -A n -t x1 -j 48 -N 4)"
}

ethtool -C "$DEV" rx-usecs 64
show "rx-usecs 64"
ethtool -Q "$DEV" queue_mask 4 --coalesce rx-usecs 240
show "queue 2 has 240"
ethtool -C "$DEV" rx-usecs 64
show "rx-usecs 64 again"
ethtool -C "$DEV" rx-usecs 48
show "rx-usecs 48"
