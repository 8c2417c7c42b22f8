#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic rtl8168 --link 10
# r8169: a time grows by a unit with each change of something else.
DEV=${DEV:-eth0}

# set_and_show WORDS...; IntrMitigate: TX timer, TX frames, RX timer, RX frames, four bits each.
set_and_show() {
	ethtool -C "$DEV" "$@"
	reported=$(ethtool -c "$DEV" | sed -n 's/^\(rx-[uf][a-z]*\):[[:space:]]*/\1 /p' | tr '\n' ' ')
	echo "$*: reported ${reported}IntrMitigate$(ethtool -d "$DEV" raw on | od -A n -t x2 -j 226 -N 2)"
}

set_and_show rx-usecs 200
for frames in 4 8 12 16 20; do
	set_and_show rx-frames $frames
done
