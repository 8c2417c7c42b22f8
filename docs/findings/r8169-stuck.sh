#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic rtl8168 --link 100
# r8169: the largest time is reported rounded up, above the limit, and then every change of something else is refused.
DEV=${DEV:-eth0}

# try WORDS...
try() {
	if ethtool -C "$DEV" "$@" 2>/tmp/refusal; then
		verdict=accepted
	else
		verdict="refused ($(cat /tmp/refusal))"
	fi
	echo "$*: $verdict, reported $(ethtool -c "$DEV" | sed -n 's/^\(.x-[uf][a-z]*\):[[:space:]]*/\1 /p' | tr '\n' ' ' | sed 's/ $//')"
}

try rx-usecs 1228
try rx-frames 4
try tx-usecs 100
try rx-usecs 1228 tx-usecs 100
