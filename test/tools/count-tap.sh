#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/count-tap counts what programs print and finds those that end early.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0

# counts NAME TAP EXPECTED STATUS: the sum over one program's output, and the exit status.
counts() {
	printf '%b' "$2" >"$folder/x.tap"
	got=$(tools/count-tap "$folder/x.tap")
	status=$?
	number=$((number + 1))
	if [ "$got" = "$3" ] && [ $status -eq "$4" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "# got \"$got\" ($status), expected \"$3\" ($4)"
	fi
}

counts "two passed" 'ok 1 - a\nok 2 - b\n1..2\n# exit 0\n' "2 passed, 0 failed" 0
counts "one failed" 'ok 1\nnot ok 2 - b\n1..2\n# exit 1\n' "1 passed, 1 failed" 1
counts "one skipped" 'ok 1 - a\nok 2 - b # SKIP no qemu\n1..2\n# exit 0\n' "1 passed, 0 failed, 1 skipped" 0
counts "plan first" '1..2\nok 1\nok 2\n# exit 0\n' "2 passed, 0 failed" 0
counts "no plan" 'ok 1 - a\n# exit 139\n' "1 passed, 1 failed" 1
counts "too few lines" '1..3\nok 1\nok 2\n# exit 0\n' "2 passed, 1 failed" 1
counts "too many lines" 'ok 1\nok 2\nok 3\n1..2\n# exit 0\n' "3 passed, 1 failed" 1
counts "two plans" 'ok 1\n1..1\n1..1\n# exit 0\n' "1 passed, 1 failed" 1
counts "died after its plan" 'ok 1\n1..1\n# exit 1\n' "1 passed, 1 failed" 1
counts "said nothing" '# exit 0\n' "0 passed, 1 failed" 1
counts "planned nothing" '1..0\n# exit 0\n' "0 passed, 1 failed" 1
counts "skipped as a whole" "1..0 # SKIP no bench\n# exit 0\n" "0 passed, 0 failed, 1 skipped" 0
counts "bailed out" 'ok 1\nBail out! no memory\n1..1\n# exit 1\n' "1 passed, 1 failed" 1
counts "okay is not ok" 'okay 1\nok 1\n1..1\n# exit 0\n' "1 passed, 0 failed" 0

printf 'ok 1\n1..1\n# exit 0\n' >"$folder/x.tap"
printf '1..0 # SKIP no bench\n# exit 0\n' >"$folder/y.tap"
got=$(tools/count-tap "$folder")
number=$((number + 1))
if [ "$got" = "1 passed, 0 failed, 1 skipped" ]; then
	echo "ok $number - a folder is the sum of its files"
else
	echo "not ok $number - a folder is the sum of its files"
	echo "# got \"$got\""
fi
echo "1..$number"
