#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What holdoff trace costs a flood ping over veth, against programs that do nothing on the same tracepoints.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi
exec bench/trace --holdoff "${HOLDOFF:-build/holdoff}" --tap
