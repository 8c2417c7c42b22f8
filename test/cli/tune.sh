#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff tune: the pick and its reason, every way to have none, what other workloads make of it, and the paragraph for a commit.
. "$(dirname "$0")/table.sh"
db=$scratch/a.db
poisson="--workload 'udp rate=20k size=200 pattern=poisson' --duration 100ms"

# ---- a model
check 0 "tune imx8mm rx-usecs=20,50,100,200,500 $poisson --goal 'one-way-p99 < 300us'" "MODEL imx8mm" "6 settings, 6 runs each" \
	"Take rx-usecs 200: of those that surely meet" "least cpu-busy" "on the front, today's" "Against today's rx-usecs 1000: one-way-p99 -" \
	"rx-usecs 100 instead:" "rx-usecs 500 instead:" "ethtool -C DEV rx-usecs 200" "RxCoalesceSec=200us" \
	"Interrupts gather frames" "No paragraph for a commit message" "!nan"
check 0 "tune imx8mm rx-usecs=20,50,100 $poisson --minimise latency" "Take rx-usecs 20: it has the least one-way-p99"
check 0 "tune imx8mm rx-usecs=20,50,100 $poisson --minimise 'mean one-way'" "Take rx-usecs 20: it has the least one-way-mean"
check 0 "tune imx8mm rx-usecs=20,500 $poisson --goal 'cpu < 30 %'" "Take rx-usecs 500" "least one-way-p99"
check 0 "tune imx8mm rx-usecs=20,100,1000 $poisson" "Take rx-usecs 100: there" "bends most"
check 1 "tune imx8mm rx-usecs=50,100 $poisson --goal 'one-way-p99 < 30us'" "No setting meets" "Nearest to it is rx-usecs 50" "!ethtool -C"
check 2 "tune imx8mm rx-usecs=50,100 $poisson --goal 'one-way-p99 < 30us, one-way-p99 > 40us'" "2:contradicts itself"
check 2 "tune imx8mm --goal 'p99 rtt'" "2:a goal is FIGURE < VALUE"
check 2 "tune imx8mm --goal 'p98 rtt < 1us'" "2:p98 rtt"
check 2 "tune imx8mm --minimise cpuu" "2:cpuu"
check 2 "tune imx8mm --minimise cpu --maximise throughput" "2:one figure can be the best"
check 6 "tune imx8mm rx-usecs=50,100 $poisson --goal 'p99 rtt < 1ms'" "was not observed"
check 6 "tune imx8mm rx-usecs=1000 $poisson" "one setting only" "nothing to choose from"
check 6 "tune imx8mm rx-usecs=1000 $poisson --goal 'one-way-p99 < 10ms'" "one setting only, which meets the goal"
check 0 "tune imx8mm rx-usecs=50,100,200 --workload 'udp rate=max size=18' --duration 100ms --minimise cpu" "Do not bother" \
	"Leave it as it is" "NAPI polls without interrupts at every setting" "!ethtool -C"
check 0 "tune imx8mm rx-usecs=50,500 --workload 'ping interval=10ms' --duration 300ms --goal 'p99 rtt < 2ms' --minimise latency" \
	"Take rx-usecs 50: of those that surely meet" "it has the least rtt-p99, 122" "Each frame has an interrupt of its own" \
	"6 runs each, all alike" "rtt-p99 of 30 samples or more in each run, too few for a percentile" "meets the goal"
check 0 "tune imx8mm rx-usecs=50,500 $poisson --seeds 5 --goal 'one-way-p99 < 2ms' --minimise latency" "Take rx-usecs 50" "by their medians meet" \
	"fewer than six runs"
check 0 "tune imx8mm rx-usecs=50,500 $poisson --workload 'ping interval=10ms' --goal 'cpu < 25%' --minimise latency" \
	"For udp size=200 rate=20000 pattern=poisson:" "Take rx-usecs 500" "rx-usecs 500 meets the goal here too"
check 0 "tune imx8mm rx-usecs=50,500 --workload 'ping interval=10ms' $poisson --goal 'cpu < 25%' --minimise latency" \
	"Take rx-usecs 50" "BREAKS: rx-usecs 50 misses the goal here, cpu-busy 3"
