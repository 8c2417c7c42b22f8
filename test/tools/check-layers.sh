#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/check-layers finds what LAYERS forbids, in a small tree made for it.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0

# expect NAME STATUS PATTERN: what the check says of the tree as it is now.
expect() {
	got=$(tools/check-layers "$folder" 2>&1)
	status=$?
	number=$((number + 1))
	if [ $status -eq "$2" ] && echo "$got" | grep -q -- "$3"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$got" | sed 's/^/# /'
	fi
}

mkdir "$folder/low" "$folder/high" "$folder/tool"
printf 'low : : a\nhigh : low : b\n# outside\ntool : low high : c\n' >"$folder/LAYERS"
printf '#include <stdint.h>\n#include "low/low.h"\n' >"$folder/low/low.c"
: >"$folder/low/low.h"
printf '#include "low/low.h"\n' >"$folder/high/high.c"
: >"$folder/high/high.h"
printf '#include <unistd.h>\n#include "high/high.h"\n' >"$folder/tool/tool.c"
expect "a tree in order" 0 "^1..3"

printf '#include "high/high.h"\n' >"$folder/low/up.c"
expect "an include upwards" 1 "low/up.c:1: low must not include high"
expect "parts that include each other" 1 "include each other"
printf '#include "other/x.h"\n' >"$folder/low/up.c"
expect "an unknown part" 1 "other is no part"
printf '#include "up.h"\n' >"$folder/low/up.c"
expect "a header without its part" 1 '"up.h" is not named by its part'
printf '\n#  include <time.h>\n' >"$folder/low/up.c"
expect "a clock in a pure part" 1 "low/up.c:2: a pure part includes <time.h>"
mv "$folder/low/up.c" "$folder/low/up_test.c"
expect "a test may" 0 "^1..3"
printf 'static __int128 wide;\n' >"$folder/low/up.c"
expect "numbers that 32-bit machines lack" 1 "low/up.c:1: __int128"
rm "$folder/low/up.c"
mkdir "$folder/stray"
: >"$folder/stray/stray.c"
expect "a folder that LAYERS does not name" 1 "stray is not in LAYERS"
rm -r "$folder/stray"
printf 'low : high : a\nhigh : low : b\n# outside\ntool : low high : c\n' >"$folder/LAYERS"
expect "LAYERS that allow an include upwards" 1 "low may include high, which is no lower part"
echo "1..$number"
