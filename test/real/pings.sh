#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pings through the real drivers of the threads, two NICs on one CPU: the simulator's round trips are within 5 % of the
# measured ones, and these are what test/data/pings holds. What the guest printed stays in BUILD/guest/pings-NIC.txt.
#
#	test/real/pings.sh [NIC...]		default: rtl8168 fec tsnep
. "$(dirname "$0")/../guest/boots"
[ $# -gt 0 ] || set -- rtl8168 fec tsnep
HOLDOFF=${HOLDOFF:-$BUILD/holdoff}

if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi

# measure NIC: false if it cannot be had or the guest failed; said then.
measure() {
	test/refdata/pings --plan "$1" >"$scratch/pings"
	cached=
	[ "$1" != tsnep ] || cached=--cached # make real-tsnep downloads what it needs
	run --nic "$1" $cached --timeout 300 --name "pings-$1" --add "$scratch/pings:/test/pings" test/real/pings.guest
	case $? in
	0) cp "$scratch/out" "$BUILD/guest/pings-$1.txt" ;;
	77) skip "$1: pings" "$(tail -n 1 "$scratch/err")" && return 1 ;;
	*) report 1 "$1: the guest pings" && sed 's/^/# /' "$scratch/err" && return 1 ;;
	esac
}

# simulate NIC: the lines of the comparison, numbered anew.
simulate() {
	test/refdata/pings --holdoff "$HOLDOFF" --measured "$BUILD/guest/pings-$1.txt" >"$scratch/compared" 2>&1
	while IFS= read -r line; do
		case $line in
		"ok "*) report 0 "$1: ${line#* - }" ;;
		"not ok "*) report 1 "$1: ${line#* - }" ;;
		1..*) ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$scratch/compared"
}

recorded() {
	test/refdata/pings --drift "$BUILD/guest/pings-$1.txt" >"$scratch/drift"
	report $? "$1: $(wc -l <"$BUILD/guest/pings-$1.txt") cells are as recorded"
	sed 's/^/# /' "$scratch/drift"
}

for nic; do
	if measure "$nic"; then
		simulate "$nic"
		recorded "$nic"
	fi
done
finish
