#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff load beside iperf3 over the same veth pair, in turns: datagrams for each second of the sender's CPU, and TCP's goodput; and holdoff
# load with an iperf3 server. What is compared was done by the same machine in the same minute. Needs root.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"

for tool in iperf3 python3; do
	if ! command -v $tool >/dev/null; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done
far=holdoff-iperf-$$
ip netns add "$far" || exit 1
server=
trap '[ -z "$server" ] || kill $server; ip netns del "$far"; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
if ! ip link add near0 type veth peer name far0 netns "$far" 2>"$scratch/err"; then
	echo "1..0 # SKIP no veth: $(head -n 1 "$scratch/err")"
	exit 0
fi
ip link set lo up
ip addr add 192.0.2.1/24 dev near0
ip link set near0 up
ip -n "$far" link set lo up
ip -n "$far" addr add 192.0.2.2/24 dev far0
ip -n "$far" link set far0 up
ip netns exec "$far" iperf3 -s >"$scratch/server" 2>&1 &
server=$!
: >"$scratch/server"
tries=0
until grep -q listening "$scratch/server" || [ $tries -gt 50 ]; do
	tries=$((tries + 1))
	sleep 0.1
done

# measure FILE MEANS... -- WORKLOAD [OPTIONS]: a second of it.
with_peer() {
	timeout 60 "$HOLDOFF" load 192.0.2.2 --peer "ip netns exec $far $HOLDOFF peer" --json --duration 1s --workload "$@" 2>>"$scratch/complaints"
}
with_iperf3() {
	timeout 60 "$HOLDOFF" load 192.0.2.2 --iperf3 default --json --duration 1s --workload "$@" 2>>"$scratch/complaints"
}

rounds=5
for round in $(seq $rounds); do
	with_peer "udp rate=max size=64 dir=tx" >"$scratch/udp.peer.$round"
	with_iperf3 "udp rate=max size=64 dir=tx" >"$scratch/udp.iperf3.$round"
	with_peer "tcp dir=tx" >"$scratch/tcp.peer.$round"
	with_iperf3 "tcp dir=tx" >"$scratch/tcp.iperf3.$round"
done

# figure WHICH EXPRESSION KIND: the median or the best of the rounds, as a whole number. What others do to this machine makes transfers slower,
# never faster.
figure() {
	python3 -c 'import json, sys
values = sorted(eval(sys.argv[2], {"d": json.load(open(name))}) for name in sys.argv[3:])
print(int(values[-1 if sys.argv[1] == "best" else len(values) // 2]))' "$1" "$2" "$scratch/$3".[1-9]
}
compare() { # TEXT WHICH EXPRESSION KIND LEAST-PERCENT
	ours=$(figure "$2" "$3" "$4.peer")
	theirs=$(figure "$2" "$3" "$4.iperf3")
	echo "# $1: $ours, iperf3 $theirs, the $2 of $rounds"
	[ "$theirs" -gt 0 ] && [ $((ours * 100)) -ge $((theirs * $5)) ]
	report $? "$1: at least $5 % of iperf3's"
}
compare "datagrams of 64 bytes for each second of CPU" median "d['tx']['sent'] * 1e9 / d['tx']['sender_cpu_ns']" udp 300
compare "datagrams of 64 bytes a second" median "d['tx']['sent'] * 1e9 / d['tx']['sending_ns']" udp 300
compare "bits of TCP's payload a second" best "d['tx']['goodput_bps']" tcp 90

# What an iperf3 server takes besides.
check 0 "load 192.0.2.2 --iperf3 5201 --workload 'udp rate=1k size=200' --duration 1s --json" '"means": "iperf3"' '"program": "iperf 3.' '"rx": {' '"received": '
check 0 "load 192.0.2.2 --iperf3 default --workload 'tcp window=100k mss=1000' --both --duration 1s" "tx, from here" "rx, from the peer"
check 2 "load 192.0.2.2 --iperf3 5202 --workload tcp --duration 1s" "2:iperf3: unable to connect"
check 2 "load 192.0.2.2 --iperf3 default --workload rr --duration 1s" "2:an iperf3 server takes tcp, and udp"
(
	PATH=/nowhere
	"$HOLDOFF" load 192.0.2.2 --iperf3 default --workload tcp --duration 1s
) >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q "iperf3 is not installed" "$scratch/err"
report $? "without the program iperf3"
sed 's/^/# /' "$scratch/complaints"

finish
