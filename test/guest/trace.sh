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
finish
