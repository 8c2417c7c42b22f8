#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same command and seed give the same bytes, whatever the compiler and its options: gcc, clang, sanitizers, and a build without
# optimisation that is made here. Builds that are not there, or older than the source, are skipped.
. "$(dirname "$0")/../cli/table.sh"

plain=build/O0
make -s BUILD=$plain CFLAGS=-O0 $plain/holdoff >"$scratch/make" 2>&1
report $? "a build without optimisation"
sed 's/^/# /' "$scratch/make"

# Every family of chips and drivers, both directions, every workload, all that is random.
cat >"$scratch/commands" <<'END'
simulate --board imx8qxp --peer ideal:300us~10us,280us..340us --duration 50s --workload "ping interval=1s" --json
simulate --board imx8mm --driver fec@6.12 rx-usecs 100 --duration 1s --workload "udp rate=50k pattern=poisson" --seed 3 --json
simulate --board imx8mp --duration 1s --workload "tftp blksize=512" --json
simulate --board imx8mp-eqos --duration 1s --workload "tftp blksize=512" --json
simulate --board rtl8168d --driver r8169@4.13 --peer rtl8168d --peer-driver r8169@4.13 --hops 1 --duration 1s --workload "ping interval=0" --json
simulate --board rtl8169 rx-usecs 100 --duration 500ms --workload "udp size=64 pattern=burst count=32 every=5ms" --json
simulate --board tsnep --driver tsnep@seed --duration 300ms --workload tcp --json
simulate --board macb --duration 300ms --workload "tcp dir=tx" --json
simulate --board e1000e rx-usecs 100 --duration 500ms --workload "rr size=64 connections=8" --json
simulate --board e1000e --peer e1000e gro-flush-timeout 20000 defer-hard-irqs 2 --duration 300ms --workload "udp rate=max" --json
simulate --board imx6ul --duration 500ms --workload "fieldbus interval=1ms" --json
simulate --board imx8mq --duration 500ms --workload voip
sweep --board imx8mm rx-usecs 100,1000 --duration 200ms --workload voip --workload "udp rate=20k pattern=poisson" --format csv
END

while read -r arguments; do
	eval "\"\$HOLDOFF\" $arguments" >"$scratch/here" 2>&1
	[ $? -eq 0 ] && [ -s "$scratch/here" ]
	report $? "holdoff $arguments"
	for build in build/gcc build/clang build/asan $plain; do
		if [ "$(realpath -q $build/holdoff)" = "$HOLDOFF" ]; then
			continue
		elif [ ! -x $build/holdoff ]; then
			report 0 "the same from $build # SKIP not built"
			continue
		elif [ "$(find src profiles -type f -newer $build/holdoff -print -quit)" ]; then
			report 0 "the same from $build # SKIP older than the source"
			continue
		fi
		eval "$build/holdoff $arguments" >"$scratch/there" 2>&1
		cmp "$scratch/here" "$scratch/there" >"$scratch/difference" 2>&1
		report $? "the same from $build"
		sed 's/^/# /' "$scratch/difference"
	done
done <"$scratch/commands"

finish
