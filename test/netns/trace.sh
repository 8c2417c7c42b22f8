#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff trace by programs in the kernel: over veth, where the matcher in user space gets the same events and has to come to
# the same; over a TAP interface whose reader holds packets for a known time; and what is left behind.
needs_tap=yes
. test/netns/alone

. test/netns/tracing
far=holdoff-trace-$$
trap 'ip netns del "$far" 2>/dev/null; rm -rf "$scratch"' EXIT
skip_without_bpf

ip netns add "$far"
# No router solicitations among the pings.
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add va type veth peer name vb netns "$far"
ip addr add 10.9.0.1/24 dev va
ip link set va up
ip -n "$far" addr add 10.9.0.2/24 dev vb
ip -n "$far" link set vb up
ping -q -c 1 -w 5 10.9.0.2 >/dev/null

# ---- the two matchers ----

"$HOLDOFF" trace vb --netns "$far" --count 400 --for 60s --events "$scratch/events" --max-cost 100% --json >"$scratch/live.json" &
until_true is_attached $!
ping -q -c 450 -i 0.002 10.9.0.2 >/dev/null
wait $!
report $? "vb is traced until it has sent 400 packets"
"$HOLDOFF" trace --from "$scratch/events" vb --json >"$scratch/file.json"
python3 - "$scratch" <<'END' >"$scratch/out" 2>&1
import json, sys
live, file = (json.load(open(sys.argv[1] + name)) for name in ("/live.json", "/file.json"))
assert live["lost_events"] == 0 and file["unusable_events"] == 0, "events are missing"
assert live["stages"].keys() == file["stages"].keys(), "other stages"
# An event that an interrupt overtook, or another CPU, may be told in another order than it was matched in.
for name, stage in live["stages"].items():
    other = file["stages"][name]
    if stage != other:
        print("%s: %s, %s" % (name, {k: stage[k] for k in stage if k != "histogram"}, {k: other[k] for k in other if k != "histogram"}))
    assert abs(stage["count"] - other["count"]) <= stage["count"] // 100 + 1, name
    assert abs(stage["p50"] - other["p50"]) <= stage["p50"] // 50 + 1, name
for key in "sent", "completed", "handed_on":
    assert abs(live["tx"][key] - file["tx"][key]) <= 2, key
assert live["stages"]["echo_ns"]["count"] >= 390, "echoes"
assert live["tx"]["handed_on"] == live["tx"]["sent"] >= 400, "handed on"
END
report $? "the kernel's matcher and that of user space come to the same"
sed 's/^/# /' "$scratch/out"

# ---- filters ----

# What is seen until they are interrupted.
"$HOLDOFF" trace va --for 60s --max-cost 100% --filter "host 10.9.0.77" --json >"$scratch/none.json" &
none=$!
"$HOLDOFF" trace va --for 60s --max-cost 100% --filter icmp --json >"$scratch/icmp.json" &
icmp=$!
until_true is_attached $none
until_true is_attached $icmp
ping -q -c 20 -i 0.01 10.9.0.2 >/dev/null
kill -INT $none $icmp
wait $none
[ $? -eq 6 ] && grep -q '"sent": 0,' "$scratch/none.json"
report $? "what another host gets is not looked at"
wait $icmp
grep -q '"sent": 20,' "$scratch/icmp.json"
report $? "twenty pings are twenty packets of ICMP"
grep '"sent"' "$scratch/none.json" "$scratch/icmp.json" | sed 's/^/# /'

# ---- a known delay ----

cat >"$scratch/hold.py" <<'END'
import fcntl, os, select, signal, socket, struct, subprocess, sys, time
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, 0x400454ca, struct.pack("16sH22x", b"held0", 0x0002 | 0x1000))
for words in ("addr add 10.8.0.1/24 dev held0", "link set held0 address 02:00:00:00:00:01 up",
              "neigh add 10.8.0.2 lladdr 02:00:00:00:00:02 dev held0"):
    subprocess.check_call(["ip"] + words.split())
