#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff load through the drivers whose guests are not for every run of the tests (test/guest/load.guest).
. "$(dirname "$0")/../guest/boots"

for nic in fec tsnep; do
	if run --nic $nic --cached --fetch; then
		boot $nic --nic $nic --cached --timeout 300 --name $nic-load test/guest/load.guest
	else
		skip $nic "$(tail -n 1 "$scratch/err")"
	fi
done
finish
