#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# From a sweep to a decision, end to end: the real r8169 on our chip is swept in the guest over five settings and three workloads,
# at both ends; here its store is looked at, tuned by, compared and made a page of. Then a sweep that is killed twenty times.
# make real-sweep.
. "$(dirname "$0")/../guest/boots"
HOLDOFF=$BUILD/holdoff
store=$scratch/holdoff.db

boot sweep --nic rtl8168 --cached --name real-sweep test/sweep/r8169.guest
sed -n '/^BEGIN/,/^END/p' "$scratch/out" | sed '1d;$d' | tr -d '\r' | base64 -d | gzip -d >"$store"
"$HOLDOFF" runs export --store "$store" >/dev/null
report $? "the store comes out of the guest whole"
is "$("$HOLDOFF" runs --store "$store" --csv --filter role=cell | tail -n +2 | wc -l)" 90 "five settings, three workloads, six times"
is "$("$HOLDOFF" runs --store "$store" --csv --filter role=control | tail -n +2 | wc -l)" 18 "and six times the control of each workload"

# says TEXT ARGUMENTS...
says() {
	text=$1
	shift
	"$HOLDOFF" "$@" --store "$store" >"$scratch/said" 2>&1
	grep -q -e "$text" "$scratch/said"
	report $? "holdoff $1: $text"
}

# 20 thousand datagrams a second come 50 us apart: 80 us gather two of them.
udp='udp rate=20k size=1000 dir=rx'
says '^Take rx-usecs 80 rx-frames 4: of those that surely meet' tune eth0 --goal 'one-way-p99 < 150us' --workload "$udp"
sed 's/^/# /' "$scratch/said"
says 'Against today.s rx-usecs 0' tune eth0 --goal 'one-way-p99 < 150us' --workload "$udp"
says 'ethtool -C eth0 rx-usecs 80 rx-frames 4' tune eth0 --goal 'one-way-p99 < 150us' --workload "$udp"
says '^| rx-usecs 80 ' tune eth0 --goal 'one-way-p99 < 150us' --workload "$udp" --commit-message
sed 's/^/# /' "$scratch/said"
says 'No setting meets' tune eth0 --goal 'one-way-p99 < 20us' --workload "$udp"
says 'rtt-p50 us.*higher' compare rx-usecs=40 rx-usecs=200
sed 's/^/# /' "$scratch/said"
median=$("$HOLDOFF" compare rx-usecs=40 rx-usecs=200 --filter 'workload=ping*' --store "$store" --json |
	awk '/"name": "rtt-p50"/ { found = 1 } found && /"difference":/ { print int($2); exit }')
if [ "${median:-0}" -ge 304 ] && [ "${median:-0}" -le 336 ]; then
	report 0 "between 40 and 200 us lie twice 160 us within 5 %: $median us"
else
	report 1 "between 40 and 200 us lie twice 160 us within 5 %: $median us"
fi
"$HOLDOFF" report --store "$store" -o "$scratch/report.html"
report $? "holdoff report: a page"
grep -q 'rx-usecs 200' "$scratch/report.html" && grep -q '</html>' "$scratch/report.html"
report $? "with what was measured"
[ -z "${KEEP-}" ] || cp "$store" "$scratch/report.html" "$KEEP"

boot kills --nic rtl8168 --cached --name real-sweep-kill test/sweep/killed.guest
finish
