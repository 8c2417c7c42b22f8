#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the command line share: a table of command lines with the exit status and parts of the output expected, as
# TAP.
# HOLDOFF names the program if it is not build/holdoff.
cd "$(dirname "$0")/../.." || exit 1
HOLDOFF=$(realpath "${HOLDOFF:-build/holdoff}")
if [ ! -x "$HOLDOFF" ]; then
	echo "Bail out! there is no program $HOLDOFF: run make, or name another one in HOLDOFF"
	exit 1
fi
tests=0
failed=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

report() { # PASSED(0/1) TEXT
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests - $2"
	fi
}

# check STATUS 'ARGUMENTS' PART...: each PART has to stand in stdout, or in stderr if it begins with "2:", or nowhere in stdout if it
# begins with "!". White space counts as one blank. A complaint is one sentence on stderr and nothing on stdout; a result leaves
# stderr empty.
check() {
	status=$1 arguments=$2
	shift 2
	eval "\"\$HOLDOFF\" $arguments" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	wrong=
	[ "$got" -eq "$status" ] || wrong="exit status $got, expected $status"
	out=$(tr -s ' \n\t' ' ' <"$scratch/out")
	err=$(tr -s ' \n\t' ' ' <"$scratch/err")
	for part; do
		case $part in
		2:*) case $err in *"${part#2:}"*) ;; *) wrong="$wrong; stderr lacks \"${part#2:}\"" ;; esac ;;
		!*) case $out in *"${part#!}"*) wrong="$wrong; stdout has \"${part#!}\"" ;; esac ;;
		*) case $out in *"$part"*) ;; *) wrong="$wrong; stdout lacks \"$part\"" ;; esac ;;
		esac
	done
	case $status in
	2 | 4 | 5)
		[ ! -s "$scratch/out" ] || wrong="$wrong; output before a complaint"
		[ "$(grep -c '' "$scratch/err")" -eq 1 ] || wrong="$wrong; not one line on stderr"
		grep -q '^holdoff: ' "$scratch/err" || wrong="$wrong; stderr lacks the name of the program"
		;;
	*) [ ! -s "$scratch/err" ] || wrong="$wrong; stderr: $err" ;;
	esac
	if [ "$wrong" ]; then
		report 1 "holdoff $arguments"
		echo "# ${wrong#; }"
		sed 's/^/# /' "$scratch/out" "$scratch/err" | head -20
	else
		report 0 "holdoff $arguments"
	fi
}

finish() {
	echo "1..$tests"
	[ "$failed" -eq 0 ] && [ "$tests" -gt 0 ]
}

# Run by itself, this file tests that check does find fault.
finds_fault() { # TEXT CHECK-ARGUMENTS...
	text=$1
	shift
	(
		failed=0
		check "$@" >/dev/null
		[ "$failed" -eq 1 ]
	)
	report $? "$text"
}

case $0 in
*/table.sh)
	check 0 "--version" "holdoff $(cat VERSION)" "!rubbish"
	check 2 "nonsense" "2:unknown command"
	finds_fault "a wrong exit status is a failure" 1 "--version"
	finds_fault "missing output is a failure" 0 "--version" "rubbish"
	finds_fault "output that has to be missing is a failure" 0 "--version" "!holdoff"
	finds_fault "a missing complaint is a failure" 2 "nonsense" "2:rubbish"
	finds_fault "output on stderr with a good status is a failure" 0 "--version >&2"
	finds_fault "more than one line of complaint is a failure" 2 "" "2:usage"
	finish
	;;
esac
