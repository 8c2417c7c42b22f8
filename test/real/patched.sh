#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A driver developer's day, as in man holdoff-bench, with a driver that is really changed and built: tsnep, whose source and
# kernel headers its other tests need as well (make real-tsnep gets them). A changed r8169 or e1000e would take linux-source-6.1,
# 139 MB for a few files; test/guest/command.sh has an e1000e that is changed in its binary.
. "$(dirname "$0")/../guest/boots"
holdoff=$(realpath "$BUILD/holdoff")

if ! qemu/run --build "$BUILD" --nic tsnep --cached --fetch 2>"$scratch/why"; then
	echo "1..0 # SKIP $(tail -n 1 "$scratch/why")"
	exit 0
fi
sources=$(echo "${HOLDOFF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holdoff}"/6.12/sources/*)
headers=$(echo "$sources"/usr/src/linux-headers-*-amd64)

# The patch: a shorter delay from the start.
cp -r "$sources/engleder" "$scratch/driver"
sed -i 's/\(#define TSNEP_COALESCE_USECS_DEFAULT\) 64/\1 32/' "$scratch/driver/tsnep_main.c"
! diff -r "$sources/engleder" "$scratch/driver" >"$scratch/patch"
report $? "the driver is changed: $(sed -n 's/^> //p' "$scratch/patch")"
make -s -C "$headers" M="$scratch/driver" CC=gcc CONFIG_TSNEP=m CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$scratch/log" 2>&1
status=$?
report $status "and built against the headers of its kernel"
[ $status -eq 0 ] || sed 's/^/# /' "$scratch/log"

cat >"$scratch/my.sh" <<'END'
ethtool -c eth0 | grep '^rx-usecs:'
ping -f -q -c 500 10.0.0.2 | sed -n 's/^rtt [^=]*= \([^/]*\)\/.*/shortest \1/p'
END
"$holdoff" bench --nic tsnep --cached --script "$scratch/my.sh" >"$scratch/before" 2>"$scratch/err"
report $? "before"
"$holdoff" bench --nic tsnep --cached --module "$scratch/driver/tsnep.ko" --script "$scratch/my.sh" >"$scratch/after" 2>>"$scratch/err"
report $? "after"
sed 's/^/# /' "$scratch/err"
of() { # WORD FILE
	sed -n "s/^$1 *//p" "$scratch/$2"
}
[ "$(of rx-usecs: before) $(of rx-usecs: after)" = "64 32" ]
report $? "ethtool reports $(of rx-usecs: before) before and $(of rx-usecs: after) after"
saved=$(echo "$(of shortest before) $(of shortest after)" | awk '{ printf "%d", ($1 - $2) * 1000 + 0.5 }')
[ "$saved" -ge 31 ] && [ "$saved" -le 33 ]
report $? "the shortest round trip, which feels the delay of one end, is $saved us shorter"
finish
