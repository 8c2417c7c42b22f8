#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What people have reported about settings of real drivers, retold: what show, set, lint and emit say of them now. The peer keeps what it is
# given and bears the driver's name; texts are those of test/data/persist, whose README.md names their sources.
. "$(dirname "$0")/with_peer.sh"

data=test/data/persist
all=rx-usecs,rx-frames,rx-usecs-irq,rx-frames-irq,tx-usecs,tx-frames,tx-usecs-irq,tx-frames-irq
adaptive=rx-usecs,tx-usecs,adaptive-rx,adaptive-tx

# ---- what the numbers mean ----
# Frames late by hundreds of us, though every setting is the least that there is: it is not coalescing (SOEM, a tg3).
peer --driver store@tg3 --supported $all --set "rx-usecs 1 rx-frames 1 rx-usecs-irq 0 rx-frames-irq 5 tx-usecs 1 tx-frames 1 tx-usecs-irq 0 tx-frames-irq 5"
try 0 "show lo" "rx none: an interrupt at once" "tx none: an interrupt at once" "worst delay rx 0ns, tx 0ns"
# "rx-usecs 1" on a virtual function is a mode (scylladb); on a tg3 it is 1us.
peer --driver store@ixgbevf --supported rx-usecs,tx-usecs --set "rx-usecs 1"
try 0 "show lo" 'rx mode "adaptive"' "usecs 1 is a mode, adaptive, not a time of 1us" "!hold-off 1us"
peer --driver store@tg3 --supported rx-usecs,tx-usecs --set "rx-usecs 1"
try 0 "show lo" "rx hold-off 1us" "!rx mode"
# igb shows tx-usecs 0 or 3: one timer all the same (intel-wired-lan, 2023).
for shown in 0 3; do
	peer --driver store@igb --supported rx-usecs,tx-usecs --set "rx-usecs 3 tx-usecs $shown"
	try 0 "show lo" 'rx mode "dynamic, conservative": 49us to 375us' 'tx mode "dynamic, conservative": 49us to 375us'
done
try 1 "set lo rx-usecs 10 tx-usecs 20 --dry-run" "refuses it with EINVAL" "queues are paired: one timer serves" "queues in pairs have one timer: tx-usecs is that of rx-usecs"
peer --driver store@vmxnet3 --supported rx-usecs,adaptive-rx --set "rx-usecs 250"
try 0 "show lo" "rx hold-off 250us"
# r8169 defers in software, which ethtool does not show (genode, 2022); without a count of interrupts the time is not used.
peer --driver r8169@6.12 --napis 1
try 0 "set lo napi 8193 gro-flush-timeout 20000" "reported 20us"
try 0 "show lo" "gro-flush-timeout without defer-hard-irqs: interrupts are as ever"
try 0 "set lo napi 8193 defer-hard-irqs 1" "reported 1"
try 0 "show lo" "a timer polls each 20us until 1 in a row found none" "worst delay rx 20us, tx 20us"
try 0 "revert lo" "defer-hard-irqs 0" "gro-flush-timeout 0"

# ---- ranges and rounding ----
peer --driver store@iavf --supported $adaptive --set "rx-usecs 50"
try 1 "set lo rx-usecs 9000" "refused" "the driver takes 0 to 8160"
peer --driver store@ice --supported $adaptive
try 0 "set lo rx-usecs 51 --dry-run" "rx-usecs 51 becomes 50us" "times go down to a multiple of 2us"
peer --driver store@am65-cpsw-nuss --supported rx-usecs,tx-usecs
try 1 "set lo tx-usecs 5" "below the 20us"
try 0 "set lo tx-usecs 100 --dry-run" "acts on transmit queue 0 only"
peer --driver "store@TI DaVinci EMAC" --supported rx-usecs --set "rx-usecs 9"
try 0 "set lo rx-usecs 0 --dry-run" "refused 0 before 2021"
peer --driver store@be2net --supported rx-frames,rx-usecs-low,rx-usecs-high,adaptive-rx
try 0 "set lo rx-frames 1 --dry-run" "this turns LRO off"
try 1 "set lo rx-usecs-low 40 rx-usecs-high 8" "rx-usecs-low 40 is above rx-usecs-high 8"

