#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench: --nic tsnep
# tsnep: what of a packet is at most 40 bytes long in a page of its own is copied over the end of a field of 8 bytes, which the kernel warns of,
# once; it arrives all the same. On a real machine: IN is what runs a command at the other end, PEER its address.
IN=${IN:-ip netns exec peer}
PEER=${PEER:-10.0.0.2}

# The console is not for this warning: it is shown here.
dmesg -n 1
# TCP writes into pages of 32 KiB and cuts what is there into segments: where a page ends, a segment has a bit of the one and of the next.
yes 'what is to be sent' | head -c 2000000 >/tmp/sent
# Whether one is that short depends on when the sender writes what: until the kernel has warned, with writes of other sizes.
for bytes in 8192 1000 3000 777 12345; do
	# What comes in at this end would end it: there is nothing for 5 s.
	sleep 5 | $IN sh -c 'nc -l -p 9 >/tmp/received' &
	sleep 1
	dd if=/tmp/sent bs=$bytes 2>/dev/null | nc "$PEER" 9
	wait
	cmp /tmp/sent /tmp/received || exit 1
	! dmesg | grep -q 'memcpy: detected' || break
done
# The size is that of the first short one: which that is depends on the kernel's timing, so that it is told as the range.
echo "$(wc -c </tmp/received) bytes have arrived as they were sent"
dmesg | sed -n 's/(size \(9\|[123][0-9]\|40\)) of/(size 9 to 40) of/; s|.*\(memcpy: detected .*\) at .*/\([^/]*\)$|\1 at \2|p; s|.*\(WARNING: \).* at .*/\(tsnep_main.c:[0-9]*\) .*|\1\2|p'
