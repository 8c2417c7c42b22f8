#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff sweep: grids, formats, refusals as rows, plans that are too long, and what becomes of nonsense.
. "$(dirname "$0")/table.sh"

small='--duration 100ms --workload "ping interval=10ms"'
check 0 "sweep --board imx8mm rx-usecs=100,1000 $small" "MODEL holdoff" "ping interval=10ms on imx8mm at 1000 Mb/s with fec@old" "rx-usecs 100 " "rx-usecs 1000 " \
	"latency is the round trip" "0 MODEL cortex-a53, fitted on tsnep" "All rows: duration 100ms."
check 0 "sweep --board imx8mm --set 'rx-usecs 100 tx-usecs 50' $small" "rx-usecs 100 tx-usecs 50 10 " "!defaults"
check 0 "sweep --board imx8mm --assume fec-rx-scale=900000 --hops 1 $small" "All rows: hops 1, assume fec-rx-scale=900000, duration 100ms."
check 0 "sweep --board imx8mm --peer e1000e,ideal:300us~10us,280us..340us $small" "peer e1000e " "peer ideal:300us~10us,280us..340us "
check 0 "sweep --board imx8mm rx-usecs 100,1000 tx-usecs=50,60 $small" "rx-usecs 100 tx-usecs 50 " "rx-usecs 1000 tx-usecs 60 "
check 0 "sweep --board imx8mm $small" "defaults 10 "
check 0 "sweep --board imx8mm --speed 100,1000 $small" "speed 100 " "speed 1000 "
check 0 "sweep --board imx8mm,imx8qxp $small" "board imx8mm " "board imx8qxp " "ping interval=10ms at 1000 Mb/s"
check 0 "sweep --board e1000e gro-flush-timeout 0,20000 defer-hard-irqs 1 $small" "gro-flush-timeout 20000 defer-hard-irqs 1 "
check 0 "sweep --board imx8mm $small --workload voip" "ping interval" "voip on imx8mm" "latency is one way"
check 0 "sweep --help" "usage: holdoff sweep" "--plan NAME|FILE" "window=262144 mss=1448"
check 0 "help --help" "--list KIND" "kinds of names:" " workloads"
check 2 "help --list host" "2:did you mean hosts?"

# What a driver refuses is a row.
check 0 "sweep --board imx8mm rx-usecs 100,100000 $small" "rx-usecs 100000 refused, EINVAL MODEL cortex-a53, fitted on tsnep fec@old: " "rx-usecs 100 10 "
check 0 "sweep --board macb rx-usecs 100 $small" "refused, EOPNOTSUPP MODEL" "macb@6.1 has no" "!macb@6.1: "

# Formats: the mark in the heading and in every row.
for format in text markdown csv json; do
	check 0 "sweep --board imx8mm rx-usecs 100,1000 --format $format $small" "MODEL" "host cortex-a53: "
	"$HOLDOFF" sweep --board imx8mm rx-usecs 100,1000 --format $format --duration 100ms --workload voip >"$scratch/table"
	marking='MODEL holdoff.*host cortex-a53: '
	[ "$format" != text ] || marking='  MODEL cortex-a53, fitted on tsnep$'
	rows=$(grep 'rx-usecs 1' -B 8 "$scratch/table" | grep -c "$marking")
	[ "$rows" -ge 2 ]
	report $? "$format: every row says MODEL and the host"
done
if command -v python3 >/dev/null; then
	"$HOLDOFF" sweep --board imx8mm rx-usecs 100,100000 --format json --duration 100ms --workload voip | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
assert len(rows) == 2 and rows[1]["errno"] == "EINVAL" and rows[0]["one_way_ns"]["count"] > 0'
	report $? "json: well-formed, with a refusal"
	"$HOLDOFF" sweep --board imx8mm rx-usecs 100,100000 --format csv --duration 100ms --workload voip | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin, strict=True))
assert len(rows) == 2 and rows[1]["errno"] == "EINVAL" and rows[0]["latency"] == "one-way" and None not in rows[0]'
	report $? "csv: well-formed, with a refusal"
else
	report 0 "json and csv are well-formed # SKIP python3 is not installed"
fi

# The table does not depend on who was first.
grid='rx-usecs 0,100,250,1000 --duration 200ms --workload voip --workload "udp rate=50k pattern=poisson" --workload tcp --format json'
eval "\"\$HOLDOFF\" sweep --board imx8mm $grid --jobs 1" >"$scratch/one"
for jobs in 2 3 16; do
	eval "\"\$HOLDOFF\" sweep --board imx8mm $grid --jobs $jobs" >"$scratch/many"
	cmp -s "$scratch/one" "$scratch/many" && [ -s "$scratch/one" ]
	report $? "the same table with $jobs jobs as with one"
done

# Plans.
printf '[sweep]\nboard = imx8mm\nrx-usecs = 100,200\nduration = 100ms\n[workload]\na = voip\nb = ping interval=10ms\n' >"$scratch/plan.ini"
check 0 "sweep --plan $scratch/plan.ini" "voip on imx8mm" "ping interval=10ms" "rx-usecs 100 " "rx-usecs 200 "
check 0 "sweep --plan $scratch/plan.ini --board imx8qxp rx-usecs=300" "imx8qxp" "rx-usecs 300 " "!rx-usecs 100 "
check 0 "sweep --plan $scratch/plan.ini --workload voip" "voip" "!ping"
check 0 "sweep --board imx8mm rx-usecs 1000 --duration 10ms --warmup 0s" "pattern=poisson" "pattern=burst" "tcp" "tftp" "voip" "rate=max"

