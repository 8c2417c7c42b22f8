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

# repeats NAME EXPECTED TAP ...: what is said at the end of all tests about the outputs of two builds, gcc and clang.
repeats() {
	name=$1
	printf '%b' "$2" >"$folder/expected"
	mkdir -p "$folder/build/gcc/tap" "$folder/build/clang/tap"
	printf '%b' "$3" >"$folder/build/gcc/tap/test,netns,x.sh.tap"
	printf '%b' "$4" >"$folder/build/clang/tap/test,cli,y.sh.tap"
	(cd "$folder" && "$OLDPWD/tools/count-tap" -f build/gcc/tap build/clang/tap) >"$folder/got"
	status=$?
	number=$((number + 1))
	if [ $status -eq "$5" ] && said=$(diff "$folder/expected" "$folder/got"); then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		printf 'status %s\n%s\n' "$status" "$said" | sed 's/^/# /'
	fi
}

repeats "nothing to repeat" '3 passed, 0 failed\n' \
	'ok 1\n# a word\n1..1\n# exit 0\n' 'ok 1\nok 2\n1..2\n# exit 0\n' 0
repeats "what failed, with its diagnosis, the build and the test" \
	'build/gcc: test/netns/x.sh: 1 FAILED\n    not ok 2 - b\n    # got 3\n2 passed, 1 failed\n' \
	'ok 1 - a\n# not about b\nnot ok 2 - b\n# got 3\n1..2\n# exit 1\n' 'ok 1\n1..1\n# exit 0\n' 1
repeats "skips with their reasons, before what failed" \
	'build/clang: test/cli/y.sh: 1 skipped\n    ok 1 - c # SKIP busy\nbuild/gcc: test/netns/x.sh: 1 FAILED\n    not ok 1 - a\n1 passed, 1 failed, 1 skipped\n' \
	'not ok 1 - a\n1..1\n# exit 1\n' 'ok 1 - c # SKIP busy\nok 2\n1..2\n# exit 0\n' 1
repeats "a test skipped as a whole, and one that died" \
	'build/gcc: test/netns/x.sh: 1 skipped\n    1..0 # SKIP no ip\nbuild/clang: test/cli/y.sh: 1 FAILED\n    no plan: it ended early\n    # stderr: oh\n1 passed, 1 failed, 1 skipped\n' \
	'1..0 # SKIP no ip\n# exit 0\n' 'ok 1\n# stderr: oh\n# exit 139\n' 1
repeats "both skip, each for its own reason" \
	'build/gcc: test/netns/x.sh: 1 skipped\n    1..0 # SKIP no ip\nbuild/clang: test/cli/y.sh: 1 skipped\n    ok 1 # SKIP busy\n0 passed, 0 failed, 2 skipped\n' \
	'1..0 # SKIP no ip\n# exit 0\n' 'ok 1 # SKIP busy\n1..1\n# exit 0\n' 0
echo "1..$number"
