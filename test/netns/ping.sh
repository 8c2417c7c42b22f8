#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff ping over veth, between namespaces: addresses, MTU, routers, interfaces that go down, are renamed or removed meanwhile, who may and who may not.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"

# near 10.1.0.1 -- 10.1.0.2 middle 10.3.0.1 -- 10.3.0.2 far; the names are those of this mount namespace alone.
mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
for name in near middle far; do
	if ! ip netns add $name 2>"$scratch/err"; then
		echo "1..0 # SKIP no network namespace can be made: $(head -n 1 "$scratch/err")"
		exit 0
	fi
	ip -n $name link set lo up
	# Addresses can be used at once, and errors are told however many there are.
	ip netns exec $name sysctl -q -w net.ipv6.conf.default.accept_dad=0 net.ipv4.icmp_ratelimit=0
done
# The floor is measured in the namespace that the command is given in.
ip link set lo up
near() {
	ip netns exec near "$@"
}

make_link() { # anew: the one before may be gone
	ip -n near link del v0 2>/dev/null
	ip -n near link add name v0 type veth peer name v1 netns middle
	ip -n near addr add 10.1.0.1/24 dev v0
	ip -n near addr add fd01::1/64 dev v0 nodad
	ip -n near link set v0 up
	ip -n middle addr add 10.1.0.2/24 dev v1
	ip -n middle addr add fd01::2/64 dev v1 nodad
	ip -n middle link set v1 up
	ip -n near route replace 10.3.0.0/24 via 10.1.0.2
	near ping -q -c 1 -w 10 10.1.0.2 >/dev/null
	near ping -q -c 1 -w 10 fd01::2 >/dev/null
}
make_link
ip -n middle link add name v2 type veth peer name v3 netns far
ip -n middle addr add 10.3.0.1/24 dev v2
ip -n middle link set v2 up
ip -n far addr add 10.3.0.2/24 dev v3
ip -n far link set v3 up
ip -n far route add default via 10.3.0.1
ip netns exec middle sysctl -q -w net.ipv4.ip_forward=1
ping="ping --netns near"

# ---- addresses and sizes ----

check 0 "$ping -c 5 -i 10ms 10.1.0.2" "PING 10.1.0.2 (10.1.0.2) 56(84) bytes of data, frames of 102 bytes" "64 bytes from 10.1.0.2: icmp_seq=1 ttl=64 time=" "5 received" "from driver 5"
check 0 "$ping -c 5 -i 10ms fd01::2" "56(104) bytes of data, frames of 122 bytes" "64 bytes from fd01::2: icmp_seq=5 ttl=64 time=" "5 received"
link_local=$(ip -n middle -6 addr show dev v1 scope link | sed -n 's/.*inet6 \(fe80[^/]*\).*/\1/p')
check 0 "$ping -q -c 5 -i 10ms $link_local%v0" "PING $link_local%v0" "5 received"
check 0 "$ping -q -c 5 -i 10ms -I v0 $link_local" "($link_local%v0)" "5 received"
check 2 "$ping -c 1 $link_local" "2:name its interface"
check 0 "$ping -q -c 5 -i 10ms -I v0 10.1.0.2" "5 received"
check 5 "$ping -c 1 -I v9 10.1.0.2" "2:v9"
check 0 "$ping -q -c 2000 -i 0 10.1.0.2" "2000 packets transmitted, 2000 received, 0% packet loss"
check 0 "$ping -q -c 200 -i 0 -s 1472 10.1.0.2" "frames of 1518 bytes" "200 received"
check 2 "$ping -c 1 -s 1473 10.1.0.2" "2:a payload of 1473 bytes is too large: the MTU of 1500 on the way to 10.1.0.2 takes 1472"
check 2 "$ping -c 1 -s 1453 fd01::2" "2:takes 1452"
check 2 "$ping --sizes 18..1473 10.1.0.2" "2:takes 1472"
check 1 "$ping -q -c 3 -i 10ms -W 100ms 10.1.0.9" "0 received" "100% packet loss"
# Once the last one is lost nothing is waited for.
check_time() { # LIMIT_MS ARGUMENTS
	"$HOLDOFF" $2 >"$scratch/out" 2>"$scratch/err"
	took=$(sed -n 's/.*packet loss, time \([0-9]*\)ms$/\1/p' "$scratch/out")
	[ "${took:-$1}" -lt "$1" ]
	report $? "holdoff $2: it ends with the timeout of the last probe, ${took:-unknown} ms"
}
check_time 1000 "$ping -q -c 3 -i 10ms -W 100ms 10.1.0.9"
check 2 "$ping -c 1 10.7.0.1" "2:there is no way to 10.7.0.1"
check 2 "$ping -c 1 10.1.0.255" "2:broadcast"
check 0 "$ping -q -c 1000 -i 0 --floor 10.1.0.2" "floor: loopback 1000"
ip -n near link set lo down
check 0 "$ping -q -c 100 -i 0 --floor 10.1.0.2" "floor: loopback 1000"
ip -n near link set lo up
check 0 "$ping -q -c 10 -i 1ms 10.1.0.1" "10 received" "!frames of"

