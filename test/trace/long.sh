#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What holdoff trace says of real drivers on our chips against the chips' own logs, at both ends: r8169 by programs in the kernel, fec
# on ARM by the kernel's tracer; pings, floods and UDP, with the threads' hold-offs and without; and that two boots say the same, to the byte
# (make real-trace; test/guest/trace.sh is the short one).
needed="--cached --nic rtl8168"
. "$(dirname "$0")/../guest/boots"

if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi
: >"$scratch/long"

traced() { # NIC NAME
	boot "$1" --nic "$1" --cached --timeout 300 --name "$2" --events "$scratch/log" --add "$scratch/long" test/trace/chip.guest
	numbered "$1" test/trace/truth "$scratch/log" "$scratch/out"
	cp "$scratch/out" "$BUILD/guest/$2.txt"
}

traced rtl8168 trace-first
cp "$scratch/log" "$scratch/first"
boot again --nic rtl8168 --cached --name trace-second --events "$scratch/log" --add "$scratch/long" test/trace/chip.guest
cmp "$scratch/out" "$BUILD/guest/trace-first.txt" >"$scratch/differs"
report $? "two boots: the same traces, of each stage and event, to the byte"
cmp "$scratch/log" "$scratch/first" >"$scratch/differs"
report $? "and the same event log"
if run --nic fec --cached --fetch; then
	traced fec trace-fec
else
	skip fec "$(tail -n 1 "$scratch/err")"
fi
finish
