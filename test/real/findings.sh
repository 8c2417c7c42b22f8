#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of docs/findings, each in a guest of its own: the real drivers still print what is told of them. Their line "#
# bench:" holds the options, of holdoff bench as of qemu/run.
. "$(dirname "$0")/../guest/boots"
[ $# -gt 0 ] || set -- docs/findings/*.sh

for script in "$@"; do
	options=$(sed -n 's/^# bench: *//p' "$script")
	case $options in
	*tsnep*) options="$options --cached" ;; # make real-tsnep downloads what it needs
	esac
	run $options --name finding "$script"
	status=$?
	diff "${script%.sh}.out" "$scratch/out" >"$scratch/difference"
	case $status in
	77) skip "$script" "$(tail -n 1 "$scratch/err")" ;;
	0) report $(($(wc -l <"$scratch/difference") > 0)) "$script prints what is told" ;;
	*) report 1 "$script runs" && sed 's/^/# /' "$scratch/err" ;;
	esac
	sed 's/^/# /' "$scratch/difference" | head -n 30
done
finish