check 0 "tune imx8mm rx-usecs=50,500 $poisson --workload 'ping interval=10ms' --goal 'one-way-p99 < 1ms'" \
	"Whether rx-usecs 500 meets the goal here is not known: one-way-p99 not observed"
check 0 "tune imx8mm rx-usecs=50,500 $poisson --workload 'ping interval=10ms' --minimise cpu" "Take rx-usecs 1000" "!BREAKS" \
	"rx-usecs 1000 is NOT GOOD here, rtt-p99 1084.3 us: rx-usecs 50 has rtt-p99 122"
check 0 "tune imx8mm rx-usecs=50,500 --workload 'ping interval=10ms' $poisson --minimise cpu" "Take rx-usecs 50" \
	"of 3 settings that are as good in that it is the one with the least latency" "rx-usecs 50 is on the front here too"
check 0 "tune imx8mm rx-usecs=50,500 $poisson --goal 'one-way-p99 < 2ms' --minimise 'frames-per-irq'" "Take rx-usecs 50" "frames-per-irq frames"

# ---- the regimes of Andrew Lunn's mail, netdev, 31 July 2024: profiles/scenarios/lunn-*.ini
lunn() { # STATUS WORKLOAD TEXT...
	status=$1
	workload=$2
	shift 2
	check "$status" "tune imx8mm --driver fec@old rx-usecs=100,1000 --workload '$workload' --duration 200ms --warmup 200ms --cpus 1" "$@"
}
lunn 0 voip "Each frame has an interrupt of its own at every setting" "The setting matters to one-way-p99." "whatever is set: cpu-busy" \
	"Take rx-usecs 100: no other is better in one-way-p99, by the medians, and nothing else depends on it"
lunn 6 'udp rate=2k size=172' "at 1 each frame has one of its own: the setting trades latency for CPU time"
lunn 0 'udp rate=max size=18' "NAPI polls without interrupts at every setting: there is none to be held off, and the setting makes no difference" \
	"Do not bother"
lunn 6 'tcp window=256k' "Interrupts gather frames: the setting trades latency for CPU time" "!polls without"
check 0 "tune imx8mm rx-usecs=100,250 --workload 'udp size=64 pattern=burst count=256 every=20ms' --duration 200ms" "!NAPI polls without" \
	"Interrupts gather frames, but it saves no CPU time worth telling"
check 0 "tune imx8mm tx-usecs=20,500 --workload 'udp rate=20k pattern=poisson dir=tx' --duration 50ms --minimise cpu" \
	"Interrupts gather frames: the setting saves CPU time" "Take tx-usecs 1000"
check 0 "tune imx8mm tx-usecs=20,100 --workload 'udp rate=400 dir=tx' --duration 100ms --minimise cpu" \
	"Each frame that is sent has an interrupt of its own at every setting: waiting gathers nothing."
# A closed loop does more when it is faster: then CPU time is told for each frame.
check 0 "tune imx8mm rx-usecs=100,1000 --workload 'ping interval=0' --duration 200ms --minimise cpu" "cpu-per-frame us" "Take rx-usecs 100" \
	"Against today's rx-usecs 1000: rtt-p99 -9"
check 0 "tune imx8mm rx-usecs=100,1000 --workload 'ping interval=0' --duration 200ms --goal 'cpu < 20 %'" "Take rx-usecs 1000" "set to"

check 0 "tune imx8mm rx-usecs=20,40 $poisson --assume nonesuch=1 --help" "--goal"
check 5 "tune nonesuch" "2:unknown board" "2:sweep it first"
check 2 "tune" "2:a target is needed"
check 2 "tune imx8mm --board imx8mm" "2:the board is the first word"
check 2 "tune imx8mm --filter source=model" "2:for kept runs"
check 2 "tune imx8mm rx-usecs=50,100 --cpus 1,2 --workload ping" "2:cpus has 2 values, but only settings can be compared"
check 0 "tune imx8mm rx-usecs=50 --peer imx8mm --peer-set 'rx-usecs 20' --workload rr --duration 20ms --minimise latency" "Take rx-usecs 50"
check 2 "tune imx8mm rx-usecs=$(seq -s, 1 60) rx-frames=$(seq -s, 1 9) --workload ping" "2:at most 511 settings can be compared"
check 2 "tune imx8mm --seeds 0" "2:1 to 60 are possible"
"$HOLDOFF" tune imx8mm tx-usecs-irq=1 --workload ping --duration 50ms >"$scratch/out" 2>&1
[ $? -eq 6 ] && grep -q '6 runs were refused by the driver' "$scratch/out"
report $? "settings that the driver refuses are told, with what is left"

