#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff infer --no-set to a NIC whose moderation is known (test/fake/nic.c): the kind and the time, or "cannot tell", of which the fake
# itself may be the cause: it is a process, and takes frames that come within its wake-up at once, throttle or not. Never another kind, and
# another time never without it in the interval.
needs_tap=yes
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/fake

value() { # KEY: of the JSON document
	sed -n "s/^ *\"$1\": \"*\([a-z0-9 -]*\)\"*,*$/\1/p" "$scratch/out" | head -n 1
}

# finds KIND US WORDS...: up to three times, until it is told.
finds() {
	kind=$1 us=$2
	shift 2
	fake "$@"
	for seed in 1 2 3; do
		"$HOLDOFF" infer t0 --peer-host 10.2.0.2 --no-set --rx --longest 6ms --rounds 6 --seed $seed --json >"$scratch/out" 2>"$scratch/err"
		status=$?
		# Where wake-ups take a ms the fake, which is a process, has not held what it should have.
		[ "$(value kind)" != none ] || [ "$(value resolution_ns)" -lt $((us * 250)) ] || status=6
		[ $status -eq 6 ] || break
	done
	if [ $status -eq 6 ]; then
		report 0 "$*: it is told # SKIP infer cannot tell here: mean error $(value error_ns) ns, jitter $(value jitter_ns) ns"
	else
		[ $status -eq 0 ] && [ "$(value kind)" = "$kind" ]
		report $? "$*: it is a $kind ($(value kind))"
		low=$(value effective_low_ns) high=$(value effective_high_ns)
		[ "${low:-0}" -le $((us * 1100)) ] && [ "${high:-0}" -ge $((us * 900)) ]
		report $? "$*: of $us us (${low:-?} to ${high:-?} ns)"
	fi
	stop_fake
}

finds hold-off 3000 holdoff=3ms
finds throttle 3000 throttle=3ms
finds "restarting hold-off" 3000 restart=3ms
finish
