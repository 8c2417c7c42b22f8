#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What holdoff trace makes of packets that are forwarded, bridged, put together, cut up, bounced or read by a program instead of a
# socket, and of events that are lost: counted as what they are, and never as something else. Over veth, a bridge, macvlan and TAP; the
# same in a guest over real drivers, with VLANs and bonds, is test/guest/trace_stacks.guest.
needs_tap=yes
. test/netns/alone
. test/netns/tracing
left=holdoff-left-$$
right=holdoff-right-$$
trap 'ip netns del "$left" 2>/dev/null; ip netns del "$right" 2>/dev/null; rm -rf "$scratch"' EXIT
skip_without_bpf

# A router between two hosts: a0 in $left, a1 and b1 here, b0 in $right.
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
for where in "$left" "$right"; do
	ip netns add "$where"
	ip netns exec "$where" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
done
for end in "a0 $left 10.9.1 a1" "b0 $right 10.9.2 b1"; do
	set -- $end
	ip link add "$4" type veth peer name "$1" netns "$2"
	ip addr add "$3.1/24" dev "$4"
	ip link set "$4" up
	ip -n "$2" addr add "$3.2/24" dev "$1"
	ip -n "$2" link set lo up
	ip -n "$2" link set "$1" up
	ip -n "$2" route add default via "$3.1"
done
echo 1 >/proc/sys/net/ipv4/ip_forward
ip netns exec "$left" ping -q -c 1 -w 5 10.9.2.2 >/dev/null

# traces "NAME DEVICE OPTIONS..." ...: begins them; their results are NAME.json
traces() {
	pids=
	for trace; do
		set -- $trace
		name=$1
		device=$2
		shift 2
		"$HOLDOFF" trace "$device" --for 60s --max-cost 100% "$@" --json >"$scratch/$name.json" 2>"$scratch/$name.err" &
		pids="$pids $!"
	done
	for pid in $pids; do
		until_true is_attached "$pid"
	done
}
# ended TEXT: they are told to end, and end well; 6 is that nothing was found.
ended() {
	sleep 0.2
	status=0
	for pid in $pids; do
		kill -INT "$pid"
		wait "$pid" || [ $? -eq 6 ] || status=1
	done
	report "$status" "$1"
}
# holds TEXT CONDITION...: in Python; a trace's document is its name, its parts its keys.
holds() {
	text=$1
	shift
	python3 - "$scratch" "$@" <<-'PROGRAM' >"$scratch/out" 2>&1
		import glob, json, os, sys
		class Part(dict):
		    __getattr__ = dict.__getitem__
		known = {}
		for name in glob.glob(sys.argv[1] + "/*.json"):
		    try:
		        known[os.path.basename(name)[:-5]] = json.load(open(name), object_hook=Part)
		    except ValueError as error:
		        print(name, error)
		for condition in sys.argv[2:]:
		    if not eval(condition, known):
		        print("not so:", condition)
		        for name in known:
		            if name in condition:
		                print(name, "tx", dict(known[name].tx), "rx", dict(known[name].rx))
		        sys.exit(1)
	PROGRAM
	report $? "$text"
	sed 's/^/# /' "$scratch/out"
}
accounted="all(t.tx.sent == t.tx.completed + t.tx.handed_on + t.tx.reused + t.tx.displaced + t.tx.in_flight for t in"

# Who is woken by something else just then, and reads a datagram next, is taken for a frame's reader: once in 10000 frames on a busy machine.

# ---- a router ----

traces "into a1 --filter icmp" "outof b1 --filter icmp" "host b0 --netns $right --filter icmp"
ip netns exec "$left" ping -q -c 50 -i 0.005 10.9.2.2 >"$scratch/ping"
ended "a router between two hosts is traced, on both sides, and one host"
holds "what comes in by one interface and leaves by the other is forwarded, not read and not ended" \
	"into.rx.received == into.rx.forwarded == 50" "into.rx.ended_in_kernel == 0" "into.rx.copied <= 1"
holds "and sent by the other one, both ways" "outof.tx.sent == outof.tx.handed_on == 50" \
	"outof.rx.received == outof.rx.forwarded == 50" "into.tx.sent == into.tx.handed_on == 50"
