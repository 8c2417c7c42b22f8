#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff load and peer: what they refuse, and with which sentence; what the far end may do wrong; loads over loopback.
. "$(dirname "$0")/table.sh"

check 2 "load" "2:a host is needed"
check 2 "load 127.0.0.1" "2:a workload is needed"
check 2 "load 127.0.0.1 ::1 --workload voip" "2:one host at a time"
check 2 "load 127.0.0.1 --workload udp" "2:udp needs a rate"
check 2 "load 127.0.0.1 --workload ping --peer true" "2:what holdoff ping does"
check 2 "load 127.0.0.1 --workload voip --duration 0" "2:duration: 0 is out of range"
check 2 "load 127.0.0.1 --workload voip --duration 5" "2:duration"
check 2 "load 127.0.0.1 --workload voip --duration 25h" "2:at most a day"
check 2 "load 127.0.0.1 --workload voip --seed x" "2:seed"
check 2 "load 127.0.0.1 --workload tcp --iperf3 0" "2:iperf3: 0 is no port"
check 2 "load 127.0.0.1 --workload tcp --iperf3 default --peer true" "2:exclude each other"
check 2 "load 127.0.0.1 --workload tcp --iperf3 default --duration 1500ms" "2:whole seconds"
check 2 "load 127.0.0.1 --workload 'udp rate=1k size=17' --peer true" "2:at least 18 bytes"
check 2 "load 127.0.0.1 --workload rr --both --peer true" "2:both ways by itself"
check 2 "load no.such.host.invalid --workload voip --duration 100ms" "2:is no host"
check 5 "load 127.0.0.1 --workload voip --interface nosuch0 --peer '$HOLDOFF peer'" "2:nosuch0"
check 0 "peer --help" "usage: holdoff peer" "far end of holdoff load" "!peer  "
"$HOLDOFF" peer </dev/null >/dev/full 2>"$scratch/err"
[ $? -eq 2 ] && [ "$(cat "$scratch/err")" = "holdoff: the other end cannot be told anything: No space left on device" ]
report $? "a peer that cannot say anything says so where it can"
check 0 "load --help" "--workload" "keys of workloads"

# Unsupported is status 3, with one sentence.
"$HOLDOFF" load 127.0.0.1 --workload "udp rate=1k xdp=on" --peer true >"$scratch/out" 2>"$scratch/err"
[ $? -eq 3 ] && [ ! -s "$scratch/out" ] && grep -q "XDP" "$scratch/err"
report $? "xdp=on is unsupported"

# ---- the peer's command ----

check 2 "load 127.0.0.1 --workload voip --peer true" "2:before its hello: the peer's command has ended, with status 0"
check 2 "load 127.0.0.1 --workload voip --peer 'exit 7'" "2:with status 7"
check 2 "load 127.0.0.1 --workload voip --peer 'kill -9 \$\$'" "2:ended by signal 9"
check 2 "load 127.0.0.1 --workload voip --peer 'yes'" "2:a thousand lines and no hello"
check 2 "load 127.0.0.1 --workload voip --peer 'head -c 10000000 /dev/zero'" "2:before its hello"
check 2 "load 127.0.0.1 --workload voip --peer 'echo holdoff hello protocol=2 tongue=new; cat >/dev/null'" "2:version 2 of the protocol, this one version 1"
check 2 "load 127.0.0.1 --workload voip --peer 'echo holdoff hello protocol=1; cat >/dev/null'" "2:lacks a field"
check 2 "load 127.0.0.1 --workload voip --peer 'echo holdoff hello protocol=1 program=1; echo holdoff error text=out of order; cat >/dev/null'" \
	"2:the peer: out of order"
check 2 "load 127.0.0.1 --workload voip --peer 'echo holdoff hello protocol=1 program=1; echo holdoff started; cat >/dev/null'" \
	"2:says \"started\" where \"opened\" was due"
check 2 "load 127.0.0.1 --workload voip --peer 'echo holdoff hello protocol=1 program=1; head -c 3000 /dev/zero | tr \"\\\\0\" x; echo; cat >/dev/null'" \
	"2:does not keep to the protocol"

