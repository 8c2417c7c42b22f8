#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What holdoff trace says of the real r8169 on our chip against the chip's own log of the same packets: the time from a packet's
# doorbell to the line that rises for it, with 0 and with 200 us of hold-off.
needed="--cached --nic rtl8168"
. "$(dirname "$0")/boots"

cat >"$scratch/trace.guest" <<'END'
for usecs in 0 200; do
	ethtool -C eth0 rx-usecs $usecs tx-usecs $usecs rx-frames 0 tx-frames 0 2>/dev/null
	holdoff trace eth0 --for 3s --filter icmp --max-cost 100% --json >/run/json &
	sleep 0.7
	ping -q -c 100 -i 0.01 -s 200 10.0.0.2 >/run/ping
	wait $!
	for key in count min p50 max; do
		echo "$usecs $key $(sed -n '/"xmit_to_irq_ns": {/,/}/s/^ *"'$key'": \([0-9]*\),*$/\1/p' /run/json | head -n 1)"
	done
done
END
qemu/run --build "$BUILD" $needed --name trace --events "$scratch/log" "$scratch/trace.guest" >"$scratch/out" 2>"$scratch/err"
report $? "a guest traces its pings"

# Frames of 246 bytes are the pings; IntrStatus is acknowledged by the handler whose line rose before. What is left is a median.
chip() { # USECS
	awk -v wanted="$1" '
		$2 != "rtl8168.0" { next }
		$3 == "write" && $4 == "IntrMitigate" { usecs = $5 == "0x0000" ? 0 : 200 }
		$3 == "write" && $4 == "TxPoll" { poll = $1 }
		$3 == "send" && $5 == 246 { rung = poll }
		$3 == "irq" && $4 == "0x1" { rise = $1 }
		$3 == "write" && $4 == "IntrStatus" && rung && rise > rung && usecs == wanted && $5 ~ /[4567cdef]$/ { print rise - rung; rung = 0 }
	' "$scratch/log" | sort -n | awk '{ value[NR] = $1 } END { print NR, value[int((NR + 1) / 2)] }'
}
value() { # USECS KEY
	sed -n "s/^$1 $2 //p" "$scratch/out"
}

for usecs in 0 200; do
	of_chip=$(chip $usecs)
	median=${of_chip#* }
	traced=$(value $usecs p50)
	echo "# $usecs us: the chip $of_chip, the trace $(value $usecs count) $traced ns"
	# xmit returns a little after the doorbell, the handler is entered a little after the line has risen; a bucket is 0.8 % wide.
	[ -n "$traced" ] && [ "$traced" -gt $((median - 2000)) ] && [ "$traced" -lt $((median * 101 / 100 + 2000)) ]
	report $? "$usecs us: xmit to irq is within 2 us of the chip's own"
done
[ "$(value 200 p50)" -gt $((195000 + $(value 0 p50))) ]
report $? "with 200 us it is 200 us longer"
finish