holds "no echo is the router's, all are the host's" "'echo_ns' not in into.stages" "'echo_ns' not in outof.stages" \
	"host.stages.echo_ns.count == 50"

# ---- a bridge with a program behind it ----

cat >"$scratch/machine.py" <<'END_OF_PROGRAM'
import fcntl, os, struct, subprocess, sys
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, 0x400454ca, struct.pack("16sH22x", b"machine0", 0x0002 | 0x1000))
subprocess.check_call(["ip", "link", "set", "machine0", "master", "bridge0", "up"])
print("ready", flush=True)
while True:
    frame = os.read(tap, 2000)
    if b"echo me" in frame:
        os.write(tap, frame[6:12] + frame[0:6] + frame[12:])
END_OF_PROGRAM
ip link add bridge0 type bridge
ip link add c1 type veth peer name c0 netns "$left"
ip link set c1 master bridge0 up
ip link set bridge0 up
ip -n "$left" addr add 10.9.3.2/24 dev c0
ip -n "$left" link set c0 up
python3 "$scratch/machine.py" >"$scratch/machine" 2>&1 &
machine=$!
until_true grep -qs ready "$scratch/machine"
ip -n "$left" neigh add 10.9.3.9 lladdr 02:00:00:00:00:09 dev c0
traces "port c1" "onbridge bridge0"
ip netns exec "$left" "$HOLDOFF" ping 10.9.3.9 -c 30 -i 5ms --timeout 20ms -q >"$scratch/ping" 2>&1
ended "a port of a bridge is traced, and the bridge"
holds "frames that go to a program by TAP are forwarded, and read by no socket" \
	"30 <= port.rx.forwarded <= port.rx.received" "port.rx.copied <= 1"
holds "and are not the bridge's own" "onbridge.rx.received == 0"
kill "$machine"
ip link del bridge0

# ---- TCP, cut up and put together ----

ip netns exec "$right" python3 -c '
import socket
server = socket.create_server(("10.9.2.2", 7777))
print("ready", flush=True)
for _ in range(2):
    peer, _ = server.accept()
    total = 0
    while (data := peer.recv(65536)):
        total += len(data)
    peer.close()
    print(total, flush=True)
' >"$scratch/server" 2>&1 &
server=$!
until_true grep -qs ready "$scratch/server"
send() {
	ip netns exec "$left" python3 -c '
import socket
out = socket.create_connection(("10.9.2.2", 7777))
out.sendall(bytes(4000000))
out.close()'
}
traces "whole a0 --netns $left --filter tcp" "reader b0 --netns $right --filter tcp"
send
ended "TCP with TSO and GRO is traced at both ends"
holds "segments that the interface would cut are one packet each, all handed on" \
	"whole.tx.handed_on == whole.tx.sent" "whole.tx.sent_bytes > 4000000" "whole.tx.sent < 1500" "$accounted [whole, reader])"
# SIOCETHTOOL with ETHTOOL_STSO and ETHTOOL_SGSO
ip netns exec "$left" python3 -c '
import ctypes, fcntl, socket, struct
for command in 0x1f, 0x24:
    value = ctypes.create_string_buffer(struct.pack("II", command, 0))
    fcntl.ioctl(socket.socket(), 0x8946, struct.pack("16sP16x", b"a0", ctypes.addressof(value)))'
report $? "TSO and GSO are turned off"
traces "cut a0 --netns $left --filter tcp"
send
ended "TCP without is traced"
# With a thousand on their way at once a few share a place, and the earlier one is counted as displaced.
holds "segments of one frame each are a packet each" "cut.tx.handed_on + cut.tx.displaced == cut.tx.sent" "cut.tx.displaced <= cut.tx.sent // 50" "cut.tx.sent > 2500" "$accounted [cut])"
wait "$server"
[ "$(grep -c '^4000000$' "$scratch/server")" -eq 2 ]
report $? "and all of it has arrived"

# ---- macvlan ----

