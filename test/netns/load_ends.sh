#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Loads that do not come to their end in order: a peer or a load that is killed, interfaces that go down, away or change their
# name meanwhile; and loads of a user without privileges. Needs root.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"

mount -t sysfs none /sys || exit 1 # of this namespace
far=holdoff-ends-$$
ip netns add "$far" || exit 1
trap 'ip netns del "$far"; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
make_veth() {
	ip link add near0 type veth peer name far0 netns "$far" 2>"$scratch/err" || return
	ip addr add 192.0.2.1/24 dev near0
	ip link set near0 up
	ip -n "$far" addr add 192.0.2.2/24 dev far0
	ip -n "$far" link set far0 up
}
ip link set lo up
ip -n "$far" link set lo up
if ! make_veth; then
	echo "1..0 # SKIP no veth: $(head -n 1 "$scratch/err")"
	exit 0
fi

# The far end tells its number: ip becomes holdoff.
cat >"$scratch/peer" <<END
#!/bin/sh
echo \$\$ >"$scratch/pid"
exec ip netns exec $far "$HOLDOFF" peer
END
chmod +x "$scratch/peer"

# begin ARGUMENTS: a load in the background, until the far end sends or receives.
begin() {
	rm -f "$scratch/pid"
	before=$(cat /sys/class/net/near0/statistics/tx_packets)
	"$HOLDOFF" load 192.0.2.2 --peer "$scratch/peer" --json --duration 4s "$@" >"$scratch/json" 2>"$scratch/err" &
	load=$!
	tries=0
	until [ "$(cat /sys/class/net/near0/statistics/tx_packets)" -gt $((before + 20)) ] || [ $tries -gt 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}

# ends STATUS PART TEXT: how it ended; PART stands in its document.
ends() {
	wait $load
	got=$?
	[ $got -eq "$1" ] && grep -q -e "$2" "$scratch/json"
	report $? "$3"
	[ $got -eq "$1" ] || echo "# exit status $got, expected $1"
	grep -q -e "$2" "$scratch/json" || { grep insufficient "$scratch/json"; cat "$scratch/err"; } | sed "s|^|# not \"$2\": |"
}

gone() { # PID: within 4 s
	tries=0
	while kill -0 "$1" 2>/dev/null && [ $tries -lt 40 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	! kill -0 "$1" 2>/dev/null
}

for dir in tx rx; do
	begin --workload "udp rate=1k dir=$dir"
	kill -9 "$(cat "$scratch/pid")"
	ends 6 'by signal 9\|nobody listens' "a peer that is killed, $dir"
	grep -q "\"$dir\": {" "$scratch/json"
	report $? "and what is known here is shown"
done
begin --workload rr
kill -9 "$(cat "$scratch/pid")"
ends 6 'by signal 9\|nobody listens' "a peer that is killed, request and response"
grep -q '"rtt_ns": {' "$scratch/json"
report $? "and the round trips so far are shown"
begin --workload "tcp dir=rx"
kill -9 "$(cat "$scratch/pid")"
ends 6 'by signal 9\|connection' "a peer that is killed, tcp"

# The far end of a load that is killed ends by its pipe, and its traffic with it.
for workload in "udp rate=1k dir=rx" "udp rate=1k dir=tx" "tcp dir=rx" "rr"; do
	begin --workload "$workload"
	kill -9 $load
	wait $load 2>/dev/null
	gone "$(cat "$scratch/pid")"
	report $? "the load is killed: its peer ends ($workload)"
	before=$(cat /sys/class/net/near0/statistics/rx_packets)
	sleep 0.5
	[ "$(cat /sys/class/net/near0/statistics/rx_packets)" -lt $((before + 5)) ]
	report $? "and nothing comes from it any more ($workload)"
done

# Interrupted, both ends report.
begin --workload "udp rate=1k dir=rx"
kill -INT $load
ends 6 '"insufficient": "interrupted"' "interrupted"
grep -q '"received": [1-9]' "$scratch/json" && grep -q '"sent": [1-9]' "$scratch/json"
known=$?
report $known "both ends say what they have"
[ $known -eq 0 ] || sed 's/^/# /' "$scratch/json"
gone "$(cat "$scratch/pid")"
report $? "and the peer ends"

# Interfaces.
begin --workload "udp rate=1k dir=tx"
ip link set near0 down
ends 6 "near0 went down, .* into the load: sending failed: Network is" "this end's interface goes down"
ip link set near0 up
begin --workload "udp rate=1k dir=rx"
ip -n "$far" link set far0 down
ends 6 "the peer gave up: sending failed" "the far end's interface goes down"
ip -n "$far" link set far0 up
begin --workload "udp rate=1k dir=tx" --interface near0
if ip link set near0 name near1 2>"$scratch/why"; then
	wait $load
	got=$?
	# Where others have the CPU, a rate may not be kept.
	[ $got -eq 0 ] || { [ $got -eq 6 ] && grep -q 'did not keep the rate' "$scratch/json"; }
	report $? "this end's interface changes its name"
	grep insufficient "$scratch/json" | sed "s/^/# status $got: /"
	ip link set near1 name near0
else
	report 0 "this end's interface changes its name # SKIP this kernel wants it to be down: $(head -n 1 "$scratch/why")"
	wait $load
fi
begin --workload "rr" --interface near0
ip link del near0
ends 6 "near0 .* into the load" "this end's interface is gone, request and response"
make_veth
begin --workload "udp rate=1k dir=tx" --interface near0
ip link del near0
ends 6 "near0 .* into the load" "this end's interface is gone"
make_veth
begin --workload "tcp dir=rx" --interface near0
before=$(date +%s)
ip link del near0
ends 6 "near0 .* into the load" "this end's interface is gone, tcp that comes"
[ $(($(date +%s) - before)) -lt 4 ]
report $? "which ends the load, before silence does"
make_veth
# The kernel tells of the carrier up to a second late.
begin --workload "voip dir=tx" --interface near0
ip -n "$far" link set far0 down
sleep 1.5
ip -n "$far" link set far0 up
ends 6 "near0 lost its carrier, .* into the load" "the carrier is lost, and comes back"
begin --workload "tcp dir=tx"
ip -n "$far" link set far0 down
ends 6 '"insufficient"' "the far end's interface goes down, tcp"
ip -n "$far" link set far0 up

# Without privileges.
if command -v setpriv >/dev/null; then
	cp "$HOLDOFF" "$scratch/holdoff.program"
	chmod 755 "$scratch" "$scratch/holdoff.program"
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all"
	for workload in "udp rate=2k size=100" "rr" "tcp" "tftp" "udp pattern=burst count=8 every=10ms dir=tx"; do
		$nobody "$scratch/holdoff.program" load 127.0.0.1 --peer "$scratch/holdoff.program peer" --workload "$workload" --interface lo \
			--duration 200ms >"$scratch/out" 2>"$scratch/err"
		got=$?
		[ $got -eq 0 ] || grep -q "did not keep the rate" "$scratch/out"
		report $? "nobody may do $workload"
		[ $got -eq 0 ] || sed 's/^/# /' "$scratch/out" "$scratch/err"
	done
	$nobody "$scratch/holdoff.program" load 127.0.0.1 --workload voip >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 4 ] && grep -q "ping_group_range" "$scratch/err"
	report $? "but ICMP echo only where the system lets users ping, and it says so"
	$nobody "$scratch/holdoff.program" load 127.0.0.1 --workload voip --netns "$far" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 4 ]
	report $? "and no other namespace"
else
	report 0 "as nobody # SKIP setpriv is not installed"
fi

finish
