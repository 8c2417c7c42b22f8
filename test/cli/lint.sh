#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff lint: what the files of others ask for, and which traps it finds in them.
. "$(dirname "$0")/table.sh"

data=test/data/persist

# The reported files.
check 0 "lint $data/50-good.link" "systemd-link" "driver ena" "rx-usecs 0 tx-usecs 0 adaptive-rx off" "!warning:" "!wrong:"
check 1 "lint $data/51-wrong-key.link" "51-wrong-key.link:5: warning: ReceiveQueues=4096" "RxBufferSize=4096" "rx-usecs 150"
check 0 "lint $data/99-coalesce.rules" "note: on add the rule runs before the link is up" "rx-usecs 0" "!warning:"
check 0 "lint $data/nm_good.nmconnection" "rx-usecs 50 tx-usecs 50 adaptive-rx off" "!nm_good.nmconnection:1"
check 1 "lint $data/nm_bad_bool.nmconnection" "nm_bad_bool.nmconnection:7: wrong:" "must be 0" \
	"nm_bad_bool.nmconnection:8: wrong:" "coalesce-rx-usecs may be meant" "nm_bad_bool.nmconnection:10: wrong:" "!nmconnection:9:"
check 1 "lint $data/netplan_ring_only.yaml" "netplan_ring_only.yaml:7: wrong: coalesce is no key of netplan"
check 1 "lint $data/c_unsupported_netlink.txt" "has no coalescing settings"
check 1 "lint $data/c_no_device_netlink.txt" "no such device"
check 0 "lint $data/c_igb_tab_cqe.txt" "rx-usecs 3 tx-usecs 3"

# Seconds for microseconds.
printf '[Match]\nPermanentMACAddress=02:00:00:00:00:01\n[Link]\nName=lan0\nRxCoalesceSec=100\n' >"$scratch/10-a.link"
check 1 "lint $scratch/10-a.link" "10-a.link:5: warning: RxCoalesceSec=100 has no unit and means seconds: rx-usecs 100000000" \
	"nothing wraps" "RxCoalesceSec=100us is rx-usecs 100" "ethtool rx-usecs 100000000"
sed -i 's/=100$/=5000/' "$scratch/10-a.link"
check 1 "lint $scratch/10-a.link" "wrong: RxCoalesceSec=5000" "5000000000 us do not fit 32 bits" "no coalescing setting has effect"
sed -i 's/=5000$/=100us/' "$scratch/10-a.link"
check 0 "lint $scratch/10-a.link" "ethtool rx-usecs 100 " "!10-a.link:1"

# First match wins, by the names of the files.
cp "$scratch/10-a.link" "$scratch/05-b.link"
check 1 "lint $scratch/10-a.link $scratch/05-b.link" "10-a.link:1: wrong: this file never applies: \"05-b.link\" comes first"

# With a driver: what it rounds, refuses and loses.
check 1 "lint $scratch/10-a.link --driver r8169@6.12" "driver r8169@6.12, as on rtl8168d" "10-a.link:5: warning: r8169@6.12: rx-usecs 100 becomes 120us" \
	"ifup loses it: rx-usecs is then 0, not 120"