# ---- only what was asked for, and only what there is ----
# Setting rx-usecs switched adaptive off along with it (vyos): here that has to be asked for.
peer --driver store@iavf --supported $adaptive --set "rx-usecs 5 adaptive-rx on"
try 1 "set lo rx-usecs 50" 'ask for "adaptive-rx off" with it'
try 0 "set lo rx-usecs 50 adaptive-rx off" "verdict changed"
sent 1 "coalesce-set"
sent 1 "coalesce-set rx-usecs 50 adaptive-rx off ="
try 0 "revert lo" "adaptive-rx on"
# i40e reports frames-irq 256 that never did anything: it is sent neither with a change nor with what puts it back.
peer --driver store@i40e --supported $adaptive,rx-frames-irq,tx-frames-irq --set "rx-usecs 50 rx-frames-irq 256 tx-frames-irq 256 adaptive-rx on adaptive-tx on"
try 0 "set lo adaptive-rx off adaptive-tx off rx-usecs 62 tx-usecs 122" "requested 62, reported 62: as asked" "requested 122, reported 122: as asked"
try 0 "revert lo" "adaptive-rx on" "adaptive-tx on"
sent 0 "256"
try 0 "emit --format ethtool lo adaptive-rx off adaptive-tx off rx-usecs 62 tx-usecs 122" "ethtool -C lo rx-usecs 62 tx-usecs 122 adaptive-rx off adaptive-tx off"
# "Unknown error 524" and its like: the setting is named beforehand.
peer --driver store@igb --supported rx-usecs,tx-usecs --set "rx-usecs 3"
try 3 "set lo rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1" "2:lo (igb) has no rx-frames"
peer --driver store@ena --supported rx-usecs,tx-usecs
try 3 "set lo adaptive-rx on" "2:lo (ena) has no adaptive-rx"
peer --driver store@mcp251xfd --supported rx-usecs-irq,rx-frames-irq,tx-usecs-irq,tx-frames-irq
try 3 "set lo rx-usecs 50" "2:the nearest that it has is rx-usecs-irq"
[ -z "$(ip -o link show lo up 2>/dev/null)" ] || try 1 "set lo rx-usecs-irq 10000" "bring it down first"
for words in "adpative-rx on:adaptive-rx" "rx-usec 3:rx-usecs" "rx-frame 3:rx-frames"; do
	try 2 "set lo ${words%:*}" "2:did you mean ${words#*:}"
done
# A queue's 0 is a value like others.
peer --driver virtio --queues 2 --set "rx-usecs 222"
try 0 "set lo queue 1 rx-usecs 0" "queue 1 rx-usecs was 222, requested 0, reported 0: as asked"
try 0 "revert lo" "queue 1 rx-usecs 222"
empty

# ---- texts ----
try 0 "lint $data/c_igb_tab_cqe.txt" "rx-usecs 3 tx-usecs 3"
try 0 "lint $data/c_virtio_frames_only_tab_aggr.txt" "rx-frames 23"
try 0 "lint $data/c_vmxnet3_grep.txt" "ethtool rx-usecs 250 adaptive-rx off adaptive-tx off"
try 0 "lint $data/c_mcp251xfd_nlcqe.txt" "rx-usecs-irq 10000 rx-frames-irq 32 tx-usecs-irq 0 tx-frames-irq 1" "!rx-usecs 0"
try 0 "lint $data/c_be2net_ranges_ioctl.txt" "rx-usecs-high 128" "tx-usecs-high 128"
try 0 "lint $data/c_all_zero_ioctl.txt" "a 0 in it may also mean that the driver has no such setting"
try 1 "lint $data/c_unsupported_netlink.txt" "the driver has no coalescing settings" "no error of the text"
try 1 "lint $data/c_unsupported_ioctl.txt" "the driver has no coalescing settings" "no error of the text"
try 1 "lint $data/c_no_device_netlink.txt" "there is no such device"
try 1 "lint $data/err_set_524.txt" "error 524 is the kernel's ENOTSUPP" "often rx-frames or tx-frames"
try 1 "lint $data/err_set_typo_old.txt" "did you mean adaptive-rx"
try 1 "lint $data/err_set_typo_netlink.txt" "did you mean adaptive-rx"
try 0 "lint $data/50-good.link" "rx-usecs 0 tx-usecs 0 adaptive-rx off"
try 1 "lint $data/51-wrong-key.link" "rx-usecs 150" "RxBufferSize=4096 is the ring"
try 0 "lint $data/99-coalesce.rules" "before the link is up"
try 0 "lint $data/nm_good.nmconnection" "rx-usecs 50"
try 1 "lint $data/nm_bad_bool.nmconnection" "here it must be 0" "coalesce-rx-usecs may be meant" "nothing negative is allowed" "!ring-rx"
try 1 "lint $data/netplan_ring_only.yaml" "coalesce is no key of netplan"
try 0 "emit --format networkmanager lo adaptive-rx off rx-usecs 50" "coalesce-rx-usecs=50" "coalesce-adaptive-rx=0"
"$HOLDOFF" emit adaptive-rx off rx-usecs 0 tx-usecs 0 2>/dev/null | "$HOLDOFF" lint - >"$scratch/out" 2>&1
grep -q "ethtool *rx-usecs 0 tx-usecs 0 adaptive-rx off$" "$scratch/out"
report $? "what emit writes asks for what 50-good.link does"

finish