tracer = subprocess.Popen([sys.argv[1], "trace", "held0", "--for", "60s", "--max-cost", "100%", "--filter", "udp port 9", "--json"],
                          stdout=open(sys.argv[2], "w"))

def descriptors(kind):
    folder = "/proc/%d/fd/" % tracer.pid
    return [os.readlink(folder + fd) for fd in os.listdir(folder)].count("anon_inode:" + kind)

for _ in range(400):
    if 0 < descriptors("bpf_link") == descriptors("bpf-prog") - 1:
        break
    time.sleep(0.05)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(40):
    while select.select([tap], [], [], 0)[0]:
        os.read(tap, 2000)
    before = time.monotonic_ns()
    out.sendto(b"x" * 50, ("10.8.0.2", 9))
    sent = time.monotonic_ns()
    time.sleep(0.007)
    reads = time.monotonic_ns()
    os.read(tap, 2000)
    print(reads - sent, time.monotonic_ns() - before)
tracer.send_signal(signal.SIGINT)
tracer.wait()
END
python3 "$scratch/hold.py" "$HOLDOFF" "$scratch/held.json" >"$scratch/times" 2>"$scratch/err"
report $? "a program holds 40 packets for 7 ms each"
sed 's/^/# /' "$scratch/err"
python3 - "$scratch/held.json" "$scratch/times" <<'END' >"$scratch/out" 2>&1
import json, sys
trace = json.load(open(sys.argv[1]))
held = trace["stages"]["xmit_to_completion_ns"]
print("n %d, min %d, median %d ns" % (held["count"], held["min"], held["p50"]))
assert held["count"] == 40
assert trace["tx"]["completed_outside_polls"] == 40
# A packet is held from within the call that sends it to within the call that reads it; a busy machine makes it longer.
shortest, longest = (sorted(times) for times in zip(*(map(int, line.split()) for line in open(sys.argv[2]))))
print("the program: min %d to %d, median %d to %d ns" % (shortest[0], longest[0], shortest[19], longest[19]))
assert shortest[0] >= 7000000
assert shortest[0] <= held["min"] <= longest[0]
# The upper end of a bucket, which is 1/128 wide.
assert shortest[19] <= held["p50"] <= longest[19] * 129 / 128
END
report $? "and that is how long they took from xmit to completion"
sed 's/^/# /' "$scratch/out"

# ---- what it may cost ----

"$HOLDOFF" trace va --for 20s --max-cost 0.2% --json >"$scratch/dear.json" &
dear=$!
until_true is_attached $dear
ping -f -q -w 20 10.9.0.2 >/dev/null &
flood=$!
wait $dear
[ $? -eq 6 ]
report $? "a flood ping cannot be traced for 0.2% of a CPU"
kill $flood
wait $flood 2>/dev/null
python3 - "$scratch/dear.json" <<'END' >"$scratch/out" 2>&1
import json, sys
trace = json.load(open(sys.argv[1]))
sampling, tx = trace["sampling"], trace["tx"]
print(sampling, {key: tx[key] for key in ("sent", "handed_on", "in_flight", "reused")}, trace["cost"])
assert sampling["every_at_most"] == 1024 and trace["cost"]["stopped"] and trace["cost"]["added_rtt_ns"] > 0
assert sampling["sent_passed_over"] > 100 and sampling["received_passed_over"] > 100
assert tx["sent"] == tx["completed"] + tx["handed_on"] + tx["in_flight"] + tx["reused"] + tx["displaced"], "an end is missing"
assert tx["reused"] + tx["displaced"] <= tx["sent"] // 100 + 1, "packets were mixed up"
assert "received_in_tx_polls" not in trace["rx"]
END
report $? "before it ends, it passes packets over, says so, and keeps those that it follows apart"
sed 's/^/# /' "$scratch/out"

# ---- on a terminal ----