# A queue that takes 1 Mb/s: what it has no room for is tried again, and nothing is lost.
if ip netns exec near tc qdisc add dev v0 root tbf rate 1mbit burst 3000 limit 3000 2>"$scratch/err"; then
	"$HOLDOFF" $ping --json -i 100us -w 300ms 10.1.0.2 >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 0 ] && ! grep -q '"send_retries": 0' "$scratch/out" && grep -q '"lost": 0' "$scratch/out"
	report $? "a queue without room is waited for"
	grep -E '"(sent|lost|send_retries)"' "$scratch/out" | sed 's/^/# /'
	ip netns exec near tc qdisc del dev v0 root
else
	report 0 "a queue without room # SKIP $(head -n 1 "$scratch/err")"
fi

# ---- beyond a router ----

check 0 "$ping -q -c 20 -i 2ms 10.3.0.2" "20 received"
check 2 "$ping -c 20 -i 0 10.3.0.2" "2:10.3.0.2 is behind a router: more than 1000 probes a second to it have to be meant, --flood says so"
check 2 "$ping -c 20 -i 999us 10.3.0.2" "2:--flood"
check 2 "$ping --intervals 0,1ms 10.3.0.2" "2:--flood"
check 2 "$ping --burst 16 -i 15ms 10.3.0.2" "2:--flood"
check 2 "$ping --sizes 18..100 -i 0 10.3.0.2" "2:--flood"
check 0 "$ping -q -c 20 -i 0 --flood 10.3.0.2" "20 received"
check 0 "$ping -c 5 --burst 16 10.3.0.2" "80 received"
ip -n middle link set v2 mtu 1400
"$HOLDOFF" $ping -q -c 5 -i 20ms -s 1472 10.3.0.2 >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'an MTU of 1400 bytes, says 10.1.0.2' "$scratch/out" && grep -q 'the MTU of 1400 on the way to 10.3.0.2 takes 1372' "$scratch/err"
report $? "a router whose next link is narrower says its MTU"
sed 's/^/# /' "$scratch/out" "$scratch/err"
check 0 "$ping -q -c 5 -i 10ms -s 1372 10.3.0.2" "5 received"
ip -n middle route add unreachable 10.3.0.77
check 1 "$ping -q -c 3 -i 10ms -W 100ms 10.3.0.77" "host unreachable, says 10.1.0.2" "100% packet loss"
ip -n middle route add prohibit 10.3.0.78
check 1 "$ping -q -c 3 -i 10ms -W 100ms 10.3.0.78" "prohibited by a filter, says 10.1.0.2"

# ---- what happens meanwhile ----

# meanwhile STATUS 'COMMANDS' 'ARGUMENTS' PART...: the commands are done once replies come, and all PARTs have to be printed.
meanwhile() {
	expected=$1 commands=$2 arguments=$3
	shift 3
	: >"$scratch/out"
	stdbuf -oL "$HOLDOFF" $ping $arguments >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	tries=0
	until grep -q 'icmp_seq=2 ' "$scratch/out" || [ $tries -eq 100 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	eval "$commands"
	wait $pid
	status=$?
	wrong=
	[ $status -eq "$expected" ] || wrong="; exit status $status, expected $expected"
	out=$(tr -s ' \n\t' ' ' <"$scratch/out")
	for part; do
		case $out in *"$part"*) ;; *) wrong="$wrong; stdout lacks \"$part\"" ;; esac
	done
	[ ! -s "$scratch/err" ] || wrong="$wrong; stderr: $(cat "$scratch/err")"
	[ -z "$wrong" ]
	report $? "holdoff $ping $arguments, meanwhile $commands"
	[ -z "$wrong" ] || {
		echo "# ${wrong#; }"
		sed 's/^/# /' "$scratch/out"
	}
}

