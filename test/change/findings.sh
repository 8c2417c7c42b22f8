#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What was found out about real drivers (docs/driver-findings.md): explain, set and lint warn of each, with the number that
# really happens.
. "$(dirname "$0")/with_peer.sh"

# warned BOARD SPEED WORDS PART...: all three warn so; lint has the default speed of a board only.
warned() {
	board=$1 speed=$2 words=$3
	shift 3
	variant=$("$HOLDOFF" explain --board "$board" | sed -n 's/^driver *\([^:]*\):.*/\1/p')
	check 0 "explain --board $board --speed $speed $words" "$@"
	[ "$speed" != "$default_speed" ] || check 1 "lint - --board $board <<X
ethtool -C eth0 $words
X" "$@"
	peer --driver "$variant" --speed "$speed" $device
	try 0 "set lo $words --dry-run" "$@"
}

default_speed=1000
device="--pci-id 0x10ec8168"

# ---- r8169 ----
warned rtl8168d 1000 "rx-usecs 100" "rx-usecs 100 becomes 120us" "the same registers mean 983.04us at 10 Mb/s and 61.44us at 100 Mb/s" \
	"ifdown and ifup lose this: open writes IntrMitigate 0x0000 again, which is no hold-off at all"
warned rtl8168d 10 "rx-usecs 200" "rx-usecs is reported as 205: a later change of another field sets that again and makes it 246"
warned rtl8168d 100 "rx-usecs 1228" "rx-usecs is reported as 1229, which is refused: any later change of another field fails"
warned rtl8168d 100 "rx-usecs 307" "rx-usecs is reported as 308: a later change of another field sets that again and makes it 328"
peer --driver r8169@6.12 --speed 0
try 0 "set lo rx-usecs 100 --dry-run" "there is no link: this was converted for 1000 Mb/s"
# A change that does not name it all the same moves it.
peer --driver r8169@6.12 --speed 10 --set "rx-usecs 200"
try 0 "set lo rx-frames 4" "rx-usecs was 205, reported 246: changed with it"
try 0 "revert lo" "rx-usecs 205"
# Before ifup.
printf '[Match]\nDriver=r8169\n[Link]\nName=lan0\nRxCoalesceSec=100us\n' >"$scratch/10-a.link"
check 1 "lint $scratch/10-a.link --driver r8169@6.12" "ifup loses it: rx-usecs is then 0, not 120"

# ---- fec ----
default_speed=100
device="--clock 132000000 --compatible fsl,imx6ul-fec"
warned imx6ul 100 "rx-usecs 2083000" "rx-usecs 2083000 us wraps to 86.303us: the product of the conversion has 32 bits, 178 ticks remain"
warned imx6ul 100 "tx-usecs 4165869" "tx-usecs 4165869 us wraps to 42.182us"
warned imx6ul 100 "rx-frames 1" "receive coalescing is off: it needs more than one frame, rx-frames is 1 though rx-usecs 1000 is still reported"
warned imx6ul 100 "rx-frames 0" "receive coalescing is off: it needs more than one frame, rx-frames is 0"
warned imx6ul 100 "tx-usecs 0" "transmit coalescing is off: tx-usecs 0 is no tick, though tx-frames 200 is still reported"
# So short a time that it wraps to no tick.
warned imx6ul 100 "rx-usecs 4165827" "rx-usecs 4165827 us wraps to 0ns: the product of the conversion has 32 bits, 0 ticks remain" \
	"receive coalescing is off: rx-usecs 4165827 is no tick"

# ---- tsnep ----
default_speed=1000
device=
warned tsnep 1000 "tx-usecs 100" "tx-usecs 100 is ignored: RX and TX of a queue share one delay, and rx-usecs 64 rules it"
warned tsnep 1000 "rx-usecs 100" "rx-usecs 100 becomes 96"

# A queue that was given another delay is not reached by what the interface reports already.
peer --driver tsnep@6.12 --queues 4
try 0 "set lo queue 2 rx-usecs 240" "queue 2 rx-usecs was 64, requested 240, reported 240: as asked" "!ignored"
try 0 "set lo rx-usecs 64" "queue 2 keeps rx-usecs 240" "already so: nothing was sent"

# ---- e1000e ----
device="--pci-id 0x808610d3"
warned e1000e 1000 "rx-usecs 500" "with MSI-X the next frame may bring back the throttle of mode 3 (49.92us when idle), while 500 is reported" \
	"with MSI-X a reset (MTU, ring size, ethtool -r) brings back the throttle of ifup, 49.92us if idle, while 500 is reported"
warned e1000e 1000 "rx-usecs 0" "with MSI-X rx-usecs 0 does not outlast ifdown and ifup: then there is a throttle of 49.92us, and 0 is still reported"
warned e1000e 1000 "rx-usecs 4" "rx-usecs 4 is no time but a mode: set writes 976562 to the 16 bits of ITR, which is 15118.848us"
# What is reported may have been lost meanwhile, and asking for it again is nothing to the kernel.
peer --driver e1000e@6.1 --pci-id 0x808610d3 --set "rx-usecs 500"
try 0 "set lo rx-usecs 500" "another throttle may be in force than the one that is reported" "already so: nothing was sent"
# Other chips of the driver have one vector, and keep what was set.
peer --driver e1000e@6.1 --pci-id 0x80861502
try 0 "set lo rx-usecs 500 --dry-run" "becomes 499.968us" "!MSI-X"
# A file that is applied before the interface is up is not concerned.
printf '[Match]\nDriver=e1000e\n[Link]\nName=lan0\nRxCoalesceSec=500us\n' >"$scratch/20-b.link"
check 1 "lint $scratch/20-b.link --driver e1000e@6.1" "!MSI-X" "becomes 499.968us"
finish
