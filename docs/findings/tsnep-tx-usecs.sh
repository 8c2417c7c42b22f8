#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic tsnep
# tsnep: tx-usecs is accepted, whatever it is, and has no effect; rx-usecs rules both directions.
DEV=${DEV:-eth0}

# ECM_INT_DELAY of the first queue: 16 us a step in the high half of the byte.
delay() {
	echo "$(ethtool -c "$DEV" | grep '^.x-usecs:' | tr '\n\t' '  ')ECM_INT_DELAY 0x$(ethtool -d "$DEV" raw on | od -A n -t x1 -j 48 -N 1 | tr -d ' ')"
}

# try WORDS...
try() {
	ethtool -C "$DEV" "$@"
	echo "$*: exit status $?, $(delay)"
}

ethtool -C "$DEV" rx-usecs 64
echo "at first: $(delay)"
try tx-usecs 0
try tx-usecs 160
try tx-usecs 4294967295
try rx-usecs 160
try rx-usecs 32 tx-usecs 160