meanwhile 6 'ip -n near link set v0 down' "-c 60 -i 20ms -W 200ms 10.1.0.2" "v0 went down, " "not sent: " "rtt min/avg/max/mdev"
make_link
meanwhile 6 'ip -n near link set v0 down; sleep 0.3; ip -n near link set v0 up' "-c 100 -i 20ms -W 200ms 10.1.0.2" "v0 went down, " "v0 came up, " "icmp_seq=60 "
make_link
meanwhile 0 'ip -n near link set v0 name w0' "-c 60 -i 20ms 10.1.0.2" "60 received, 0% packet loss" "w0 is the interface's new name, "
ip -n near link del w0
make_link
meanwhile 0 'ip -n near link set v0 name w0' "-c 60 -i 20ms -I v0 10.1.0.2" "60 received, 0% packet loss" "w0 is the interface's new name, "
ip -n near link del w0
make_link
meanwhile 6 'ip -n near link del v0' "-c 500 -i 20ms 10.1.0.2" "v0 is gone, " "rtt min/avg/max/mdev"
make_link
meanwhile 6 'ip -n near link del v0' "-i 20ms -I v0 10.1.0.2" "v0 is gone, "
make_link
meanwhile 6 'ip -n middle link set v1 down' "-c 60 -i 20ms -W 200ms 10.1.0.2" "v0 lost its carrier, " "rtt min/avg/max/mdev"
ip -n middle link set v1 up
make_link
meanwhile 0 'ip -n middle addr del 10.1.0.2/24 dev v1' "-c 60 -i 20ms -W 200ms 10.1.0.2" "% packet loss" "rtt min/avg/max/mdev"
grep -q ' 0% packet loss' "$scratch/out" && lost=1 || lost=0
report $lost "a peer that is gone loses packets"
make_link
meanwhile 0 'kill -INT $pid' "-i 20ms 10.1.0.2" "packets transmitted" "rtt min/avg/max/mdev"

# A step search that its interface goes away from says what it has, and that this is not all.
"$HOLDOFF" $ping --sizes 18..1472 -i 5ms 10.1.0.2 >"$scratch/out" 2>"$scratch/err" &
pid=$!
sleep 1
ip -n near link del v0
wait $pid
status=$?
[ $status -eq 6 ] && grep -q 'v0 is gone' "$scratch/out" && grep -q 'that says nothing' "$scratch/out"
report $? "a step search whose interface goes away"
make_link

# ---- who may ----

if ! command -v setpriv >/dev/null; then
	report 0 "as nobody # SKIP setpriv is not installed"
	finish
	exit
fi
cp "$HOLDOFF" "$scratch/program"
chmod 755 "$scratch" "$scratch/program"
# nobody WORDS...: in the near namespace, without any privilege; a word of setpriv's may come first.
nobody() {
	near setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
}
near sysctl -q -w net.ipv4.ping_group_range="1 0"
for host in 10.1.0.2 fd01::2; do
	nobody --inh-caps=-all "$scratch/program" ping -q -c 3 -i 10ms $host
	[ $status -eq 4 ] && [ ! -s "$scratch/out" ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ] &&
		grep -q '^holdoff: ICMP is not allowed here: net.ipv4.ping_group_range is "1 0", which group 65534 is not in, and CAP_NET_RAW is missing; as root, once: sysctl -w net.ipv4.ping_group_range="0 2147483647", or setcap cap_net_raw+ep' "$scratch/err"
	report $? "$host: nobody may not, and is told what would help"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	nobody --inh-caps=+net_raw --ambient-caps=+net_raw "$scratch/program" ping --json -c 3 -i 10ms $host
	[ $status -eq 0 ] && grep -q '"received": 3' "$scratch/out" && grep -q '"socket": "raw"' "$scratch/out"
	report $? "$host: with CAP_NET_RAW by a raw socket"
done
near sysctl -q -w net.ipv4.ping_group_range="0 2147483647"
for host in 10.1.0.2 fd01::2; do
	for interface in "" "-I v0"; do
		# A reply that a busy machine takes a second for is late.
		for try in 1 2 3; do
			nobody --inh-caps=-all "$scratch/program" ping --json -c 200 -i 0 $interface $host
			grep -q '"late": [1-9]' "$scratch/out" || break
			echo "# once more: replies were late"
		done
		[ $status -eq 0 ] && grep -q '"received": 200' "$scratch/out" && grep -q '"socket": "datagram"' "$scratch/out" &&
			grep -q '"rtt_to_kernel_ns"' "$scratch/out" && grep -q '"rtt_from_driver_ns"' "$scratch/out"
		passed=$?
		report $passed "$host $interface: nobody in the range of groups, with all stamps, as fast as it goes"
		[ $passed -eq 0 ] || sed 's/^/# /' "$scratch/err" "$scratch/out"
	done
done
nobody --inh-caps=-all "$scratch/program" ping --netns middle -c 1 10.1.0.1
[ $status -eq 4 ] && grep -q 'middle' "$scratch/err"
report $? "another namespace is for root"
finish
