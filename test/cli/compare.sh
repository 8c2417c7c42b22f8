#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff compare: what is said of runs of a model, and the command line.
. "$(dirname "$0")/table.sh"
db=$scratch/a.db
for us in 0 100; do
	for seed in 1 2 3 4 5 6 7 8; do
		"$HOLDOFF" simulate --board imx8mm rx-usecs $us --workload 'udp rate=20k pattern=poisson' --duration 50ms --seed $seed \
			--store "$db" --label "seed $seed" >/dev/null
	done
done
"$HOLDOFF" simulate --board imx8mm rx-usecs 100 --workload 'ping interval=1ms' --duration 50ms --store "$db" >/dev/null

check 0 "compare rx-usecs=0 rx-usecs=100 --store $db" "A MODEL imx8mm; rx-usecs 0; 8 runs" "8 runs and 8 runs" "irq-rate /s" \
	"higher (+" "lower (-" "p < 0.001" "ping interval=1ms: only B has it" "adjusted for 6 figures by Holm's method"
check 0 "compare rx-usecs=0 rx-usecs=0 --store $db" "no significant difference, p = 1" "!higher (" "!lower ("
check 0 "compare rx-usecs=0 rx-usecs=100 --filter 'workload=udp*' --store $db" "!ping"
check 6 "compare 1 9 --store $db" "1 run and 1 run" "no interval (-" "One run each: what differs cannot be told from chance"
check 6 "compare 1 rx-usecs=100 --store $db" "Six observations of each are the fewest"
check 0 "compare rx-usecs=0 rx-usecs=100 --json --store $db" '"schema": "holdoff.compare/1"' '"verdict": "higher"' '"n": 8' \
	'"verdict": "only_b"' '"models": 8' '"measured": 0'
check 2 "compare 1 --store $db" "2:two sets of runs are needed"
check 2 "compare 1 2 3 --store $db" "2:two sets are compared"
check 2 "compare 1 99 --store $db" "2:has no run 99"
check 2 "compare 1 rx-usecs=77 --store $db" "2:there is no run for B"
check 2 "compare 1 rx-usec=77 --store $db" "2:did you mean rx-usecs?"
check 2 "compare 1 2 --unit days --store $db" "2:--unit is auto, runs or repeats"
check 2 "compare 1 2 --store $scratch/none.db" "2:No such file"
finish
