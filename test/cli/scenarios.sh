#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff scenarios: the list, verdicts and their exit status, and malformed files. What the built-in scenarios come to is
# for holdoff scenarios check to say.
. "$(dirname "$0")/table.sh"

# scenario NAME LOW HIGH [LINE...]: a file with one expectation of the interrupt rate of voip, which is 500/s, and lines added to it.
scenario() {
	file=$scratch/$1.ini
	printf '[scenario]\ntitle = t\nsource = s\nboard = imx8mm\nworkload = voip\nduration = 1s\n' >"$file"
	printf '[expect rate]\nwhat = irq-rate\nvalue = 500\nlow = %s\nhigh = %s\nkind = predict\nsource = s\n' "$2" "$3" >>"$file"
	shift 3
	for line; do
		echo "$line" >>"$file"
	done
}

check 0 "scenarios" "fec-imx8qxp-1000 " "tftp-imx8mp-fec " "tsnep-64 " "r8169-413-82 " "lunn-voip-100 "
check 0 "scenarios --json" '"schema": "holdoff.scenarios/1"' '"name": "fec-imx8qxp-1000"'
check 0 "scenarios check lunn-voip-100" "lunn-voip-100: " "MODEL imx8mm with fec@old at 1000 Mb/s, host cortex-a53: " "model choices fec-timer-clock=0" \
	"workload voip to ideal:0ns, 0 switches between; rx-usecs 100; 10s; 4 CPUs" \
	"irq-rate predict 500 /s +/- 1 % 500 /s +0.0 % ok" "difference of cpu-busy to lunn-voip-1000" "!lunn-voip-1000: "
check 0 "scenarios check lunn-voip-100 --json" '"verdict": "ok"' '"unit": "/s"' '"got": 500.000' '"error_percent": 0.000' '"verdicts"'
check 0 "scenarios --help" "usage: holdoff scenarios"

scenario hit 490 510
check 0 "scenarios check $scratch/hit.ini" " ok" "1 ok, 0 MISS"
scenario miss 300 400
check 1 "scenarios check $scratch/miss.ini" " MISS" "0 ok, 1 MISS"
scenario known 300 400 "known-miss = 501, for a reason"
check 0 "scenarios check $scratch/known.ini" " known miss" "recorded as 501 /s: for a reason" "1 known misses, 0 CHANGED"
scenario changed 300 400 "known-miss = 505, for a reason"
check 1 "scenarios check $scratch/changed.ini" " CHANGED" "0 known misses, 1 CHANGED"
scenario claim 300 400
sed -i 's/^kind = .*/kind = claim/' "$scratch/claim.ini"
check 0 "scenarios check $scratch/claim.ini" "claim is false" "0 claims true, 1 false"
scenario report 300 400
sed -i 's/^kind = .*/kind = report/' "$scratch/report.ini"
check 0 "scenarios check $scratch/report.ini" "1 reported"
scenario candidate 490 510 "[candidate slow]" "set = rx-usecs 10" "workload = udp rate=200" "note = another workload"
check 0 "scenarios check $scratch/candidate.ini" "candidate slow: another workload" "candidate slow 200 /s" "1 ok"
scenario unobserved 490 510
sed -i 's/^what = .*/what = rtt-mean/; s/^\(value\|low\|high\) = .*/\1 = 1ms/' "$scratch/unobserved.ini"
check 1 "scenarios check $scratch/unobserved.ini" "not observed" "1 MISS"
check 0 "scenarios check $scratch/hit.ini" "figure irq-rate" "published 500 /s: s"
"$HOLDOFF" scenarios check fec-imx8qxp-1000 tsnep-64 | awk 'length > 101 { bad = 1 } END { exit bad || NR < 30 }'
report $? "a page of at most 101 columns"
check 1 "scenarios check $scratch/hit.ini $scratch/miss.ini" "hit: t" "miss: t" "1 ok, 1 MISS"
scenario ratio 1 1
sed -i 's/^what = .*/what = ratio:irq-rate/; s/^value = .*/value = 1/' "$scratch/ratio.ini"
echo "compare = lunn-voip-100" >>"$scratch/ratio.ini"
check 0 "scenarios check $scratch/ratio.ini" "ratio of irq-rate to lunn-voip-100" "1 ok"

if command -v python3 >/dev/null; then
	"$HOLDOFF" scenarios check "$scratch/candidate.ini" "$scratch/known.ini" --json | python3 -c '
import json, sys
document = json.load(sys.stdin)
first, second = document["scenarios"]
assert first["rows"][0]["candidates"] == [{"name": "slow", "got": 200.0}]
assert second["rows"][0]["known_miss"] == 501.0 and document["verdicts"]["known_miss"] == 1 and "other" not in second["rows"][0]'
	report $? "json: well-formed, with candidates and a known miss"
else
	report 0 "json: well-formed # SKIP python3 is not installed"
fi

# Nonsense.
check 2 "scenarios chekc" "2:check"
check 5 "scenarios check fec-imx8mm-pink" "2:did you mean fec-imx8mm-ping?"
check 2 "scenarios check ./no-such.ini" "2:no-such.ini"
check 2 "scenarios check /dev/null/x" "2:/dev/null/x"
check 2 "scenarios check $scratch" "2:$scratch"
: >"$scratch/empty.ini"
check 2 "scenarios check $scratch/empty.ini" "2:[scenario] lacks title"
scenario bad 510 490
check 2 "scenarios check $scratch/bad.ini" "2:bad.ini:8: low is above high"
scenario bad 490 51o
check 2 "scenarios check $scratch/bad.ini" "2:bad.ini:11: high"
scenario bad 490 510 "known-miss = 500, it is none"
check 2 "scenarios check $scratch/bad.ini" "2:no miss"
scenario bad 490 510 "value = 500"
check 2 "scenarios check $scratch/bad.ini" "2:bad.ini:14: "
scenario bad 490 510 "compare = lunn-voip-100"
check 2 "scenarios check $scratch/bad.ini" "2:compare goes with ratio"
scenario bad 490 510
sed -i 's/^what = .*/what = diff:irq-rate/' "$scratch/bad.ini"
echo "compare = nobody" >>"$scratch/bad.ini"
check 5 "scenarios check $scratch/bad.ini" "2:unknown scenario \"nobody\""
head -c 300 /dev/urandom >"$scratch/noise.ini"
printf '\0' >>"$scratch/noise.ini"
check 2 "scenarios check $scratch/noise.ini" "2:noise.ini"
"$HOLDOFF" scenarios check lunn-voip-100 --json >/dev/full 2>"$scratch/err"
[ $? -eq 2 ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ]
report $? "a full disk: exit status 2 and a sentence"

finish