# A plan that would run for days.
check 2 "sweep --board imx8mm --workload 'udp rate=max size=18' --duration 30d --jobs 1" "2:run for about 8 days" "2:--yes"
check 2 "sweep --board imx8mm rx-usecs 1,2,3,4,5,6,7,8 --workload tcp --duration 1d --jobs 2" "2:hours" "2:--yes"
check 2 "sweep --board e1000e gro-flush-timeout 1 defer-hard-irqs 2147483647 --workload 'ping interval=1h' --duration 30d --jobs 1" "2:hours" "2:--yes"

# A file appears whole or not at all.
check 0 "sweep --board imx8mm --format csv --output $scratch/table.csv $small" "!MODEL"
[ "$(grep -c MODEL "$scratch/table.csv")" -eq 2 ]
report $? "the table is in the file"
check 2 "sweep --board imx8mm --output $scratch/none/table.csv $small" "2:cannot write"
check 2 "sweep --board imx8mm --output $scratch $small" "2:no regular file"
check 2 "sweep --board imx8mm --output /dev/full $small" "2:no regular file"
before=$(ls "$scratch" | wc -l)
(ulimit -f 0; trap '' XFSZ; exec "$HOLDOFF" sweep --board imx8mm --output "$scratch/large.csv" --workload voip --duration 10ms) 2>"$scratch/err2"
[ $? -eq 2 ] && [ ! -e "$scratch/large.csv" ] && [ "$(ls "$scratch" | wc -l)" -le $((before + 1)) ]
report $? "a file that cannot be written leaves nothing behind"
"$HOLDOFF" sweep --board imx8mm --workload voip --duration 10ms >/dev/full 2>"$scratch/err"
[ $? -eq 2 ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ]
report $? "a full disk: exit status 2 and a sentence"

# An interrupt leaves no file.
"$HOLDOFF" sweep --board imx8mm --workload "udp rate=max size=18" --duration 1h --yes --jobs 1 --output "$scratch/late.csv" >"$scratch/out" 2>&1 &
pid=$!
kill -INT $pid 2>/dev/null || :
kill -TERM $pid 2>/dev/null
wait $pid 2>/dev/null
[ $? -gt 128 ] && [ ! -e "$scratch/late.csv" ] && [ ! -s "$scratch/out" ]
report $? "an interrupted sweep leaves nothing behind"

# Nonsense.
check 2 "sweep" "2:no board is given"
check 5 "sweep --board imx8mn $small" "2:did you mean imx8mm?"
check 5 "sweep --plan defualt --board imx8mm" "2:did you mean default?"
check 2 "sweep --board imx8mm rx-usecs= $small" "2:a value is missing"
check 2 "sweep --board imx8mm rx-usecs=1,,2 $small" "2:a value is missing"
check 2 "sweep --board imx8mm rx-usecs=1,1 $small" "2:twice"
check 2 "sweep --board imx8mm rx-usecs=1 rx-usecs=2 $small" "2:rx-usecs is given twice"
check 2 "sweep --board imx8mm rx-frame-low 1 rx-frames-low=2 $small" "2:rx-frames-low is given twice"
check 2 "sweep --board e1000e gro-flush-timeout 1 gro-flush-timeout=2 $small" "2:given twice"
check 2 "sweep --board imx8mm rx-usecs $small" "2:rx-usecs needs a value"
check 2 "sweep --board imx8mm rx-usec=1 $small" "2:did you mean rx-usecs?"
check 2 "sweep --board imx8mm rx-usecs=1,x $small" "2:rx-usecs"
check 2 "sweep --board imx8mm rx-usecs=1,-2 $small" "2:negative"
check 2 "sweep --board imx8mm --workload pong" "2:did you mean ping?"
check 2 "sweep --board imx8mm --jobs 0 $small" "2:jobs 0"
check 2 "sweep --board imx8mm --jobs 1e3 $small" "2:jobs"
check 2 "sweep --board imx8mm --format jsno $small" "2:did you mean json?"
check 2 "sweep --board imx8mm --duration 0s --workload voip" "2:duration"
check 2 "sweep --plan ./no-such.ini" "2:no-such.ini"
printf '[sweep]\nboard = imx8mm\nrx-usecs = 1,\n' >"$scratch/bad.ini"
check 2 "sweep --plan $scratch/bad.ini" "2:bad.ini:3: rx-usecs: a value is missing"
printf '[sweep]\nboard = imx8mm\n[workload]\na = pong\n' >"$scratch/bad.ini"
check 2 "sweep --plan $scratch/bad.ini" "2:bad.ini:4: " "2:did you mean ping?"
printf '[sweep\nboard = imx8mm\n' >"$scratch/bad.ini"
check 2 "sweep --plan $scratch/bad.ini" "2:bad.ini:1: "
printf '[sweep]\nboard = imx8mm\n' >"$scratch/bad.ini"
check 2 "sweep --plan $scratch/bad.ini" "2:no workload is given"

finish
