#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The bench itself: two boots are the same to the last digit, and a guest that crashes, hangs or fails is noticed.
. "$(dirname "$0")/boots"

# expect STATUS PART TEXT: of the boot before.
expect() {
	wrong=
	[ "$status" -eq "$1" ] || wrong="exit status $status, expected $1"
	[ -z "$2" ] || grep -q -e "$2" "$scratch/err" || wrong="$wrong; stderr lacks \"$2\""
	if [ "$wrong" ]; then
		report 1 "$3"
		echo "# ${wrong#; }"
		sed 's/^/# /' "$scratch/err" | head -n 60
	else
		report 0 "$3"
	fi
}

trace_of() {
	cat "$BUILD/guest/bench/console" "$BUILD/guest/bench/output" "$BUILD/guest/bench/progress"
}

run --name bench test/guest/faults/pings.guest
trace_of >"$scratch/first"
run --name bench test/guest/faults/pings.guest
trace_of >"$scratch/second"
grep -q '200 received' "$scratch/first"
report $? "a guest sends its pings"
cmp "$scratch/first" "$scratch/second" >"$scratch/differs"
report $? "two boots print the same to the last digit"
sed 's/^/# /' "$scratch/differs"

run --name bench test/guest/faults/status.guest
status=$?
expect 7 'status.guest left with status 7' "a script's exit status comes out"
is_last=$(tail -n 2 "$scratch/out" | tr '\n' ' ')
[ "$is_last" = "not ok 2 - status.guest leaves with status 7 1..2 " ]
report $? "and is a failure in its TAP"

run --name bench test/guest/faults/crash.guest
status=$?
expect 125 'the guest died in crash.guest' "a crash fails"
expect 125 'Kernel panic - not syncing: sysrq triggered crash' "and shows the console"
grep -q '^before$' "$scratch/out"
report $? "and what was printed before"

run --name bench test/guest/faults/warn.guest
status=$?
expect 125 'the kernel complained' "a kernel that complains and lives on fails"

run --name bench --guest-timeout 60 test/guest/faults/wait.guest
status=$?
expect 124 "not done after 60 s of the guest's own time in wait.guest" "a script that waits for ever fails"
expect 124 'sleep 100000' "and shows what was running"

run --name bench --timeout 15 test/guest/faults/spin.guest
status=$?
expect 124 "not done after 15 s of this machine's CPU time in spin.guest" "a script that runs for ever fails"
expect 124 'Kernel panic - not syncing: NMI' "and shows where it was"

# Whoever types into the shell waits for its prompt.
mkfifo "$scratch/keys"
{
	tries=0
	until grep -q 'leave with exit' "$scratch/out" || [ $tries -eq 100 ]; do
		tries=$((tries + 1))
		sleep 1
	done
	echo 'ping -q -c 2 10.0.0.2 | grep received; holdoff --version; exit'
} >"$scratch/keys" &
: >"$scratch/out"
timeout 120 qemu/run --build "$BUILD" --name bench --shell <"$scratch/keys" >"$scratch/out" 2>"$scratch/err"
status=$?
expect 0 "" "a shell in the guest"
grep -q '^2 packets transmitted, 2 received' "$scratch/out" && grep -q '^holdoff [0-9]' "$scratch/out"
report $? "runs ping and holdoff"

run --nic nonsense test/guest/faults/pings.guest
status=$?
expect 2 'unknown NIC "nonsense", expected one of: e1000e' "an unknown NIC is refused"
HOLDOFF_CACHE=/proc/nowhere run test/guest/faults/pings.guest
status=$?
expect 77 'there is no cache' "without a cache the bench cannot be had"
echo 'Acquire::http::Proxy "http://127.0.0.1:9"; Acquire::https::Proxy "http://127.0.0.1:9";' >"$scratch/apt.conf"
APT_CONFIG=$scratch/apt.conf HOLDOFF_CACHE=$scratch/cache run --fetch
status=$?
expect 77 'no kernel for the guest' "nor without anything to fill it from"
APT_CONFIG=$scratch/apt.conf HOLDOFF_CACHE=$scratch/cache run --series 6.12 --fetch
status=$?
expect 77 'no 6.12 kernel for the guest' "nor a kernel of another series"
finish
