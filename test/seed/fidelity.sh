#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of docs/fidelity.md are what the program gives: see tools/fidelity. HOLDOFF names another build than build/holdoff.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi
exec tools/fidelity --check --holdoff "${HOLDOFF:-build/holdoff}"
