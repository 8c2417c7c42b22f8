#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# revert and confirm by other names of an interface, by a name that comes twice, and of more interfaces than anybody has. Needs root.
needs_tap=yes
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
mount -t sysfs none /sys

HOLDOFF_STATE_DIR=$scratch/journal
export HOLDOFF_STATE_DIR
mkdir -m 755 "$HOLDOFF_STATE_DIR"

ip tuntap add dev tap7 mode tap
name=another-name-of-tap7
ip link property add dev tap7 altname $name
check 0 "set $name rx-frames 16" "interface tap7" "requested 16, reported 16"
check 0 "revert --list $name" "interface tap7"
check 0 "revert $name" "interface tap7" "put back rx-frames 0"
check 0 "set tap7 rx-frames 16 --for 60s" "requested 16, reported 16"
check 0 "confirm $name" "tap7 stays as it is"
check 0 "revert tap7 tap7" "put back rx-frames 0"
check 0 "revert --list" "nothing to put back"

for number in $(seq 300); do
	ip tuntap add dev many$number mode tap
	"$HOLDOFF" set many$number rx-frames 16 >/dev/null
done
[ "$("$HOLDOFF" revert --list | grep -c '^interface *many')" -eq 300 ]
report $? "300 interfaces are listed"
[ "$("$HOLDOFF" revert | grep -c 'as it was before')" -eq 300 ]
report $? "and put back at one go"
[ -z "$(ls "$HOLDOFF_STATE_DIR")" ]
report $? "and the journal is empty"

finish
