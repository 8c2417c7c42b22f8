#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic fec
# fec: frames of 0 or 1, or a time of 0, switch the coalescing of that direction off, and the other value is still reported.
DEV=${DEV:-eth0}

register() { # OFFSET
	ethtool -d "$DEV" raw on | od -A n -t x4 -j "$1" -N 4
}

# try WORDS..., from the driver's default
try() {
	ethtool -C "$DEV" rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200
	ethtool -C "$DEV" "$@"
	reported=$(ethtool -c "$DEV" | sed -n 's/^\(.x-[uf][a-z]*\):[[:space:]]*/\1 /p' | tr '\n' ' ')
	echo "$*: reported ${reported}RXIC0$(register 256) TXIC0$(register 240)"
}

try rx-usecs 999
try rx-frames 1
try rx-frames 0
try rx-usecs 0
try tx-frames 1
