#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff sweep of a veth pair between two namespaces of this test: settings that veth has are NAPI's deferral. Needs root.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/pair
HOLDOFF_STATE_DIR=$scratch/journal
export HOLDOFF_STATE_DIR
mkdir -m 755 "$HOLDOFF_STATE_DIR"
knob=/sys/class/net/near0/gro_flush_timeout
echo 7000 >$knob
store=$scratch/runs.db

# sweep ARGUMENTS: to $scratch/out; 0, or 6 (other programs were busy too) is fine.
sweep() {
	"$HOLDOFF" sweep near0 --peer-host 192.0.2.2 --duration "${duration:-40ms}" --warmup 10ms --store "$store" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status -eq 0 ] || [ $status -eq 6 ]
}

is() { # GOT EXPECTED TEXT
	[ "$1" = "$2" ]
	report $? "$3"
	[ "$1" = "$2" ] || echo "# got $1, expected $2"
}

# Which cell was measured how often, and the control.
runs() {
	"$HOLDOFF" runs list --store "$store" --json | python3 -c 'import collections, json, sys
runs = json.load(sys.stdin)["runs"]
print(*sorted("%s:%d" % item for item in collections.Counter(run.get("cell", "control") if run["role"] == "cell" else run["role"] for run in runs).items()))'
}

# An ordinary one, with every setting measured as often as the control, in an order that the seed decides.
sweep gro-flush-timeout=0,20000 defer-hard-irqs=0,2 --repeat 6 --workload 'ping interval=0' --workload 'udp rate=1k size=64'
report $? "a sweep of four settings and two workloads"
sed 's/^/# /' "$scratch/err"
is "$(grep -c 'measured 6 times' "$scratch/out")" 10 "ten rows were measured six times"
is "$(grep -c 'as before (control)' "$scratch/out")" 2 "a control for each workload"
is "$(cat $knob)" 7000 "the interface is as it was"
is "$(ls "$HOLDOFF_STATE_DIR")" "" "the journal is empty"
is "$(runs)" "0:6 1:6 2:6 3:6 4:6 5:6 6:6 7:6 control:12" "all of it is in the store"
sweep gro-flush-timeout=0,20000 --repeat 6 --resume
is "$status" 2 "nothing of it is left to be resumed"

# Killed at any instant: put back at once, and the store says where it was.
rm -f "$store"
killed=0
for delay in 0.15 0.32 0.47 0.61 0.78; do
	"$HOLDOFF" sweep near0 gro-flush-timeout=0,20000,50000 --peer-host 192.0.2.2 --repeat 40 --duration 40ms --warmup 10ms \
		--store "$store" ${resume:-} >/dev/null 2>&1 &
	pid=$!
	sleep $delay
	kill -9 $pid && killed=$((killed + 1))
	wait $pid 2>/dev/null
	tries=0
	while [ "$(cat $knob)" != 7000 ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	is "$(cat $knob)" 7000 "kill -9 after $delay s: put back"
	if [ "$(runs 2>/dev/null)" ]; then
		resume=--resume
	fi
done
is $killed 5 "each of them was running"
tries=0
while [ "$(ls "$HOLDOFF_STATE_DIR")" ] && [ $tries -lt 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
is "$(ls "$HOLDOFF_STATE_DIR")" "" "the journal is empty"

# A signal ends it in order, and so does the budget; resuming completes it, with nothing done twice.
rm -f "$store"
duration=150ms
"$HOLDOFF" sweep near0 gro-flush-timeout=0,20000 --peer-host 192.0.2.2 --repeat 6 --duration $duration --warmup 10ms --store "$store" \
	>"$scratch/out" 2>"$scratch/err" &
pid=$!
# Once something of it is in the store.
tries=0
until runs 2>/dev/null | grep -q 0: || [ $tries -eq 300 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -INT $pid
wait $pid
is $? 6 "interrupted: status 6"
grep -q 'the same command with --resume goes on' "$scratch/err"
report $? "and it says how to go on ($(cat "$scratch/err"))"
is "$(cat $knob)" 7000 "put back"
sweep gro-flush-timeout=0,20000 --repeat 6 --resume --budget 300ms
is $status 6 "a budget ends it too"
sweep gro-flush-timeout=0,30000 --repeat 6 --resume
is $status 2 "another sweep is not taken for it"
grep -q 'gro-flush-timeout 20000.*where this one has.*gro-flush-timeout 30000' "$scratch/err"
report $? "and what differs is said"
sweep gro-flush-timeout=0,20000 --repeat 6 --resume
report $? "resumed"
is "$(runs)" "0:6 1:6 control:6" "every cell was measured as often as if nothing had happened"
is "$(cat $knob)" 7000 "put back"

# Two at once.
rm -f "$store"
"$HOLDOFF" sweep near0 gro-flush-timeout=0,20000 --peer-host 192.0.2.2 --repeat 40 --duration 40ms --store "$store" >/dev/null 2>&1 &
pid=$!
tries=0
while [ -z "$(ls "$HOLDOFF_STATE_DIR")" ] && [ $tries -lt 100 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
sleep 0.1
"$HOLDOFF" sweep near0 gro-flush-timeout=0 --peer-host 192.0.2.2 --repeat 1 --duration 40ms --store "$scratch/other.db" >/dev/null 2>"$scratch/err"
status=$?
grep -q 'another holdoff' "$scratch/err"
report $? "a second one of the interface is refused ($status)"
kill -TERM $pid
wait $pid

# The interface goes away.
"$HOLDOFF" sweep near0 gro-flush-timeout=0,20000 --peer-host 192.0.2.2 --repeat 40 --duration 40ms --store "$scratch/gone.db" >/dev/null 2>"$scratch/err" &
pid=$!
sleep 0.5
ip link del near0
wait $pid
status=$?
[ $status -eq 5 ] || [ $status -eq 6 ]
report $? "an interface that is deleted meanwhile ($status): $(cat "$scratch/err")"
finish
