#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff ping to a NIC whose coalescing is known (test/fake/nic.c): steps, gaps, bursts and the lock of fixed gaps are found as they are. With --write the examples in docs/json are written anew.
write=${1-}
[ "$write" != inside ] || write=$PING_WRITE
PING_WRITE=$write
export PING_WRITE
needs_tap=yes
[ "${1-}" = inside ] || set --
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/fake

measure() { # ARGUMENTS...
	"$HOLDOFF" ping --json "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	sed 's/^/# /' "$scratch/err"
}

number() { # KEY [NTH]: the NTH number of that name in the JSON document
	sed -n "s/^ *\"$1\": \(-*[0-9]*\),*$/\1/p" "$scratch/out" | sed -n "${2:-1}p"
}

# The machine is shared: what another program takes away for a while may spoil a measurement, but not each of five.
# tried COMMAND...: measures, and decides by its status; what is reported is that of the last time.
tried() {
	for _ in 1 2 3 4; do
		! "$@" || return 0
		echo "# once more: $*"
	done
	"$@"
}

# spread ARGUMENTS...: between the quartiles of the round trips, in us.
spread() {
	spread=$("$HOLDOFF" ping -c 60 -i 50ms "$@" 10.2.0.2 | sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' | sort -n |
		awk '{ time[NR] = $1 } END { printf "%d\n", 1000 * (time[int(NR * 3 / 4)] - time[int(NR / 4)]) }')
}

# Whether one in twenty round trips that nothing holds takes a ms on this machine.
is_starved() {
	words=$fake_words
	stop_fake
	fake
	idle_us=$("$HOLDOFF" ping -c 100 -i 20ms 10.2.0.2 | sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' | sort -n |
		awk '{ time[NR] = $1 } END { printf "%d\n", 1000 * time[int(NR * 0.95)] }')
	stop_fake
	fake $words
	[ "$idle_us" -gt 1000 ]
}

# judged STATUS TEXT: of what was tried.
judged() {
	if [ "$1" -ne 0 ] && is_starved; then
		report 0 "$2 # SKIP this machine is too busy: one in twenty round trips that nothing holds takes $idle_us us"
	else
		report "$1" "$2"
	fi
}

# found N PAYLOAD NS: N steps, the first at this payload, its height within 10 %.
found() {
	[ $status -eq 0 ] && [ "$(grep -c '"payload_below_bytes"' "$scratch/out")" -eq "$1" ] && {
		[ "$1" -eq 0 ] || {
			[ "$(number payload_above_bytes)" -eq "$2" ] && [ $(($(number height_ns) * 100)) -ge $(($3 * 90)) ] &&
				[ $(($(number height_ns) * 100)) -le $(($3 * 110)) ]
		}
	}
}

show_steps() {
	grep -E '"(payload|frame)_(below|above)_bytes"|"height_|"unseen|"elapsed' "$scratch/out" | sed 's/^/# /'
}

# ---- steps ----

step() { # N PAYLOAD NS ARGUMENTS...
	n=$1 payload=$2 ns=$3
	shift 3
	measure "$@"
	found "$n" "$payload" "$ns"
}

fake holdoff=240us bypass=128
tried step 1 82 240000 --sizes 18..1472 10.2.0.2
judged $? "240 us from 128 bytes on: found at payload 82, within 10 %"
[ "$(number frame_below_bytes) $(number frame_above_bytes)" = "127 128" ]
report $? "which is frame 127 to 128"
show_steps
cp "$scratch/out" "$scratch/ping-steps"
tried step 1 62 240000 --sizes 18..1452 fd02::2
judged $? "the same with IPv6, at payload 62"
show_steps
tried step 1 82 240000 --sizes 70..90 10.2.0.2
judged $? "in a small range"
tried step 1 82 240000 --sizes 81..82 10.2.0.2
judged $? "and between the two sizes alone"
tried step 0 0 0 --sizes 82..1472 10.2.0.2
judged $? "none above it"
show_steps
"$HOLDOFF" ping --sizes 81..82 10.2.0.2 >"$scratch/out" 2>&1
grep -q '^step *81 -> 82 bytes of payload, frame 127 -> 128 bytes$' "$scratch/out" && grep -q '^likely .*RTL8168' "$scratch/out" && grep -q '^where *somewhere on the path' "$scratch/out"
report $? "as text, with what may be behind it"
stop_fake

