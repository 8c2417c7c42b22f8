#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff calibrate --from kept runs, and predict from the profile: what is refused with which sentence, and what comes of the recorded runs
# of a real driver (test/data/calibrate).
. "$(dirname "$0")/table.sh"
db=$scratch/a.db
ini=$scratch/box.ini
ends="--board rtl8168d-bench --host icount-1ns --shared-host yes"

check 2 "calibrate" "2:an interface is needed, or --from STORE"
check 2 "calibrate eth0" "2:a host to measure against is needed"
check 2 "calibrate eth0 --peer-host 192.0.2.1" "2:which board models this NIC? --board NAME"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm" "2:where shall the profile go? --output FILE.ini"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm -o box" "2:the name of a profile ends in .ini"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm -o .ini" "2:1 to 31 characters"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm -o $scratch/none/box.ini" "2:cannot write"
mkdir "$scratch/folder.ini"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm -o $scratch/folder.ini" "2:is no regular file" "!standard output"
check 5 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mn -o $ini" "2:imx8mm"
check 2 "calibrate eth0 --from $db --board imx8mm -o $ini" "2:either an interface or --from, not both"
check 2 "calibrate --from $db --board imx8mm -o $ini --repeat 2" "2:--from measures nothing: --repeat"
check 2 "calibrate --from $db --board imx8mm -o $ini --workload voip" "2:--from measures nothing: --workload"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm -o $ini --filter x=1" "2:--filter chooses runs of --from"
check 2 "calibrate --from $db --board imx8mm -o $ini" "2:$db"
check 2 "calibrate --from $db --board imx8mm -o $ini --peer-set 'rx-usecs 0'" "2:--peer-set needs --shared-host yes"
check 2 "calibrate eth0 --peer-host 192.0.2.1 --board imx8mm -o $ini --workload 'ping size=x'" "2:size"
check 2 "predict rx-usecs=0" "2:a profile is needed: --profile FILE.ini"
check 2 "predict --profile desktop" "2:desktop is no file"
check 2 "predict --profile $scratch/none.ini" "2:none.ini"
check 2 "sweep eth0 --peer-host 192.0.2.1 --profile x.ini" "2:"

"$HOLDOFF" simulate --board imx8mm --workload 'ping interval=10ms' --duration 50ms --store "$db" >"$scratch/told" 2>&1
check 2 "calibrate --from $db --board imx8mm -o $ini" "2:no complete measured run"
rm -f "$db"
"$HOLDOFF" runs import --store "$db" test/data/calibrate/r8169.json >"$scratch/told" 2>&1
check 2 "calibrate --from $db --filter 'rtt-p50>1s' --board rtl8168d-bench -o $ini" "2:no complete measured run that fits the filter"
[ ! -e "$ini" ]
report $? "what was refused has written nothing"

# Two of the runs, at rx-usecs 100: the hold-off is felt by the large ping alone.
check 0 "calibrate --from $db --filter 'workload=ping size=56 interval=10ms|ping size=1400 interval=10ms' $ends --peer-set 'rx-usecs 100 rx-frames 0' -o $ini" \
	"eth0 (r8169)" "6 figures of 2 runs" "timer" "hardly known" "rtt-p50 measured 19.711 us" "written to $ini" "!nan" "!inf"
check 0 "calibrate --from $db --board macb -o $scratch/other.ini --filter run=1" "3 figures of 1 run," "a model of macb, and the runs are of r8169"
for text in "^\[host\]" "^source = fitted by holdoff calibrate on 20..-..-.. from 2 runs on eth0 (r8169)" "^\[model\]" "^board = rtl8168d-bench" \
	"^assume = timer-ppm=[0-9]*$" "^shared-host = yes" "^# timer .*95 % from"; do
	grep -q "$text" "$ini"
	report $? "the profile has $text"
done
ppm=$(sed -n 's/^assume = timer-ppm=//p' "$ini")
[ "${ppm:-0}" -gt 900000 ] && [ "$ppm" -lt 1100000 ]
report $? "the chip's times are as documented, within 10 %: $ppm ppm"
check 0 "simulate --board imx8mm --host $ini --workload 'ping interval=10ms' --duration 50ms" "fitted by holdoff calibrate"
check 0 "predict --profile $ini rx-usecs=0,100,200 --workload 'ping size=1000 interval=10ms' --duration 300ms" "rtl8168d-bench" "rx-usecs 200" \
	"fitted by calibrate, base icount-1ns" "assume timer-ppm=$ppm"
check 0 "sweep --profile $ini --peer-set 'rx-usecs 0' rx-usecs=0 --workload 'ping size=1000 interval=10ms' --duration 300ms" "rtl8168d-bench"
check 0 "predict --profile $ini --board tsnep rx-usecs=0,64 --peer tsnep --workload 'ping interval=10ms' --duration 100ms" "tsnep"
check 2 "predict --profile $ini --workload nonsense" "2:nonsense"
sed '/^\[model\]/,$d' "$ini" >"$scratch/cut.ini"
check 2 "predict --profile $scratch/cut.ini rx-usecs=0" "2:has no [model]: holdoff calibrate writes one"
check 0 "simulate --board imx8mm --host $scratch/cut.ini --workload 'ping interval=10ms' --duration 50ms" "fitted by holdoff calibrate"
finish
