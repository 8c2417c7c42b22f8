#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of set, revert and confirm against a peer that plays the kernel share: the peer, command lines as in table.sh, what the
# device reports and what was sent.
. "$(dirname "$0")/../cli/table.sh"

PEER=$(realpath "${BUILD:-build}/test/peer/peer")
HOLDOFF_STATE_DIR=$scratch/journal
export HOLDOFF_STATE_DIR
mkdir -m 755 "$HOLDOFF_STATE_DIR"

# The peer of the lines that follow, with another device: peer OPTION...
peer() {
	number=$((${number:-0} + 1))
	options=
	for option; do
		options="$options '$option'"
	done
	log=$scratch/log$number
	options="$options --state '$scratch/device$number' --log '$log'"
	: >"$log"
}

# try STATUS 'ARGUMENTS' PART...: as check of table.sh, but with the peer, and parts "2:..." are in stderr; without one stderr is empty.
try() {
	status=$1 arguments=$2
	shift 2
	eval "'$PEER' $options -- '$HOLDOFF' $arguments" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	wrong=
	[ "$got" -eq "$status" ] || wrong="exit status $got, expected $status"
	out=$(tr -s ' \n\t' ' ' <"$scratch/out")
	err=$(tr -s ' \n\t' ' ' <"$scratch/err")
	expects_err=
	for part; do
		case $part in
		2:*) expects_err=yes; case $err in *"${part#2:}"*) ;; *) wrong="$wrong; stderr lacks \"${part#2:}\"" ;; esac ;;
		!*) case $out in *"${part#!}"*) wrong="$wrong; stdout has \"${part#!}\"" ;; esac ;;
		*) case $out in *"$part"*) ;; *) wrong="$wrong; stdout lacks \"$part\"" ;; esac ;;
		esac
	done
	[ "$expects_err" ] || [ ! -s "$scratch/err" ] || wrong="$wrong; stderr: $err"
	[ -z "$wrong" ]
	report $? "holdoff $arguments"
	[ -z "$wrong" ] || { echo "# ${wrong#; }"; sed 's/^/# /' "$scratch/out" "$scratch/err" | head -20; }
}

reads() { # WORDS: what the device reports
	got=$(eval "'$PEER' $options --get")
	case $got in
	"$1"*) report 0 "then it reads $1" ;;
	*) report 1 "then it reads $1"; echo "# got $got" ;;
	esac
}

sent() { # COUNT PATTERN: how often that was sent since the peer was made
	got=$(grep -c -- "$2" "$log")
	[ "$got" -eq "$1" ]
	report $? "\"$2\" was sent $1 times"
	[ "$got" -eq "$1" ] || sed 's/^/# /' "$log"
}

empty() {
	[ -z "$(ls "$HOLDOFF_STATE_DIR")" ]
	report $? "the journal is empty"
}

# Run by itself, this file tests that it does find fault.
finds_no() { # TEXT COMMAND...
	text=$1
	shift
	(
		failed=0
		"$@" >/dev/null
		[ "$failed" -eq 1 ]
	)
	report $? "$text"
}

case $0 in
*/with_peer.sh)
	peer --driver store --supported rx-usecs --set "rx-usecs 7"
	try 0 "set lo rx-usecs 8" "verdict changed"
	reads "rx-usecs 8"
	sent 1 "rx-usecs 8"
	finds_no "a wrong exit status is a failure" try 0 "set lo tx-usecs 8" "2:has no tx-usecs"
	finds_no "a complaint that was not expected is a failure" try 3 "set lo tx-usecs 8"
	finds_no "another value is a failure" reads "rx-usecs 7"
	finds_no "what was not sent is a failure" sent 1 "rx-usecs 9"
	finds_no "an entry is a failure" empty
	finish
	;;
esac
