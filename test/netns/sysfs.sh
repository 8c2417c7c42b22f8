#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A namespace entered as nsenter -n does it: /sys goes on showing the interfaces of the old one, under the same names. None of them may be
# taken for those of the new one, nor be set in their place. Needs root.
# The outer namespace is the test's own too: lo and outer0, with a /sys that shows them.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"

HOLDOFF_STATE_DIR=$scratch/journal
export HOLDOFF_STATE_DIR
mkdir -m 755 "$HOLDOFF_STATE_DIR"
mount -t sysfs none /sys
ip link add outer0 type veth peer name outer1
ip link set outer0 up
here="--netns /proc/self/ns/net"

# entered STATUS PART ARGUMENTS: holdoff in a namespace of its own with an interface of the same name, and the old /sys.
entered() {
	status=$1 part=$2
	shift 2
	unshare -n sh -c 'ip link add outer0 type veth peer name outer1; ip link set outer0 up; exec "$@"' sh \
		"$HOLDOFF" "$@" >"$scratch/out" 2>&1 </dev/null
	got=$?
	tr -s ' \n' ' ' <"$scratch/out" | grep -q -- "$part" && [ $got -eq "$status" ]
	report $? "holdoff $*"
	[ $got -eq "$status" ] || echo "# exit status $got, expected $status"
	tr -s ' \n' ' ' <"$scratch/out" | grep -q -- "$part" || sed "s|^|# not \"$part\": |" "$scratch/out"
}

check 0 "show outer0" "all 0 0ns"
check 0 "show lo" "all 0 0ns"
entered 0 "napi not readable: /sys shows another network namespace than the one with outer0: $here" show outer0
entered 0 "vectors not readable: /sys shows another" show outer0
entered 0 "napi not readable: /sys shows another" show lo
entered 0 "all 0 0ns" show outer0 --netns /proc/self/ns/net
entered 1 "another network namespace" set outer0 napi 0 defer-hard-irqs 2
entered 1 "another network namespace" set lo napi 0 defer-hard-irqs 2
entered 0 "napi 0 defer-hard-irqs was 0, requested 2, reported 2" set outer0 napi 0 defer-hard-irqs 2 --netns /proc/self/ns/net
[ "$(cat /sys/class/net/outer0/napi_defer_hard_irqs)" -eq 0 ]
report $? "nothing was set outside"

# What was set there is not seen here, and not given up.
unshare -n sh -c "ip link add outer0 type veth peer name outer1; \"\$0\" set outer0 napi 0 defer-hard-irqs 2 $here >/dev/null; \"\$0\" revert; echo \$?
	\"\$0\" revert $here" "$HOLDOFF" >"$scratch/out" 2>&1
grep -q "^7$" "$scratch/out" && grep -q "put back *napi 0 defer-hard-irqs 0" "$scratch/out"
report $? "revert does not take a stranger's value for the old one"

finish
