#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff load beside iperf3 over the same veth pair, in turns: datagrams for each second of the sender's CPU, and TCP's goodput; and holdoff
# load with an iperf3 server. What is compared was done by the same machine in the same minute; on one that is shared, five rounds are
# added where they do not tell, and five more. Needs root.
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
	ALSO=$server test/netns/beside "$scratch/beside" timeout 60 "$HOLDOFF" load 192.0.2.2 --peer "ip netns exec $far $HOLDOFF peer" --json --duration 1s --workload "$@" 2>>"$scratch/complaints"
}
with_iperf3() {
	ALSO=$server test/netns/beside "$scratch/beside" timeout 60 "$HOLDOFF" load 192.0.2.2 --iperf3 default --json --duration 1s --workload "$@" 2>>"$scratch/complaints"
}

# The share that others had of a CPU is in FILE.others.
do_round() {
	for kind in udp tcp; do
		workload="udp rate=max size=64 dir=tx"
		[ $kind = udp ] || workload="tcp dir=tx"
		for means in peer iperf3; do
			with_$means "$workload" >"$scratch/$kind.$means.$round"
			mv "$scratch/beside" "$scratch/$kind.$means.$round.others"
		done
	done
}

# figure WHICH EXPRESSION KIND.MEANS [OTHERS]: the median or the best of the rounds, as a whole number, or of those in which others used no more
# of a CPU than OTHERS percent. What others do to this machine makes transfers slower, never faster.
figure() {
	python3 -c 'import json, sys
which, expression, prefix, most, rounds = sys.argv[1:]
values = []
for number in range(1, int(rounds) + 1):
    name = "%s.%d" % (prefix, number)
    if int(open(name + ".others").read()) <= int(most):
        values.append(eval(expression, {"d": json.load(open(name))}))
values.sort()
print(int(values[-1 if which == "best" else len(values) // 2]) if values else 0)' "$1" "$2" "$scratch/$3" "${4:-9999}" "$round"
}

# is_enough WHICH EXPRESSION KIND LEAST-PERCENT [OTHERS]
is_enough() {
	ours=$(figure "$1" "$2" "$3.peer" $5)
	theirs=$(figure "$1" "$2" "$3.iperf3" $5)
	[ "$theirs" -gt 0 ] && [ $((ours * 100)) -ge $((theirs * $4)) ]
}

# The rounds in which others had at most half of a CPU while the one and the other ran.
quiet=50
quiet_rounds() { # KIND
	least=$round
	for means in peer iperf3; do
		count=$(cat "$scratch/$1.$means."*.others | awk -v most=$quiet '$1 <= most' | wc -l)
		[ "$count" -ge "$least" ] || least=$count
	done
	echo "$least"
}

compare() { # TEXT WHICH EXPRESSION KIND LEAST-PERCENT
	text="$1: at least $5 % of iperf3's"
	if is_enough "$2" "$3" "$4" "$5"; then
		report 0 "$text"
	elif [ "$(quiet_rounds "$4")" -lt 5 ]; then
		report 0 "$text # SKIP this machine is too busy: in fewer than 5 of $round rounds others used less than $quiet % of a CPU"
	else
		is_enough "$2" "$3" "$4" "$5" $quiet
		report $? "$text"
	fi
	echo "# $1: $ours, iperf3 $theirs, the $2 of $round rounds, in $(quiet_rounds "$4") of which the machine was quiet"
}

per_cpu="d['tx']['sent'] * 1e9 / d['tx']['sender_cpu_ns']"
per_second="d['tx']['sent'] * 1e9 / d['tx']['sending_ns']"
goodput="d['tx']['goodput_bps']"
round=0
for last in 5 10 15; do
	while [ $round -lt $last ]; do
		round=$((round + 1))
		do_round
	done
	! { is_enough median "$per_cpu" udp 300 && is_enough median "$per_second" udp 300 && is_enough best "$goodput" tcp 90; } || break
done
compare "datagrams of 64 bytes for each second of CPU" median "$per_cpu" udp 300
compare "datagrams of 64 bytes a second" median "$per_second" udp 300
compare "bits of TCP's payload a second" best "$goodput" tcp 90

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
