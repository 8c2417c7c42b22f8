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
	"Take rx-usecs 50" "Each frame has an interrupt of its own" "by their medians" "fewer than six different runs"
check 0 "tune imx8mm rx-usecs=50,500 $poisson --workload 'ping interval=10ms' --goal 'cpu < 25%' --minimise latency" \
	"For udp size=200 rate=20000 pattern=poisson:" "Take rx-usecs 500" "rx-usecs 500 meets the goal here too"
check 0 "tune imx8mm rx-usecs=50,500 --workload 'ping interval=10ms' $poisson --goal 'cpu < 25%' --minimise latency" \
	"Take rx-usecs 50" "BREAKS: rx-usecs 50 misses the goal here, cpu-busy 3"
check 0 "tune imx8mm rx-usecs=20,40 $poisson --assume nonesuch=1 --help" "--goal"
check 5 "tune nonesuch" "2:unknown board" "2:sweep it first"
check 2 "tune" "2:a target is needed"
check 2 "tune imx8mm --board imx8mm" "2:the board is the first word"
check 2 "tune imx8mm --filter source=model" "2:for kept runs"
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
check 0 "tune imx8mm --store $db --minimise latency --filter workload=ping*" "Take rx-usecs 50" "1 run each" "!udp"
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
[ "$(wc -l <"$scratch/many")" -lt 80 ] && grep -q 'more are behind these' "$scratch/many"
report $? "of many settings the table has those that a decision needs"
finish
