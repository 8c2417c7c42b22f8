#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The unmodified tsnep driver of Linux 6.12 on our chip. Skipped where its kernel is not in the cache: 275 MB are not for
# every run of the tests (make real-tsnep gets them).
needed="--nic tsnep --cached"
. "$(dirname "$0")/../guest/boots"

log=$scratch/events

# Not one interrupt too early or too late, by what the devices have logged.
look_at() { # NAME: sets $streams
	awk -f test/real/events.awk "$log" >"$scratch/seen"
	count=$(sed -n 's/^interrupts //p' "$scratch/seen")
	late=$(sed -n 's/^late //p' "$scratch/seen")
	[ "${count:-0}" -gt 1000 ] && [ $((late * 1000)) -le "$count" ] &&
		! grep -v -e '^interrupts ' -e '^late ' -e '^stream ' "$scratch/seen" >"$scratch/wrong"
	report $? "$1: each of $count interrupts comes when the delay of its queue is over, $late of them up to 1 us late"
	head -n 5 "$scratch/wrong" | sed 's/^/# /'
}

# field NAME USECS: of the stream with that delay, how many NAME there were.
field() {
	sed -n "s/^stream delay $2 .*$1 \([0-9]*\).*/\1/p" "$scratch/seen"
}

between() { # LOW GOT HIGH TEXT
	[ "$2" -ge "$1" ] 2>/dev/null && [ "$2" -le "$3" ]
	report $? "$4"
}

spacing_us() { # USECS
	[ "$(field interrupts "$1")" ] && echo $(($(field span "$1") / $(field interrupts "$1") / 1000))
}

boot tsnep --nic tsnep --cached --events "$log" --name tsnep test/real/tsnep.guest
look_at tsnep

stream() { # OPTIONS
	run --nic tsnep --cached --events "$log" --module pktgen --name tsnep "$@" test/real/tsnep-stream.guest
}

traces() {
	cat "$BUILD/guest/tsnep/console" "$BUILD/guest/tsnep/output" "$log"
}

boot "a stream" --nic tsnep --cached --events "$log" --module pktgen --name tsnep test/real/tsnep-stream.guest
traces >"$scratch/first"
stream
traces >"$scratch/second"
cmp "$scratch/first" "$scratch/second" >"$scratch/differs"
report $? "two boots are the same to the last digit, console and event log"
sed 's/^/# /' "$scratch/differs"

look_at "a stream"
for usecs in 0 16 64 240; do
	[ "$(field interrupts $usecs)" ] && grep -q "^# counted $usecs $(field interrupts $usecs)\$" "$scratch/out"
	report $? "$usecs us: the kernel counts the interrupts of the log: $(field interrupts $usecs) of 2000 frames"
done
# A frame lasts 12.3 us. With the delay an interrupt is the delay and the poll after it apart; the thread measured 140 us
# with 64 us, on a slower processor with nothing else to do.
# Without delay the processor is near its limit: where in a tick of the kernel the stream began decides how often a poll finds two frames,
# and that changes with every build of what is in the guest.
between 12 "$(spacing_us 0)" 24 "0 us: an interrupt each $(spacing_us 0) us, for each frame or two"
between 120 "$(spacing_us 64)" 160 "64 us: an interrupt each $(spacing_us 64) us; the thread measured 140 us"
between 300 "$(spacing_us 240)" 560 "240 us: an interrupt each $(spacing_us 240) us"

# The other candidates for what begins the delay, and for how often it runs.
would_be() { # LOW HIGH TEXT NAME=VALUE
	stream --assume "$4"
	awk -f test/real/events.awk "$log" >"$scratch/seen"
	between "$1" "$(spacing_us 64)" "$2" "64 us, were it $3: an interrupt each $(spacing_us 64) us"
}

would_be 120 160 "from the enabling of the interrupt on" tsnep-delay-from=1
would_be 64 68 "a gap after the last interrupt" tsnep-delay-from=2
would_be 240 310 "twice, one after the other" tsnep-delay-runs=2

boot tsnep-4 --nic tsnep-4 --cached --events "$log" --name tsnep test/real/tsnep-queues.guest
look_at tsnep-4

HOLDOFF_CACHE=$scratch/empty run --nic tsnep --cached --fetch
[ $? -eq 77 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -q 'no 6.12 kernel' "$scratch/err"
report $? "without its kernel in the cache: $(cat "$scratch/err")"
finish
