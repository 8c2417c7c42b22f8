#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What holdoff trace says of the real r8169 on our chip against the chips' own log of the same boot, at both ends, with 0 and with 200 us
# of hold-off: each interrupt, each packet and each stage (make real-trace: more traffic, other NICs, and twice).
needed="--cached --nic rtl8168"
. "$(dirname "$0")/boots"

if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi
boot "traffic" $needed --name trace --events "$scratch/log" test/trace/chip.guest
numbered "truth" test/trace/truth "$scratch/log" "$scratch/out"
run $needed --count 4 --append pci=nomsi --module bonding --module 8021q --module bridge --name trace-stacks test/trace/stacks.guest
status=$?
if grep -q -e 'modules have no' -e 'and there is none' "$scratch/err"; then
	skip "stacks" "the cache has a kernel without the modules for VLANs, bridges and bonds (qemu/run --fetch)"
else
	told "stacks" $status
fi
finish
