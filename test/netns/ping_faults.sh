#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff ping to a NIC that does each fault in every so many replies (test/fake/nic.c): all of them are counted exactly, each as what it is.
needs_tap=yes
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/fake

number() { # KEY: of the JSON document
	sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$scratch/out" | head -n 1
}

# counts TEXT KEY=NUMBER...: every count that is not named has to be 0.
counts() {
	text=$1
	shift
	wrong=
	for key in sent received late spoiled lost waiting duplicate corrupt reordered foreign unsent clock_stepped overrun; do
		expected=0
		for word; do
			[ "${word%%=*}" != $key ] || expected=${word#*=}
		done
		got=$(number $key)
		[ "$got" = "$expected" ] || wrong="$wrong; $key $got, expected $expected"
	done
	[ -z "$wrong" ]
	report $? "$text"
	[ -z "$wrong" ] || echo "# ${wrong#; }"
}

measure() { # ARGUMENTS...
	"$HOLDOFF" ping --json "$@" >"$scratch/out" 2>"$scratch/err"
	sed 's/^/# /' "$scratch/err"
}

# Of the fake's own count; what it answered before is no part of it.
for host in 10.2.0.2 fd02::2; do
	fake
	measure -c 500 -i 0 $host
	stop_fake
	counts "$host: nothing goes wrong" sent=500 received=500
	grep -q "^requests 502 " "$scratch/done"
	report $? "$host: and the other end has seen 500 requests"

	# The fake's count goes on through the pings before: what is done to every tenth is done fifty times in five hundred in a row.
	fake lose=10
	measure -c 500 -i 0 -W 500ms $host
	stop_fake
	counts "$host: every tenth lost" sent=500 received=450 lost=50

	fake duplicate=10
	measure -c 500 -i 0 $host
	stop_fake
	counts "$host: every tenth twice" sent=500 received=500 duplicate=50

	fake corrupt=10
	measure -c 500 -i 0 -W 500ms $host
	stop_fake
	counts "$host: every tenth corrupted" sent=500 received=450 spoiled=50 corrupt=50

	fake longer=10
	measure -c 500 -i 0 -W 500ms $host
	stop_fake
	counts "$host: every tenth longer than it was sent" sent=500 received=450 spoiled=50 corrupt=50

	fake swap=10
	measure -c 500 -i 0 $host
	stop_fake
	counts "$host: every tenth after the next" sent=500 received=500 reordered=50

	# The last of them is answered before the end, which is not waited for longer than the timeout.
	fake late=100 delay=180ms
	measure -c 297 -i 2ms -W 100ms $host
	stop_fake
	counts "$host: every hundredth late" sent=297 received=295 late=2

	fake elsewhere=10
	measure -c 500 -i 0 $host
	stop_fake
	counts "$host: others answer every tenth too" sent=500 received=500 foreign=50

	fake identifier=10
	measure -c 500 -i 0 $host
	stop_fake
	counts "$host: replies to somebody else" sent=500 received=500 foreign=50

	fake ahead=10
	measure -c 500 -i 0 $host
	stop_fake
	counts "$host: replies to what was not asked" sent=500 received=500 foreign=50

	fake storm=100
	measure -c 500 -i 1ms $host
	stop_fake
	counts "$host: a hundred copies of some" sent=500 received=500 duplicate=500

	fake error=10
	measure -c 500 -i 0 -W 500ms $host
	stop_fake
	counts "$host: every tenth is unreachable" sent=500 received=450 lost=50
	[ "$(number count)" != "" ] && grep -q '"text": "\(host\|address\) unreachable, says [0-9a-f.:]*"' "$scratch/out"
	report $? "$host: and that is said"
	grep '"text"' "$scratch/out" | sed 's/^/# /'
done

# What this host's own kernel takes away: a datagram socket hears of no wrong checksum, a raw one does.
fake damage=10
measure -c 500 -i 0 -W 500ms 10.2.0.2
counts "a wrong checksum is corrupt to a raw socket" sent=500 received=450 spoiled=50 corrupt=50
sysctl -q -w net.ipv4.ping_group_range="0 0"
measure -c 500 -i 0 -W 500ms 10.2.0.2
counts "and not there to a datagram socket" sent=500 received=450 lost=50
grep -q '"socket": "datagram"' "$scratch/out"
report $? "which is used where it may be"
stop_fake
fake identifier=10 elsewhere=7 ahead=20
measure -c 700 -i 0 10.2.0.2
stop_fake
counts "a datagram socket hears of no other identifier" sent=700 received=700 foreign=135
sysctl -q -w net.ipv4.ping_group_range="1 0"

fake cut=10
measure -c 500 -i 0 -W 500ms 10.2.0.2
stop_fake
counts "replies that are cut off within their header are none" sent=500 received=450 lost=50

# All at once: sums are right whatever comes.
fake lose=13 duplicate=7 corrupt=11 swap=17 late=19 delay=30ms elsewhere=23 identifier=29 ahead=31 storm=37 error=41
measure -c 2000 -i 1ms -W 20ms 10.2.0.2
stop_fake
[ "$(number sent)" -eq $(($(number received) + $(number late) + $(number spoiled) + $(number lost))) ]
report $? "all at once: each probe has one fate"
done_count() { # FAULT
	sed "s/.* $1 \([0-9]*\).*/\1/" "$scratch/done"
}
# What is done to the replies to holdoff's own probes, not to the two pings before (none of whose numbers has a fault).
[ "$(number corrupt)" -eq "$(done_count corrupt)" ] && [ "$(number foreign)" -eq $(($(done_count elsewhere) + $(done_count identifier) + $(done_count ahead))) ]
report $? "what is corrupt and foreign is what the other end says it did"
sed 's/^/# /' "$scratch/done"

# A path with a smaller MTU further on.
fake toobig=30 mtu=1400
"$HOLDOFF" ping -q -c 9 -i 0 -s 1400 10.2.0.2 >"$scratch/out" 2>"$scratch/err"
report $? "nothing is too big yet"
"$HOLDOFF" ping -q -c 20 -i 1ms -W 500ms -s 1400 10.2.0.2 >"$scratch/out" 2>"$scratch/err"
grep -q 'the packet is too big to go on unfragmented: an MTU of 1400 bytes, says 10.2.0' "$scratch/out" "$scratch/err" && grep -q 'the MTU of 1400 on the way to 10.2.0.2 takes 1372' "$scratch/err"
report $? "frag needed: the MTU is said, and what it takes"
sed 's/^/# /' "$scratch/out" "$scratch/err"
stop_fake
finish