# ---- the commit message
check 2 "tune imx8mm rx-usecs=50,100 $poisson --minimise cpu --commit-message" "2:a commit message stands on measured ones"
check 0 "tune imx8mm rx-usecs=50,100 $poisson --minimise cpu --commit-message --model-draft" "MODEL DRAFT" "MODEL rx-usecs 1000 (now)" \
	"Simulated, not measured"
rows=$("$HOLDOFF" tune imx8mm rx-usecs=50,100 --workload 'udp rate=20k pattern=poisson' --duration 50ms --minimise cpu --commit-message --model-draft | grep '^|' | grep -vc 'MODEL\|---')
[ "$rows" = 0 ]
report $? "MODEL stands in every row of a draft"

# ---- kept runs
for seed in 1 2 3 4 5 6; do
	"$HOLDOFF" sweep --board imx8mm rx-usecs=50,200 --workload 'udp rate=20k pattern=poisson' --workload 'ping interval=10ms' --duration 50ms \
		--seed $seed --store "$db" >/dev/null
	"$HOLDOFF" simulate --board imx8mm --workload 'udp rate=20k pattern=poisson' --duration 50ms --seed $seed --store "$db" >/dev/null
done
check 0 "tune imx8mm --store $db --workload 'udp rate=20k pattern=poisson' --goal 'one-way-p99 < 400us'" "3 settings, 6 runs each" \
	"Take rx-usecs 200" "Against today's rx-usecs 1000"
check 0 "tune imx8mm --store $db --minimise latency --filter workload=ping*" "Take rx-usecs 50" "6 runs each, all alike" "!udp"
check 2 "tune imx8mm --store $db --workload tcp" "2:no run of the workload"
check 2 "tune imx8mm --store $db --workload tpc" "2:tpc"
check 2 "tune imx6q --store $db" "2:has no run of imx6q"
check 2 "tune imx8mm --store $scratch/none.db" "2:No such file"
check 2 "tune imx8mm --store $db rx-usecs=1" "2:kept runs are chosen by --filter"
check 2 "tune imx8mm --store $db --hops 2" "2:--hops is for models"
"$HOLDOFF" tune imx8mm --store "$db" --minimise latency >"$scratch/once"
"$HOLDOFF" tune imx8mm --store "$db" --minimise latency | cmp -s - "$scratch/once"
report $? "the same again to the byte"
"$HOLDOFF" sweep --board imx8mm rx-usecs=50,200 --host cortex-a72 --workload 'ping interval=10ms' --duration 50ms --store "$db" >/dev/null
check 0 "tune imx8mm --store $db --minimise latency" "2 runs of other machines, drivers, hosts"

# Threads come to an end in any order.
for jobs in 1 2 7; do
	"$HOLDOFF" tune imx8mm rx-usecs=0,50,100 --workload 'udp rate=20k pattern=poisson' --duration 50ms --jobs $jobs --json >"$scratch/$jobs"
done
cmp -s "$scratch/1" "$scratch/2" && cmp -s "$scratch/1" "$scratch/7"
report $? "the answer does not depend on the number of jobs"
"$HOLDOFF" tune imx8mm rx-usecs="$(seq -s, 0 5 300)" --workload 'ping interval=1ms' --duration 20ms --minimise latency >"$scratch/many"
[ "$(wc -l <"$scratch/many")" -lt 80 ] && grep -q 'more are behind these or equal' "$scratch/many"
report $? "of many settings the table has those that a decision needs"
finish