check 1 "lint - --board imx8mm <<X
ethtool -C eth0 rx-usecs 100
X" "-:1: warning: fec@old: rx-usecs 100 becomes 99.84us" "!ifup loses"
check 1 "lint - --board imx8mm <<X
ethtool -C eth0 rx-usecs 20000
X" "-:1: wrong: fec@old refuses all of it with EINVAL" "below: 15731"
check 1 "lint - --driver e1000e@6.1 <<X
ethtool -C eth0 rx-usecs 5
X" "refuses all of it with EINVAL" "below: 4; above: 10"
check 1 "lint - --driver e1000e@6.1 <<X
ethtool -C eth0 rx-usecs 32
X" "rx-usecs 32 " "warning: e1000e@6.1: with MSI-X" "!wrong"
# The ioctl of systemd passes a zero for what the driver lacks, ethtool's netlink request is refused with it.
printf '[Match]\nDriver=e1000e\n[Link]\nName=lan0\nRxCoalesceSec=32us\nTxCoalesceSec=0\n' >"$scratch/20-c.link"
check 0 "lint $scratch/20-c.link --driver e1000e@6.1" "rx-usecs 32 tx-usecs 0" "!refuses"
check 1 "lint - --driver e1000e@6.1 <<X
ethtool -C eth0 rx-usecs 32 tx-usecs 0
X" "tx-usecs" "refuses all of it"
check 1 "lint - --board imx6ul --driver fec@6.12 <<X
ethtool -C eth0 rx-usecs 31783
X" "fec@6.12, as on imx6ul" "below: 31782"
# Values that are modes, of drivers without a model.
printf 'ACTION=="change", SUBSYSTEM=="net", DRIVERS=="ixgbevf", RUN+="/usr/sbin/ethtool -C $name rx-usecs 1"\n' >"$scratch/99-d.rules"
check 1 "lint $scratch/99-d.rules" "on ixgbevf rx-usecs 1 is no time but a mode: adaptive"

# And their rules.
check 1 "lint - --driver igb <<X
ethtool -C eth0 rx-usecs 5
X" "driver igb: Linux 6.1 and 6.12" "wrong: igb refuses all of it with EINVAL" "below: 3; above: 10"
check 1 "lint - --driver ice <<X
ethtool -C eth0 rx-usecs 51 adaptive-rx off
X" "warning: ice: rx-usecs 51 becomes 50us"
printf '[Match]\nDriver=igb\n[Link]\nName=lan0\nRxCoalesceSec=10us\nRxMaxCoalescedFrames=0\n' >"$scratch/30-e.link"
check 0 "lint $scratch/30-e.link --driver igb" "rx-usecs 10" "!refuses"

# Against an interface: lo has no settings, wherever this runs.
check 1 "lint $scratch/10-a.link --against lo" "lo has no coalescing settings"
check 1 "lint $scratch/10-a.link --against lo" "10-a.link:5: note: this is for 02:00:00:00:00:01, which lo is not"
check 1 "lint - --against lo <<X
ethtool -C eth0 rx-usecs 100
X" "-:1: note: this is for eth0, which lo is not"
check 1 "lint - --against lo <<X
ethtool -C lo rx-usecs 100
X" "!this is for"
check 5 "lint $scratch/10-a.link --against no-such-nic" "2:no-such-nic"

# The name of a driver is that of its variants.
check 2 "lint $scratch/10-a.link --driver fec" "2:which fec? There are fec@old, fec@seed, fec@6.12"
check 2 "lint $scratch/10-a.link --driver fe" "2:unknown driver"

check 0 "lint $scratch/10-a.link --json" '"schema": "holdoff.lint/1"' '"rx_usecs": 100' '"findings": []' '"format": "systemd-link"'

check 2 "lint" "2:needs a file"
check 2 "lint $scratch/missing.link" "2:missing.link"
check 2 "lint $scratch/10-a.link $scratch/missing.link" "2:missing.link"
check 2 "lint $scratch" "2:$scratch"
echo hello >"$scratch/hello.txt"
check 2 "lint $scratch/hello.txt" "2:neither a .link file"
check 2 "lint - </dev/null" "2:neither a .link file"
printf 'ethtool\0' >"$scratch/nul.sh"
check 2 "lint - <$scratch/nul.sh" "2:standard input is no text"
check 2 "lint $scratch/10-a.link --board imx8mm --against lo" "2:--against finds the driver itself"
check 2 "lint $scratch/10-a.link --netns x" "2:--netns"
check 2 "lint $scratch/10-a.link --driver fec@6.21" "2:fec@6.21"
check 5 "lint $scratch/10-a.link --board imx8mn" "2:did you mean"

finish
