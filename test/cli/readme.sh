#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The session in README.md: each line "$ COMMAND" of a ```console block is run again, and what follows it has to be its
# output. With --write the output is written anew: look at the difference before committing it. Prints TAP.
cd "$(dirname "$0")/../.." || exit 1
HOLDOFF=$(realpath "${HOLDOFF:-build/holdoff}")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
PATH=$(dirname "$HOLDOFF"):$PATH
export PATH LC_ALL=C

# A new README: text as it is, commands with what they print now. Old and new output of each is kept for comparing.
rewrite() { # FILE
	commands=0
	inside=
	while IFS= read -r line; do
		case $inside$line in
		'```console') inside=yes; : >"$scratch/old.0" ;;
		'yes```') inside= ;;
		'yes$ '*)
			commands=$((commands + 1))
			echo "${line#??}" >"$scratch/command.$commands"
			: >"$scratch/old.$commands"
			sh -c "${line#??}" >"$scratch/new.$commands" 2>&1 </dev/null
			echo "$line"
			cat "$scratch/new.$commands"
			continue
			;;
		yes*)
			echo "$line" >>"$scratch/old.$commands"
			continue
			;;
		esac
		printf '%s\n' "$line"
	done <"$1"
}

# compare FILE: TAP lines, one per command.
compare() {
	rewrite "$1" >"$scratch/README.md"
	failed=0
	for number in $(seq "$commands"); do
		if diff -u "$scratch/old.$number" "$scratch/new.$number" >"$scratch/diff"; then
			echo "ok $number - README.md: $(cat "$scratch/command.$number")"
		else
			failed=1
			echo "not ok $number - README.md: $(cat "$scratch/command.$number")"
			sed 's/^/# /' "$scratch/diff" | head -20
		fi
	done
	[ "$commands" -ge 4 ] && [ "$failed" -eq 0 ]
}

if [ "${1-}" = --write ]; then
	rewrite README.md >"$scratch/README.md" && cp "$scratch/README.md" README.md
	exit
fi
if [ ! -x "$HOLDOFF" ]; then
	echo "Bail out! there is no program $HOLDOFF: run make, or name another one in HOLDOFF"
	exit 1
fi
compare README.md
status=$?

# And that it does find fault.
shown=$commands
# shellcheck disable=SC2016
printf '```console\n$ echo fresh\nstale\n```\n' >"$scratch/stale.md"
compare "$scratch/stale.md" >"$scratch/out"
if grep -q '^not ok 1 ' "$scratch/out"; then
	echo "ok $((shown + 1)) - a session that is not what the program prints is a failure"
else
	echo "not ok $((shown + 1)) - a session that is not what the program prints is a failure"
	status=1
fi
echo "1..$((shown + 1))"
exit $status
