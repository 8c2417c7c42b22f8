#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff tune of measured runs: a tap interface with a NIC whose hold-off is known at its other end (test/fake/nic.c). What the
# interface is set to is kept with each run, what the NIC does is the fake's: 10 ms as it is, nothing with the deferral set.
needs_tap=yes
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/fake
mount -t sysfs none /sys
HOLDOFF_STATE_DIR=$scratch/journal
export HOLDOFF_STATE_DIR
mkdir -m 755 "$HOLDOFF_STATE_DIR"
store=$scratch/runs.db
workload='ping interval=0'

ran() { # STATUS TEXT: 6 is fine, other programs were busy too
	[ "$1" -eq 0 ] || [ "$1" -eq 6 ]
	report $? "$2"
	sed 's/^/# /' "$scratch/err"
}

fake holdoff=10ms
for run in 1 2 3 4 5 6; do
	"$HOLDOFF" measure t0 --peer-host 10.2.0.2 --workload "$workload" --duration 150ms --warmup 0 --repeat 1 --store "$store" >/dev/null 2>"$scratch/err"
	ran $? "measured as it is, run $run"
done
stop_fake
fake
"$HOLDOFF" sweep t0 gro-flush-timeout=20000 --peer-host 10.2.0.2 --workload "$workload" --duration 150ms --warmup 0 --repeat 6 --store "$store" \
	>/dev/null 2>"$scratch/err"
ran $? "swept with the deferral set"
stop_fake

kept="tune t0 --store $store --filter role!=control"
check 0 "$kept --minimise latency" "t0, driver tun, " "2 settings, 6 runs each; rtt-p99 of" "gro-flush-timeout 0 defer-hard-irqs 0 " ", today's" \
	"Take gro-flush-timeout 20000 defer-hard-irqs 0: it has the least rtt-p99" "Against today's gro-flush-timeout 0 defer-hard-irqs 0: rtt-p99 -1" \
	"The setting matters to rtt-p99" "holdoff set t0 gro-flush-timeout 20000 defer-hard-irqs 0" "No such file keeps gro-flush-timeout" \
	"For a commit message:" "!MODEL" "!Simulated"
check 0 "$kept --goal 'rtt-p50 < 9ms' --commit-message" "gro-flush-timeout 20000 defer-hard-irqs 0, workload \"ping interval=0ns\":" \
	"| setting | n | rtt-p50 (us) | " "| gro-flush-timeout 0 defer-hard-irqs 0 (now) | 6 | 1" "| gro-flush-timeout 20000 defer-hard-irqs 0 (new) | 6 | " \
	"Linux $(uname -r)" "exact 95 % intervals" "Against gro-flush-timeout 0 defer-hard-irqs 0: rtt-p50 -1" "!MODEL" "!ethtool"
check 1 "$kept --goal 'rtt-p50 < 100ns' --commit-message" "No setting meets \"rtt-p50 < 100ns\"" "!(new)"
check 6 "tune t0 --store $store --filter role=cell --goal 'rtt-p50 < 9ms'" "There is one setting only, which meets the goal"

# All of it is the interface's, whatever a model of the same workload says.
"$HOLDOFF" simulate --board imx8mm --workload "$workload" --duration 20ms --store "$store" >/dev/null
check 0 "$kept --minimise latency" "Take gro-flush-timeout 20000" "!imx8mm"
finish