ip netns exec "$left" ip link add link a0 name mac0 type macvlan mode bridge
ip -n "$left" addr add 10.9.1.9/24 dev mac0
ip -n "$left" link set mac0 up
traces "lower a0 --netns $left --filter icmp" "upper mac0 --netns $left --filter icmp"
ip netns exec "$left" ping -q -c 20 -i 0.005 -I mac0 10.9.1.1 >"$scratch/ping"
ended "a macvlan and the interface below are traced"
holds "what is sent through both is sent by each, once" "upper.tx.sent == lower.tx.sent == 20" "$accounted [lower, upper])" \
	"lower.tx.handed_on == 20" "lower.rx.received == 20"

# ---- frames that XDP takes ----

if command -v clang >/dev/null && [ -x /usr/sbin/bpftool ] && printf '%s\n' '#include <linux/bpf.h>' \
	'__attribute__((section("xdp"))) int bounce(struct xdp_md *context) {' \
	'	unsigned char *frame = (void *)(long)context->data, *end = (void *)(long)context->data_end;' \
	'	if (frame + 14 > end) return XDP_DROP;' \
	'	for (int i = 0; i < 6; i++) { unsigned char byte = frame[i]; frame[i] = frame[i + 6]; frame[i + 6] = byte; }' \
	'	return XDP_TX; }' 'char licence_text[] __attribute__((section("license"))) = "GPL";' |
	clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -x c -c - -o "$scratch/bounce.o" 2>"$scratch/err" &&
	ip link set b1 xdp obj "$scratch/bounce.o" sec xdp 2>"$scratch/err"; then
	traces "bounced b1" "bouncer b0 --netns $right"
	ip netns exec "$right" ping -q -c 20 -i 0.005 -W 0.1 10.9.2.1 >"$scratch/ping" 2>&1
	ended "an interface whose XDP program sends frames back is traced"
	holds "frames that it bounced are none of the interface's, in neither direction" \
		"bounced.rx.received == bounced.tx.sent == 0"
	holds "and are accounted for where they came from" "bouncer.tx.sent >= 20" "$accounted [bouncer])" "bouncer.tx.in_flight == 0"
	ip link set b1 xdp off
else
	report 0 "XDP # SKIP no program for it can be made or loaded: $(head -n 1 "$scratch/err")"
fi

# ---- namespaces ----

ip netns exec "$left" ip link add twin index 77 type veth peer name twin1
ip netns exec "$right" ip link add twin index 77 type veth peer name twin1
for where in "$left" "$right"; do
	ip -n "$where" addr add 10.9.4.1/24 dev twin
	ip -n "$where" link set twin1 up
	ip -n "$where" link set twin up
	ip -n "$where" neigh add 10.9.4.9 lladdr 02:00:00:00:00:09 dev twin
done
traces "twin twin --netns $left --filter icmp"
ip netns exec "$right" ping -q -c 10 -i 0.005 -W 0.1 10.9.4.9 >"$scratch/ping"
ip netns exec "$left" ping -q -c 7 -i 0.005 -W 0.1 10.9.4.9 >"$scratch/ping"
ended "one of two interfaces of the same name and number is traced"
holds "the other namespace's is another one" "twin.tx.sent == 7"

# ---- lost events ----

traces "lossy a1 --events $scratch/lossy.events"
kill -STOP "${pids# }"
ip netns exec "$left" "$HOLDOFF" ping 10.9.2.2 --interval 0 -c 40000 --flood -q >"$scratch/ping" 2>&1
kill -CONT "${pids# }"
sleep 0.3
ip netns exec "$left" ping -q -c 100 -i 0.002 10.9.2.2 >"$scratch/ping"
ended "a trace whose events nobody takes for 40000 pings goes on"
"$HOLDOFF" trace --from "$scratch/lossy.events" a1 --json >"$scratch/again.json"
holds "what was lost is counted, and told where it is missing: the file has the same number" "lossy.lost_events > 1000" \
	"again.lost_events == lossy.lost_events"
holds "the matcher in the kernel has lost nothing" "$accounted [lossy])" "lossy.tx.sent == lossy.tx.handed_on" \
	"lossy.rx.forwarded + lossy.rx.ended_in_kernel == lossy.rx.received"
holds "that of user space takes nothing for what it is not" "$accounted [again])" \
	"again.tx.handed_on <= lossy.tx.handed_on" "again.rx.copied <= lossy.rx.copied + 1" \
	"all(again.stages[s].max <= lossy.stages[s].max * 1.01 for s in ('xmit_ns',))"
finish
