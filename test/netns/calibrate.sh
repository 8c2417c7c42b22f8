#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff calibrate on a veth pair between two namespaces of this test: no moderation in hardware, and both ends of one machine. Needs root.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
. test/netns/pair

# The kernel has the fields for every device; a veth pair without GRO does not come by NAPI, and no model says that they matter there.
echo 50000 >/sys/class/net/near0/gro_flush_timeout
ends="near0 --board standin-veth --shared-host yes --peer-host 192.0.2.2"
"$HOLDOFF" calibrate $ends -o "$scratch/veth.ini" --workload 'ping size=56 interval=5ms' --workload 'ping size=1400 interval=5ms' --duration 200ms \
	--repeat 2 --store "$scratch/a.db" >"$scratch/told" 2>"$scratch/err"
status=$?
[ $status -eq 0 ] || [ $status -eq 6 ]
report $? "two workloads on near0 are measured and fitted: status $status"
sed 's/^/# /' "$scratch/told" "$scratch/err"
for text in "^near0 (veth)" " figures of 2 runs" "a model of macb, and the runs are of veth" "^kernel " "^task " "rtt-p50 *measured" "^written to "; do
	grep -q "$text" "$scratch/told"
	report $? "it says $text"
done
! grep -q "^timer\|^path" "$scratch/told"
report $? "and nothing of times that no chip has, or of a path that is known"
[ "$("$HOLDOFF" runs list --store "$scratch/a.db" | grep -c near0)" -eq 2 ]
report $? "both runs are kept"
# What is told of the fit is what the profile then gives; how far that is from what was measured depends on who else is at work here.
off() { # SIZE NUMBER
	"$HOLDOFF" predict --profile "$scratch/veth.ini" --workload "ping size=$1 interval=5ms" --duration 300ms --format csv | python3 -c 'import csv, sys
row = next(csv.DictReader(sys.stdin))
told = [line.split("model")[1].split() for line in open(sys.argv[1]) if "rtt-p50" in line][int(sys.argv[2])]
unit = {"us": 1e3, "ms": 1e6}[told[1]]
print(round(abs(float(row["latency_p50_ns"]) / (float(told[0]) * unit) - 1) * 100))' "$scratch/told" "$2"
}
for size in 56 1400; do
	off=$(off $size $([ $size = 56 ] && echo 0 || echo 1))
	[ "${off:-100}" -le 10 ]
	report $? "the profile predicts the ping of $size bytes as the fit had it, within $off %"
done
check 5 "calibrate none0 --board standin-veth --peer-host 192.0.2.2 -o $scratch/none.ini" "2:none0"
check 2 "calibrate near0 --board standin-veth --peer-host 192.0.2.2 -o $scratch/none.ini --workload 'udp rate=1k size=64'" "2:"
check 2 "calibrate near0 --board standin-veth --peer-host 192.0.2.2 -o /nowhere/none.ini --workload 'ping interval=10ms' --duration 50ms --repeat 1 --store $scratch/never.db" "2:cannot write /nowhere/none.ini"
[ ! -e "$scratch/never.db" ]
report $? "which is said before anything is measured"
finish
