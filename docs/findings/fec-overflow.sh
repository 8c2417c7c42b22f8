#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic fec
# fec: a time far above the limit is accepted where its product with the clock wraps at 32 bits, and a short one is programmed.
DEV=${DEV:-eth0}

# RXIC0: enable and clock select, 8 bits of frames, 16 bits of time in units of 64 clocks.
rxic() {
	word=$(ethtool -d "$DEV" raw on | od -A n -t x4 -j 256 -N 4 | tr -d ' ')
	echo "RXIC0 $word, ICTT $((0x$word & 0xffff))"
}

for usecs in 31782 31783 1000000 2082913 2082914 2083000 2114696 2114697 4165827; do
	ethtool -C "$DEV" rx-usecs 1000 2>/dev/null
	if ethtool -C "$DEV" rx-usecs $usecs 2>/dev/null; then
		echo "rx-usecs $usecs: accepted, reported $(ethtool -c "$DEV" | sed -n 's/^rx-usecs:[[:space:]]*//p'), $(rxic)"
	else
		echo "rx-usecs $usecs: refused, $(rxic)"
	fi
done
