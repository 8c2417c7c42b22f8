#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of a simulated frame and the memory of a run, in a build with fixed flags: golden figures need a
# fixed compiler.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi
make -s BUILD=build/gcc CC=gcc CFLAGS="-O2 -g" build/gcc/holdoff >&2 || exit 1
exec bench/instructions --holdoff build/gcc/holdoff