if command -v script >/dev/null; then
	ping -q -i 0.02 -w 4 10.9.0.2 >/dev/null &
	script -qec "$HOLDOFF trace va --for 3s" "$scratch/terminal" >/dev/null </dev/null
	wait
	# Drawn after each second, over what was there before; at the end only the whole page is left.
	[ "$(grep -c "$(printf '\033')\[[0-9]*A" "$scratch/terminal")" -ge 2 ] && [ "$(grep -c "in the driver's xmit" "$scratch/terminal")" -ge 3 ]
	report $? "a long trace is drawn each second"
else
	report 0 "a long trace is drawn each second # SKIP script is not installed"
fi
"$HOLDOFF" trace va --for 1200ms | grep -q "$(printf '\033')"
[ $? -eq 1 ]
report $? "into a pipe goes only the page at its end"

# ---- what is left ----

# Of this test's own traces: another one may run on this machine.
program_ids() { # PID
	sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$1/fdinfo/"* 2>/dev/null | sort -u
}
are_gone() { # ID...
	for id; do
		! /usr/sbin/bpftool prog show id "$id" >/dev/null 2>&1 || return 1
	done
}
if [ -x /usr/sbin/bpftool ]; then
	"$HOLDOFF" trace va --for 60s >/dev/null 2>&1 &
	until_true is_attached $!
	ids=$(program_ids $!)
	[ "$ids" ] && ! are_gone $ids
	during=$?
	kill -9 $!
	wait $! 2>/dev/null
	until_true are_gone $ids
	[ $during -eq 0 ] && are_gone $ids
	report $? "kill -9 leaves no program behind"
else
	report 0 "kill -9 leaves no program behind # SKIP bpftool is not installed"
fi

# ---- the kernel's own tracer ----

has_no_instance() { # PID
	[ ! -d "$instances/holdoff-$1" ]
}
if [ -d $instances ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null; then
	# Whatever else this machine does is in the tracer's buffer too. What is lost there is told; a trace without loss has to be right.
	for try in 1 2 3; do
		"$HOLDOFF" trace va --backend tracefs --for 60s --max-cost 100% --json >"$scratch/tracer.json" &
		tracer=$!
		until_true is_switched_on $tracer
		ping -q -c 100 -i 0.005 10.9.0.2 >/dev/null
		is_switched_on $tracer
		during=$?
		kill -INT $tracer
		wait $tracer
		lost=$(sed -n 's/^ *"lost_events": \([0-9]*\),*/\1/p' "$scratch/tracer.json")
		[ "$lost" -gt 0 ] || break
		echo "# once more: $lost events were lost"
	done
	if [ "$lost" -gt 0 ]; then
		report 0 "by tracefs: pings are handed on # SKIP this machine makes more events than its tracer holds, $lost were lost"
	else
		grep -q '"handed_on": 10[0-9],' "$scratch/tracer.json" && grep -q '"backend": "tracefs"' "$scratch/tracer.json"
		report $? "by tracefs: a hundred pings are handed on"
		grep '"handed_on"' "$scratch/tracer.json" | sed 's/^/# /'
	fi
	[ $during -eq 0 ] && has_no_instance $tracer
	report $? "in an instance of its own, which is removed"
	"$HOLDOFF" trace va --backend tracefs --for 60s --max-cost 100% >/dev/null 2>&1 &
	until_true is_switched_on $!
	is_switched_on $!
	during=$?
	kill -9 $!
	wait $! 2>/dev/null
	until_true has_no_instance $!
	[ $during -eq 0 ] && has_no_instance $!
	report $? "also after kill -9"
	mkdir $instances/holdoff-4194303
	"$HOLDOFF" trace va --backend tracefs --for 100ms >/dev/null 2>&1
	[ ! -d $instances/holdoff-4194303 ]
	report $? "one whose owner is gone is removed by the next"
else
	report 0 "by tracefs # SKIP it cannot be mounted"
fi

# ---- without privilege ----

cp "$HOLDOFF" "$scratch/holdoff"
chmod 755 "$scratch"
setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/holdoff" trace va --for 1s >"$scratch/out" 2>"$scratch/err"
[ $? -eq 4 ] && grep -q 'CAP_BPF and CAP_PERFMON' "$scratch/err" && grep -q -e '--from' "$scratch/err" && [ ! -s "$scratch/out" ]
report $? "nobody is told which capabilities are missing, and what works without"
finish