# What the shell says before the hello is passed over, also without an end of line.
check 0 "load 127.0.0.1 --workload rr --duration 100ms --peer 'echo Welcome; seq 500; printf \"last login: \"; $HOLDOFF peer'" "0 lost"

# The other way round: what a peer is told.
talk() { # LINES
	printf '%s\n' "$@" | "$HOLDOFF" peer >"$scratch/out" 2>"$scratch/err"
	status=$?
}
says() { # STATUS PART TEXT
	[ $status -eq "$1" ] && grep -q -e "$2" "$scratch/out"
	report $? "$3"
	[ $status -eq "$1" ] || echo "# exit status $status, expected $1"
	grep -q -e "$2" "$scratch/out" || sed 's/^/# /' "$scratch/out" | cut -c 1-200
}
hello="holdoff hello protocol=1 program=test"
open="holdoff open token=1 both=0 seed=1 duration_ns=1000000 address=127.0.0.1 source=127.0.0.1"
talk "holdoff hello protocol=7 tongue=new"
says 2 "holdoff error text=.*version 7" "a peer refuses a version that it does not know, with a sentence"
talk "nonsense"
says 2 'holdoff error text="nonsense" is no message' "and nonsense"
talk "$hello" "holdoff start"
says 2 'error text="start" makes no sense now' "and a start of nothing"
talk "holdoff clock"
says 2 'error text="clock" makes no sense now' "and who does not say hello"
talk "$hello" "$open text=udp rate=max size=1" "holdoff clock"
says 0 "error text=size: a live datagram" "a workload that can't be had is an error that does not end the session"
grep -q "holdoff clock at_ns=" "$scratch/out"
report $? "which goes on"
talk "$hello" "$open text=ping"
says 0 "error text=ping needs no other end" "a ping is none of its business"
talk "$hello" "holdoff open token=1 both=0 seed=1 duration_ns=0 address=127.0.0.1 source=127.0.0.1 text=voip"
says 0 "error text=a load takes more than 0" "a load without an end neither"
talk "$hello" "holdoff open token=1 both=0 seed=1 duration_ns=1 address=localhost source=127.0.0.1 text=voip"
says 0 "is no address" "names are not looked up there"
talk "$hello" "holdoff open token=1 both=0 seed=1 duration_ns=1 address=::1 source=127.0.0.1 text=voip"
says 0 "IPv6" "two kinds of addresses"
talk "$hello" "$open text=voip" "$open text=voip"
says 2 "open.* makes no sense now" "one load at a time"
talk "$hello" "$open text=voip" "holdoff start" "holdoff stop" "$open text=rr" "holdoff start" "holdoff stop"
says 0 "holdoff done" "one load after the other"
[ "$(grep -c "holdoff done" "$scratch/out")" -eq 2 ]
report $? "is two reports"
"$HOLDOFF" peer >"$scratch/out" 2>"$scratch/err" </dev/null
status=$?
says 0 "holdoff hello protocol=1" "without a word it ends"

# ---- both ends here ----

check 0 "load 127.0.0.1 --workload 'tftp bytes=100k' --duration 5s --peer '$HOLDOFF peer'" "file arrived whole" "one clock" "own packets in frames"
check 0 "load ::1 --workload 'rr connections=2' --duration 100ms --peer '$HOLDOFF peer'" "to ::1" "0 lost"

# Interrupted, it says what there is. Later, where both ends have not begun within that time on a busy machine.
for seconds in 1 4 16; do
	timeout --signal=INT $seconds "$HOLDOFF" load 127.0.0.1 --workload 'udp rate=100 dir=tx' --duration 1h --peer "$HOLDOFF peer" --json >"$scratch/out" 2>"$scratch/err"
	! grep -q '"received": [1-9]' "$scratch/out" || break
	echo "# once more: nothing was received within $seconds s"
done
grep -q '"complete": false' "$scratch/out" && grep -q '"insufficient": "interrupted"' "$scratch/out" && grep -q '"received": [1-9]' "$scratch/out"
report $? "interrupted: shown, and marked as such"

finish
