#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/driver-findings.md shows each script of docs/findings with its command line and all that it printed; that they do print
# it is for test/real/findings.sh, which needs a guest.
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
tests=0
failed=0

for script in docs/findings/*.sh; do
	tests=$((tests + 1))
	{
		echo "\$ holdoff bench $(sed -n 's/^# bench: *//p' "$script") --script $script"
		cat "${script%.sh}.out"
	} | sed 's/^/    /' >"$scratch/wanted"
	first=$(grep -n -x -F -m 1 -e "$(head -n 1 "$scratch/wanted")" docs/driver-findings.md | cut -d: -f1)
	tail -n +"${first:-1000000}" docs/driver-findings.md | head -n "$(wc -l <"$scratch/wanted")" >"$scratch/got"
	if diff "$scratch/got" "$scratch/wanted" >"$scratch/difference"; then
		echo "ok $tests - docs/driver-findings.md shows $script"
	else
		failed=$((failed + 1))
		echo "not ok $tests - docs/driver-findings.md shows $script"
		sed 's/^/# /' "$scratch/difference"
	fi
done
echo "1..$tests"
[ $failed -eq 0 ] && [ $tests -gt 0 ]
