#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line of holdoff ping: what is refused, with which sentence; and pings of this host itself.
. "$(dirname "$0")/table.sh"

check 0 "ping --help" "usage: holdoff ping" "-c, --count N" "-I, --interface DEV" "--sizes LOW..HIGH[:STEP]"
check 2 "ping" "2:which host?"
check 2 "ping 127.0.0.1 127.0.0.2" "2:one host at a time"
check 2 "ping -z 127.0.0.1" "2:unknown option -z: of one letter there are -I -4 -6 -s -i -c -w -W -q"
check 2 "ping -qz 127.0.0.1" "2:unknown option -qz: of one letter there are"
check 2 "ping -qc 127.0.0.1" "2:--count: \"127.0.0.1\" is no number"
check 2 "ping -qq 127.0.0.1" "2:--quiet is given twice"
check 2 "ping -c" "2:--count needs a value: N"
check 2 "ping -q5 127.0.0.1" "2:--quiet takes no value"
check 2 "ping -c 1 --count 2 127.0.0.1" "2:--count is given twice"
check 2 "ping -c 0 127.0.0.1" "2:--count"
check 2 "ping -c x 127.0.0.1" "2:--count"
check 2 "ping -i 0.2 127.0.0.1" "2:--interval" "2:0.2"
check 2 "ping -i 2h 127.0.0.1" "2:at most 60s"
check 2 "ping -s -1 127.0.0.1" "2:--size"
check 2 "ping -s 65508 127.0.0.1" "2:--size"
check 2 "ping --sizes 18 127.0.0.1" "2:LOW..HIGH"
check 2 "ping --sizes 82..81 127.0.0.1" "2:has to be larger"
check 2 "ping --sizes 18..x 127.0.0.1" "2:--sizes"
check 2 "ping --sizes 18..1472:0 127.0.0.1" "2:a step of 0"
check 2 "ping --sizes 18..1472 -s 56 127.0.0.1" "2:--size beside it"
check 2 "ping --intervals 10us 127.0.0.1" "2:several gaps"
check 2 "ping --intervals 0,10 127.0.0.1" "2:--intervals"
check 2 "ping --intervals 10ms..10us 127.0.0.1" "2:goes up"
check 2 "ping --intervals 0..10us 127.0.0.1" "2:goes up"
check 2 "ping --intervals 1us..60s,$(seq -s us, 60)us 127.0.0.1" "2:at most 48"
check 2 "ping --intervals $(seq -s us, 600)us 127.0.0.1" "2:too many"
check 2 "ping --intervals 0,1ms -i 1ms 127.0.0.1" "2:--interval beside it"
check 2 "ping --burst 1 127.0.0.1" "2:--burst"
check 2 "ping --burst 16 -i 0 127.0.0.1" "2:--interval above 0"
check 2 "ping --burst 16 --sizes 18..20 127.0.0.1" "2:one at a time"
check 2 "ping -4 -6 127.0.0.1" "2:leave no address"
check 2 "ping -w 0 127.0.0.1" "2:--duration"
check 2 "ping --timeout 0 127.0.0.1" "2:--timeout: 0 is out of range, expected more than 0"
check 2 "ping 300.1.1.1.1.1" "2:no address of"
check 2 "ping -6 127.0.0.1" "2:no IPv6 address of"
check 2 "ping -4 ::1" "2:no IPv4 address of"
check 2 "ping 224.0.0.1" "2:multicast"
check 2 "ping ff02::1" "2:multicast"
check 2 "ping 255.255.255.255" "2:broadcast"
check 2 "ping 0.0.0.0" "2:no host"
check 2 "ping fe80::1" "2:name its interface"
check 5 "ping -I nosuch 127.0.0.1" "2:nosuch"
check 5 "ping -I loo 127.0.0.1" "2:did you mean lo?"

