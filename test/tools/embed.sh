#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/embed: what a compiler reads back from its C is what stood in the files.
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
number=0
failed=0

report() { # PASSED(0/1) TEXT
	number=$((number + 1))
	[ "$1" -eq 0 ] || failed=1
	[ "$1" -eq 0 ] && echo "ok $number - $2" || echo "not ok $number - $2"
}

cat >"$scratch/print.c" <<'END'
#include <stdio.h>
#include "sim/board.h"
int main(void)
{
	const struct board_text *lists[] = { embedded_boards, embedded_hosts, embedded_scenarios, embedded_plans };
	for (int i = 0; i < 4; i++) {
		for (const struct board_text *text = lists[i]; text->name; text++) {
			printf("%d %s\n%s", i, text->name, text->text);
		}
	}
	return 0;
}
END

embed() { # the tree $scratch/tree, compiled and printed, into $scratch/out
	tools/embed "$scratch/tree" >"$scratch/embedded.c" 2>"$scratch/err" &&
		${CC:-cc} -std=c11 -Wall -Wextra -Wtrigraphs -Werror -Isrc -o "$scratch/print" "$scratch/print.c" "$scratch/embedded.c" &&
		"$scratch/print" >"$scratch/out"
}

mkdir -p "$scratch/tree"
embed && [ ! -s "$scratch/out" ]
report $? "no folder at all: four empty lists"

mkdir -p "$scratch/tree/boards" "$scratch/tree/plans"
cat >"$scratch/tree/boards/a-b.2.ini" <<'END'
[board] ; "quoted" \ backslash \n \\ and ??/ a trigraph, ??= another
title = 100 % of it	with a tab

& ampersand \& both
END
: >"$scratch/tree/boards/empty.ini"
printf 'x = 1\r\n' >"$scratch/tree/plans/dos.ini"
echo 'not me' >"$scratch/tree/boards/other.txt"
{
	echo '0 a-b.2'
	cat "$scratch/tree/boards/a-b.2.ini"
	echo '0 empty'
	echo '3 dos'
	cat "$scratch/tree/plans/dos.ini"
} >"$scratch/expected"
embed && cmp "$scratch/expected" "$scratch/out"
report $? "quotes, backslashes, trigraphs, tabs, carriage returns, ampersands and empty files come through"

printf 'last line' >"$scratch/tree/boards/empty.ini"
embed && grep -qx 'last line' "$scratch/out"
report $? "a last line without newline gets one"

echo >"$scratch/tree/boards/bad\"name.ini"
tools/embed "$scratch/tree" >/dev/null 2>"$scratch/err"
[ $? -ne 0 ] && grep -q 'a name may hold' "$scratch/err"
report $? "a file name that C or a user would stumble over is refused"

tools/embed "$scratch/nowhere" >/dev/null 2>"$scratch/err"
[ $? -eq 2 ] && grep -q usage "$scratch/err"
report $? "a folder that is not there is refused"

echo "1..$number"
exit $failed