fake
tried step 0 0 0 --sizes 18..1472 10.2.0.2
judged $? "no step where nothing is held"
show_steps
stop_fake
fake holdoff=30us bypass=1000
tried step 1 954 30000 --sizes 18..1472 10.2.0.2
judged $? "a hold-off of 30 us from 1000 bytes on"
show_steps
stop_fake
fake holdoff=5ms bypass=256
tried step 1 210 5000000 --sizes 150..350 10.2.0.2
judged $? "one of 5 ms from 256 bytes on"
show_steps
stop_fake

# ---- gaps ----

kinds() { # ARGUMENTS...: what is found, "throttle rise " for instance
	measure "$@"
	kinds=$(sed -n '/"findings"/,$s/^ *"kind": "\(.*\)",*$/\1/p' "$scratch/out" | tr '\n' ' ')
}

# That there are idle states here as well cannot be helped.
is_throttle() {
	kinds "$@"
	case $status$kinds in
	0throttle\ *) [ "$(number throttle_ns)" -ge 1800000 ] && [ "$(number throttle_ns)" -le 2200000 ] ;;
	*) false ;;
	esac
}
is_none() {
	kinds "$@"
	case $status$kinds in
	0*throttle*) false ;;
	# Within a tenth of the hold-off it is the CPU's.
	0*fall*) [ "$(sed -n '/"kind": "fall"/,/}/s/^ *"change_ns": \([0-9]*\).*/\1/p' "$scratch/out" | sort -n | tail -n 1)" -le 200000 ] ;;
	0*) true ;;
	*) false ;;
	esac
}

show_gaps() {
	sed -n '/"gaps": /,$p' "$scratch/out" | tr -d '\n' | sed 's/},/&\n/g' | tr -s ' ' | sed 's/^/# /'
	echo
}

fake throttle=2ms
tried is_throttle --intervals 0,100us,200us,500us,1ms,3ms,5ms 10.2.0.2
judged $? "a throttle of 2 ms is one, within 10 %"
show_gaps
cp "$scratch/out" "$scratch/ping-gaps"
stop_fake
fake holdoff=2ms
tried is_none --intervals 0,100us,200us,500us,1ms,3ms,5ms 10.2.0.2
judged $? "a hold-off of 2 ms from the first frame is no throttle"
show_gaps
stop_fake

# ---- bursts ----

bursts() { # LOW HIGH: bundles, in the median
	measure --burst 64 -c 30 -i 20ms 10.2.0.2
	median=$(sed -n '/"bundles": {/,/}/s/^ *"p50": \([0-9]*\),*$/\1/p' "$scratch/out")
	gap=$(sed -n '/"bundle_to_bundle_ns": {/,/}/s/^ *"p50": \([0-9]*\),*$/\1/p' "$scratch/out")
	[ $status -eq 0 ] && [ "$(number whole)" -eq 30 ] && [ "$1" -le "$median" ] && [ "$median" -le "$2" ]
}
bursts_a_ms_apart() { # LOW HIGH
	bursts "$@" && [ "$gap" -ge 900000 ] && [ "$gap" -le 1100000 ]
}

fake throttle=1ms holdoff=1ms budget=16
tried bursts_a_ms_apart 4 5
judged $? "64 echoes of which 16 at a time are let through come back in four bundles: $median, 1 ms from one to the next: $gap ns"
cp "$scratch/out" "$scratch/ping-bursts"
stop_fake
# Somebody else's turn on the CPU looks like a gap, too.
fake holdoff=5ms
tried bursts 1 2
judged $? "held for longer than the burst lasts it comes back in one, or nearly: $median"
stop_fake

# ---- fixed gaps ----

# A timer that runs freely, 10 ms: random gaps meet all of its phases, fixed ones of five times its length nearly one. It may be that
# just there where the timer ends. Waking up late costs a few ms on a CPU that others use.
locked() {
	spread
	random=$spread
	spread --fixed
	fixed=$spread
	[ $random -gt 3000 ] && [ $fixed -lt $((random / 2)) ]
}
fake tick=10ms
tried locked
judged $? "random gaps meet all phases of a timer of 10 ms ($random us from quartile to quartile), fixed ones do not ($fixed us)"
stop_fake

# ---- documents ----

# Only keys: times differ, and so may what a throttle is found beside.
keys() {
	sed -n 's/^\( *"[a-z0-9_]*":\).*/\1/p' "$1" | grep -v '"\(throttle\|change\)_ns"' | sort -u
}
for name in ping-steps ping-gaps ping-bursts; do
	[ "$PING_WRITE" != --write ] || cp "$scratch/$name" "docs/json/$name.json"
	keys "docs/json/$name.json" >"$scratch/old"
	keys "$scratch/$name" | diff "$scratch/old" - >"$scratch/diff"
	report $? "docs/json/$name.json has the keys that the program writes"
	sed 's/^/# /' "$scratch/diff"
done
finish
