#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure once, predict the sweep: unmodified drivers on the chips of src/chip in a guest are measured at one setting, the model is fitted to
# that, and what it says of five other settings and three workloads is held against what the guest then measures. The base is icount-1ns,
# what instructions of this emulated CPU cost, which nothing of these NICs was fitted on. make real-calibrate.
. "$(dirname "$0")/../guest/boots"
HOLDOFF=${HOLDOFF:-$BUILD/holdoff}

at() { # VALUE
	echo "$setting" | sed "s/%/$1/"
}

# predict NAME BOARD SETTING FIRST VALUES OPTIONS...: both ends are set alike, % in the setting stands for a value.
predict() {
	name=$1 board=$2 setting=$3 first=$4 values=$5
	shift 5
	if ! qemu/run --build "$BUILD" --cached --fetch "$@" 2>"$scratch/err" </dev/null; then
		skip "$name" "$(tail -n 1 "$scratch/err")"
		return
	fi
	echo "$setting|$first|$values" >"$scratch/words"
	run --cached --timeout 300 --name "calibrate-$name" --add "$scratch/words" "$@" test/calibrate/calibrate.guest
	report $? "$name: the guest has measured"
	sed 's/^/# /' "$scratch/err"
	sed -n 's/^one: //p' "$scratch/out" | base64 -d | gunzip >"$scratch/$name.json"
	sed -n 's/^others: //p' "$scratch/out" >"$scratch/$name-measured.csv"
	rm -f "$scratch/$name.db" "$scratch/predicted.db"
	"$HOLDOFF" runs import --store "$scratch/$name.db" "$scratch/$name.json" >"$scratch/told" 2>&1
	report $? "$name: five runs at $(at $first)"
	"$HOLDOFF" calibrate --from "$scratch/$name.db" --board "$board" --host icount-1ns --shared-host yes --peer-set "$(at $first)" \
		-o "$scratch/$name.ini" >"$scratch/told" 2>&1
	report $? "$name: the model is fitted to them"
	sed 's/^/# /' "$scratch/told"
	for value in $values; do
		"$HOLDOFF" predict --profile "$scratch/$name.ini" --set "$(at $value)" --peer-set "$(at $value)" --duration 300ms \
			--workload 'ping size=512 interval=7ms' --workload 'ping size=1000 interval=0' --workload 'udp rate=20k size=400' \
			--store "$scratch/predicted.db" --label "$value" >"$scratch/told" 2>&1 || cat "$scratch/told"
	done
	"$HOLDOFF" runs export --csv --store "$scratch/predicted.db" >"$scratch/predicted.csv"
	python3 test/calibrate/compare.py "$scratch/$name-measured.csv" "$scratch/predicted.csv" >"$scratch/compared"
	sed 's/^/# /' "$scratch/compared"
	for figure in 'rtt-p50 us' 'frames-per-irq frames' 'cpu-per-frame us' all; do
		# The base is of Linux 6.1 with one program that sends; CPU time of tsnep's guest, Linux 6.12, is 15 % off.
		most=$([ "$figure" = 'cpu-per-frame us' ] && echo 20 || echo 10)
		line=$(grep "^$figure: " "$scratch/compared")
		error=${line#*median error }
		awk -v error="${error%% *}" -v most="$most" 'BEGIN { exit !(error != "" && error + 0 <= most) }'
		report $? "$name: $line"
	done
}

predict r8169 rtl8168d-bench 'rx-usecs % rx-frames 0' 100 '0 40 200 480 1000' --nic rtl8168
predict tsnep tsnep-bench 'rx-usecs %' 64 '0 16 32 128 240' --nic tsnep
finish
