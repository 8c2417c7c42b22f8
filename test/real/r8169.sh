#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real r8169 on the chip of src/chip: the settings of the thread in a ping, link speeds, load, each chip of the family, a
# card driven by hand and with noise, both kinds of interrupt, the times of the event log, and that two boots are the
# same. (vectors.sh asks the driver all that was recorded.)
needed="--nic rtl8168"
. "$(dirname "$0")/../guest/boots"

boot ping --nic rtl8168 test/real/r8169_ping.guest
boot link --nic rtl8168 test/real/r8169_link.guest
boot load --nic rtl8168 --events "$scratch/events" --tool tc:iproute2 --module act_vlan --module cls_flower \
	--module cls_matchall --module sch_ingress test/real/r8169_load.guest
is "$(grep -c guest-error "$scratch/events")" 0 "load: the driver did nothing that the device complains of"

boot "by hand" --nic rtl8168 --events "$scratch/events" --append 'memmap=2M$0x8000000' test/real/r8169_bare.guest
for text in "register 0x05 is locked" "without a first fragment" "without a last fragment in 1 " "no memory to read at 0x18000000" \
	"begin at a multiple of 256" "transmitter is off"; do
	grep -q "guest-error .*$text" "$scratch/events"
	report $? "by hand: the event log has a complaint: $text"
done

# probe NAME LINE OPTIONS...
probe() {
	name=$1
	echo "$2" >"$scratch/chip"
	shift 2
	boot "$name" "$@" --events "$scratch/events" --add "$scratch/chip" test/real/r8169_probe.guest
	is "$(grep -c guest-error "$scratch/events")" 0 "$name: without a complaint of the device"
}

# 8169 at 1000 Mb/s: units of 10.24 us. From 8168evl on the driver turns the frame counts off.
probe "8169sc" "180 202b 00a0 103 IO-APIC" --nic rtl8168-180
probe "8168b" "380 2061 0030 120 IO-APIC" --nic rtl8168-380
probe "8168c" "3c0 2061 0030 120 PCI-MSI" --nic rtl8168-3c0
probe "8168evl" "2c8 20e1 0030 120 PCI-MSI" --nic rtl8168-2c8
probe "8168g" "4c0 20e1 0030 120 PCI-MSI" --nic rtl8168-4c0
probe "8168h" "541 20e1 0030 120 PCI-MSI" --nic rtl8168-541
probe "no MSI" "283 2061 0030 120 IO-APIC" --nic rtl8168 --append pci=nomsi
probe "four cards" "283 2061 0030 120 PCI-MSI 4" --nic rtl8168 --count 4
probe "100 Mb/s" "283 2061 0050 103 PCI-MSI" --nic rtl8168 --link 100

# Of every frame of 128 bytes in the log: how long it was on the wire, and when the interrupt for it came. The last two
# frames of the first ping are not alone.
waits() {
	awk '$3 == "write" && $4 == "IntrMitigate" && $5 == "0x0051" { settings++ }
	settings < 2 || $2 !~ /^rtl8168/ || $3 == "write" { next }
	$3 == "send" && $5 == 128 { began[$2] = $1 }
	$3 == "sent" && $5 == 128 { print "sent", $1 - began[$2] }
	$3 == "received" && $5 == 128 { waiting[$2] = $1 }
	$3 == "irq" && $4 == "0x1" && waiting[$2] && $1 - waiting[$2] > 100000 { print "held", $1 - waiting[$2]; waiting[$2] = 0 }' \
		"$1" | sort | uniq -c | awk '{ print $2, $3, $1 }'
}

boot times --nic rtl8168 --name first --events "$scratch/first" test/real/r8169_wait.guest
is "$(waits "$scratch/first" | tr '\n' ';')" "held 200000 104;sent 1088 104;" \
	"the event log: 1088 ns on the wire, 200000 ns to the interrupt, for each of 104 frames"
boot again --nic rtl8168 --name second --events "$scratch/second" test/real/r8169_wait.guest
cmp "$scratch/first" "$scratch/second" >"$scratch/differs"
report $? "two boots have the same event log, to the nanosecond"
cmp "$BUILD/guest/first/console" "$BUILD/guest/second/console" >"$scratch/differs"
report $? "and the same console"
finish
