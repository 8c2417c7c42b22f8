#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff report: its four formats, what is said when there is little to say, names that would be markup, and the command line.
. "$(dirname "$0")/table.sh"
db=$scratch/a.db

grid() { # FILE SETTINGS WORKLOAD ...
	file=$1 settings=$2
	shift 2
	for workload; do
		"$HOLDOFF" sweep --board imx8mm "$settings" --workload "$workload" --duration 50ms --store "$file" >/dev/null
	done
}
grid "$db" rx-usecs=20,100,500 'udp rate=20k' 'udp rate=2k' 'udp pattern=burst count=16 every=2ms' 'ping interval=2ms'

check 0 "report --store $db --markdown" "12 runs, computed by a MODEL: nothing here was measured" "## MODEL imx8mm" "### udp rate=20000" \
	"| MODEL | udp rate=20000 | bends at rx-usecs 100 |" "| MODEL | ping interval=2ms | best: rx-usecs 20 |" \
	"| MODEL | rx-usecs 100 | 1 |" "; taken 20" " UTC." "| hold-off 9" "The 99th percentile one way: from" "Of 3 settings" "from six seeds on" "## To repeat it" \
	"holdoff sweep --board imx8mm" "holdoff report --store" "!no significant difference"
check 0 "report --store $db --csv" 'source,subject,workload,setting' '"MODEL","MODEL imx8mm, driver fec@old' '"ping interval=2ms","rx-usecs 500",1,0,"round trip",'
check 0 "report --store $db --json" '"schema": "holdoff.report/1"' '"words": "rx-usecs 20"' '"effective_rx_kind": "hold-off"' '"place": "front"'
check 0 "report --store $db --filter rx-usecs=20 --markdown" "One setting only: there is nothing to choose from" "4 runs"

# The file is there whole, and is what standard output would be.
"$HOLDOFF" report --store "$db" -o "$scratch/a.html" 2>"$scratch/err"
report $? "report -o writes a page"
sed 's/ -o [^<]*//' "$scratch/a.html" >"$scratch/a.cut"
"$HOLDOFF" report --store "$db" | cmp -s - "$scratch/a.cut"
report $? "which is the same as on standard output"

# One file that loads nothing: no address that a browser would follow by itself.
! grep -Eq 'src=|url\([^#]|@import|<script|<link|href="h' "$scratch/a.html"
report $? "the page loads nothing"

if command -v gnuplot >/dev/null; then
	[ "$(grep -c '<svg' "$scratch/a.html")" -ge 16 ]
	report $? "four workloads have four plots each"
	grep -o " id=['\"][^'\"]*" "$scratch/a.html" | sort | uniq -d >"$scratch/twice"
	[ ! -s "$scratch/twice" ]
	report $? "no name stands for two things in it"
	for caption in "What latency costs" "Latency by setting" "Where the time goes" "Receive: what was asked for" "CPU time, % of one CPU, by rate"; do
		grep -q "$caption" "$scratch/a.html"
		report $? "a plot: $caption"
	done
else
	report 0 "plots # SKIP gnuplot is not installed"
fi
env PATH=/nonexistent "$HOLDOFF" report --store "$db" >"$scratch/out" 2>"$scratch/err"
report $? "a page without gnuplot"
grep -q "No plots: gnuplot is not installed" "$scratch/out" && grep -q "<table class=.settings" "$scratch/out" && ! grep -q "<svg" "$scratch/out"
report $? "says so, and has the rest"

# Names that would be markup, or code for the program that draws.
cp "$db" "$scratch/hostile.db"
sed 's/^name = .*//' profiles/boards/imx8mm.ini >"$scratch/<b>\`id\`\"'&.ini"
"$HOLDOFF" simulate --board "$scratch/<b>\`id\`\"'&.ini" rx-usecs 33 --workload 'udp rate=20k' --duration 50ms --store "$scratch/hostile.db" \
	--label '</pre><script>alert(1)</script>' >/dev/null
"$HOLDOFF" report --store "$scratch/hostile.db" >"$scratch/hostile.html"
grep -q '&lt;script&gt;alert(1)' "$scratch/hostile.html" && ! grep -q '<script\|<b>' "$scratch/hostile.html"
report $? "what would be markup is text"
"$HOLDOFF" report --store "$scratch/hostile.db" --markdown | grep -v '^    ' | grep -q '[^\\][<>`]'
[ $? -eq 1 ]
report $? "in Markdown it is text too"

# Six seeds have intervals; the same seed again counts once.
for seed in 1 2 3 4 5 6 6; do
	for us in 20 200; do
		"$HOLDOFF" simulate --board imx8mm rx-usecs $us --workload 'udp rate=20k pattern=poisson' --duration 50ms --seed $seed \
			--store "$scratch/seeds.db" >/dev/null
	done
done
check 0 "report --store $scratch/seeds.db --markdown" "2 runs of a model gave the same figures again" " to " "| 6 |" "!from six seeds on"
check 0 "report --store $scratch/seeds.db --json" '"low":' '"same_again_left_out": 2'

check 2 "report --store $scratch/none.db" "2:No such file"
check 2 "report --store $db --filter rx-usecs=77" "2:has no run that fits the filter"
check 2 "report --store $db --filter rx-usec=77" "2:did you mean rx-usecs?"
check 2 "report --store $db --csv --json" "2:a page has one format"
check 2 "report --store $db eth0" "2:unexpected word \"eth0\""
check 2 "report --store $db -o $scratch/none/a.html" "2:cannot write"
check 2 "report --store $db -o /dev/full" "2:is no regular file: without --output the page goes to standard output"
check 2 "report --store $db >/dev/full" "2:No space left"
finish