# From here on it has to be allowed, and the loopback interface to be up.
if ! "$HOLDOFF" ping -q -c 1 127.0.0.1 >"$scratch/out" 2>"$scratch/err"; then
	report 0 "pings of this host # SKIP $(cat "$scratch/err")"
	finish
	exit
fi
check 0 "ping -c 3 -i 10ms 127.0.0.1" "PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data" "64 bytes from 127.0.0.1: icmp_seq=3 ttl=64 time=0." \
	"3 packets transmitted, 3 received, 0% packet loss, time" "to kernel 3" "to application 3" "!frames of" "rtt min/avg/max/mdev = 0."
check 0 "ping -q -c3 -i10ms 127.0.0.1" "!bytes from" "3 received"
check 0 "ping -qc3 -i10ms 127.0.0.1" "!bytes from" "3 received"
check 0 "ping -c 2000 -i 0 --floor localhost" "2000 packets transmitted, 2000 received" "floor: loopback" "!bytes from"
check 0 "ping -c 5 -i 10ms -s 0 127.0.0.1" "8 bytes from" "5 received"
check 0 "ping -q -c 5 -i 0 -s 65507 127.0.0.1" "65507(65535) bytes of data" "5 received"
check 0 "ping -q -w 50ms -i 1ms 127.0.0.1" " 0% packet loss"
check 0 "ping -q -c 100 -i 0 --transmit-stamps 0 127.0.0.1" "!from driver"
check 0 "ping -q -c 100 -i 0 --transmit-stamps 10 127.0.0.1" "from driver 10"
check 0 "ping --json -c 3 -i 1ms 127.0.0.1" '"schema": "holdoff.ping/1"' '"received": 3' '"is_local": true' '"ended_by": "count"' '!"frame_bytes"' '!"p99"'
check 0 "ping --burst 8 -c 5 -i 5ms 127.0.0.1" "40 packets transmitted, 40 received" "5 of 5 bursts came back whole"
check 0 "ping --intervals 0,1ms,2ms -c 20 127.0.0.1" "reply-reply" "1ms" "2ms"
tail -n 1 "$scratch/out" | grep -q .
report $? "the sweep says something"
check 0 "ping --sizes 18..50 127.0.0.1" "18..50 bytes of payload" "which is no step"
check 6 "ping --sizes 18..1472 -c 100 127.0.0.1" "100 packets transmitted"
check 6 "ping --sizes 18..1472 -w 5ms 127.0.0.1" "packet loss"

# What cannot be written is said once, with the reason.
for arguments in "--json -c 3 -i 1ms" "-q -c 3 -i 1ms" "--json --burst 4 -c 2"; do
	"$HOLDOFF" ping $arguments 127.0.0.1 >/dev/full 2>"$scratch/err"
	[ $? -eq 2 ] && [ "$(cat "$scratch/err")" = "holdoff: cannot write the result to standard output: No space left on device" ]
	report $? "ping $arguments on a full disk"
done

# The last line is ping's.
"$HOLDOFF" ping -q -c 10 -i 0 127.0.0.1 | tail -n 1 | grep -qE '^rtt min/avg/max/mdev = [0-9]+\.[0-9]{3}/[0-9]+\.[0-9]{3}/[0-9]+\.[0-9]{3}/[0-9]+\.[0-9]{3} ms$'
report $? "the last line is that of ping"

# What was measured so far is printed.
for signal in INT TERM; do
	: >"$scratch/out"
	stdbuf -oL "$HOLDOFF" ping -i 10ms 127.0.0.1 >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	tries=0
	until grep -q 'icmp_seq=2 ' "$scratch/out" || [ $tries -eq 600 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	kill -$signal $pid
	wait $pid
	status=$?
	[ $status -eq 0 ] && grep -q 'packets transmitted' "$scratch/out" && tail -n 1 "$scratch/out" | grep -q '^rtt '
	report $? "SIG$signal: what was measured so far is printed, status 0"
	[ $status -eq 0 ] || echo "# status $status"
done
finish
