#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff measure, keep and compare against a NIC whose hold-off is known (test/fake/nic.c): 10 ms more are found, and said to
# be at most what they are and what a busy machine adds.
needs_tap=yes
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/fake
mount -t sysfs none /sys
db=$scratch/a.db

kept() { # LABEL
	"$HOLDOFF" measure t0 --peer-host 10.2.0.2 --workload 'ping interval=0' --duration 200ms --warmup 0 --repeat 10 --store "$db" --label "$1" \
		>/dev/null 2>"$scratch/err"
	status=$?
	[ $status -eq 0 ] || [ $status -eq 6 ]
	report $? "measured and kept: $1"
	sed 's/^/# /' "$scratch/err"
}

field() { # NAME
	python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["workloads"][0]["figures"]
row = [row for row in rows if row["name"] == "rtt-p50"][0]
value = row[sys.argv[2]]
print(value if isinstance(value, str) else int(value))' "$scratch/json" "$1"
}

fake
kept direct
stop_fake
fake holdoff=10ms
kept held
stop_fake
"$HOLDOFF" compare label=direct label=held --json --store "$db" >"$scratch/json"
report $? "one run each with ten repeats can be compared"
[ "$(field verdict)" = higher ]
report $? "the round trip is higher"
[ "$(field low)" -le "$(field difference)" ] && [ "$(field difference)" -le "$(field high)" ]
report $? "the difference lies in its interval"
[ "$(field low)" -ge 4000 ] && [ "$(field low)" -le 20000 ]
report $? "which begins near 10 ms ($(field low) us)"
check 0 "compare label=direct label=held --store $db" "measured t0 on" "10 repeats of one run and 10 repeats of one run" \
	"is not in the intervals" "!MODEL"
check 6 "compare label=direct label=held --unit runs --store $db" "One run each"

# What was measured is not what a model says, and both stand there as what they are.
"$HOLDOFF" simulate --board imx8mm --workload 'ping interval=0' --duration 20ms --store "$db" >/dev/null
check 6 "compare source=model label=held --store $db" "A MODEL imx8mm" "B measured t0" "also different: host"
finish
