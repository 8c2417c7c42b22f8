#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff measure on a veth pair between two namespaces of this test. Needs root.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/pair
peer="ip netns exec far $HOLDOFF peer"

# field NAME: of the JSON in $scratch/json.
field() {
	python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value.get(key)
    if value is None:
        break
print("absent" if value is None else value)' "$scratch/json" "$1"
}

# measured ARGUMENTS: 0, or 6 on a machine where others are busy too, which is said.
measured() {
	"$HOLDOFF" measure near0 --peer-host 192.0.2.2 --duration 200ms --warmup 50ms --json "$@" >"$scratch/json" 2>"$scratch/err"
	status=$?
	[ $status -eq 0 ] || { [ $status -eq 6 ] && [ "$(field taints)" != "[]" ]; }
	report $? "measure near0 $*"
	sed 's/^/# /' "$scratch/err"
}

is() { # GOT EXPECTED TEXT
	[ "$1" = "$2" ]
	report $? "$3"
	[ "$1" = "$2" ] || echo "# got $1, expected $2"
}

between() { # LOW GOT HIGH TEXT
	case $2 in
	*[!0-9]* | "") false ;;
	*) [ "$1" -le "$2" ] && [ "$2" -le "$3" ] ;;
	esac
	report $? "$4 ($2)"
}

measured --repeat 3
is "$(field model)" False "it is no model"
is "$(field device)" near0 "the device"
is "$(field driver)" veth "its driver"
is "$(field repeats)" 3 "three repeats"
is "$(field complete)" True "and complete"
pings=$(field rtt_ns.count)
between 300 "$pings" 1000000 "round trips"
between "$pings" "$(field tx.frames)" $((pings + 40)) "a frame sent for each, and little else"
is "$(field irq)" absent "veth has no interrupts: they are absent"
between 1 "$(field duration_ns)" 2000000000 "the duration of the repeats together"
between 1 "$(field cpu_per_frame_ns)" 1000000 "CPU time of a frame"
is "$(field settings.reported)" absent "veth reports no coalescing"
python3 -c 'import json, sys
names = {c["name"] for c in json.load(open(sys.argv[1]))["around"]}
missing = {"kernel", "driver", "link", "mtu", "cpus.online", "irqbalance", "channels", "rx-gro"} - names
sys.exit("missing: " + str(missing) if missing else 0)' "$scratch/json" 2>"$scratch/err"
report $? "conditions stand there"
sed 's/^/# /' "$scratch/err"

# Kept, with each repeat by itself.
measured --repeat 3 --store "$scratch/kept.db" --label "on veth"
cp "$scratch/json" "$scratch/printed"
"$HOLDOFF" runs show 1 --json --store "$scratch/kept.db" | cmp -s - "$scratch/printed"
report $? "what was measured is kept as it was printed"
"$HOLDOFF" runs export --store "$scratch/kept.db" >"$scratch/json"
is "$(field runs.0.record.measured.repeat_count)" 3 "three repeats are kept by themselves"
apart=0
for i in 0 1 2; do
	apart=$((apart + $(field runs.0.record.measured.repeats_apart.$i.latency_count)))
done
is $apart "$(field runs.0.record.histograms.rtt_ns.count)" "whose round trips together are those of the run"
between 1 "$(field runs.0.record.measured.repeats_apart.2.latency_p50_ns)" 100000000 "each with a median of its own"

measured --repeat 2 --peer "$peer" --workload "udp rate=5k size=200 dir=tx"
sent=$(field conservation.sent)
# A machine that is busy with other things comes late.
between 500 "$sent" 2100 "at most 5000 datagrams a second for two times 200 ms"
between $((sent * 9 / 10)) "$(field conservation.received)" "$sent" "they arrived"
between 1 "$(field one_way_ns.p50)" 100000000 "a one-way delay, since both ends share a clock"
is "$(field app_bytes)" $((200 * $(field conservation.received))) "with their payload"
between 300 "$(($(field goodput_bps) / 5000))" 1800 "goodput, in bits of a datagram's payload, over the time of their arrival"

measured --repeat 2 --peer "$peer" --workload "rr size=100"
between 100 "$(field rtt_ns.count)" 1000000 "requests and responses"

# What changes meanwhile taints, and says what.
(sleep 1.5; ip link set near0 mtu 1400) &
measured --repeat 15
wait
is "$status" 6 "a setting that changes meanwhile: exit status 6"
field taints | grep -q 'mtu changed from 1500 to 1400'
report $? "and is named"

# Ctrl-C: what there is so far.
"$HOLDOFF" measure near0 --peer-host 192.0.2.2 --duration 200ms --warmup 0 --repeat 60 --json >"$scratch/json" 2>"$scratch/err" &
process=$!
sleep 3
kill -INT $process
wait $process
is $? 6 "ended early: exit status 6"
is "$(field complete)" False "and marked as incomplete"
between 1 "$(field repeats)" 20 "with the repeats so far"

# The interface goes away.
(sleep 3; ip link del near0) &
"$HOLDOFF" measure near0 --peer-host 192.0.2.2 --duration 200ms --warmup 50ms --repeat 50 >"$scratch/out" 2>"$scratch/err"
is $? 6 "the interface is deleted: exit status 6"
cat "$scratch/out" "$scratch/err" | tr -s " \n" " " | grep -q 'near0 is gone\|interface was lost\|no interface'
report $? "and it is said"
sed 's/^/# /' "$scratch/err"

check 5 "measure near0 --peer-host 192.0.2.2" '2:there is no interface "near0"'
check 2 "measure lo" "2:a host to measure against is needed"
check 2 "measure lo --peer-host 127.0.0.1 --repeat 99" "2:repeat: 99 is out of range, expected auto or 1 to 60"
check 2 "measure lo --peer-host 127.0.0.1 --workload 'udp rat=1'" "2:did you mean rate"
check 6 "measure lo --peer-host 127.0.0.1 --duration 200ms --warmup 50ms --repeat 2 --soak --pin any" "cpu time idle soaked up, handlers and softirqs" \
	"TAINTED no CPU slept: idle time was soaked up, in gaps of at most"
check 2 "measure lo --peer-host 127.0.0.1 --pin 9999" "2:there is no CPU 9999"
finish
