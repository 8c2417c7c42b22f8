#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# TAP: a wrong model fails. Each patch here makes timers or polls do something else: restart (each frame starts the hold-off
# again), throttle (a lone frame passes, a gap follows), apart (what was sent and what was received are not served by one
# poll). It is applied to a copy of the tree; the reference cells and the scenarios both have to notice.
# BUILD names the build whose objects are used again; part of make validate.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
number=0
failed=0

report() { # STATUS TEXT
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

# Time stamps are kept, so that only what a patch changes is built again.
cp -a Makefile VERSION README.md NEWS.md src include profiles test tools docs man completion "$copy" &&
	mkdir -p "$copy/build" && cp -a "$build"/. "$copy/build" || exit 1

for patch in test/mutants/*.patch; do
	name=$(basename "$patch" .patch)
	if ! patch -s -p1 -d "$copy" <"$patch"; then
		report 1 "$name: the patch fits the source"
		continue
	fi
	make -s -C "$copy" BUILD=build CC="${CC:-gcc}" build/holdoff >"$copy/log" 2>&1
	report $? "$name: builds"
	"$copy/test/refdata/compare" --holdoff "$copy/build/holdoff" >"$copy/cells" 2>&1
	[ $? -eq 1 ] && grep -q "^not ok" "$copy/cells"
	report $? "$name: the reference cells notice"
	sed -n 's/^\(ok\|not ok\) [0-9]* - \(.*within 10 %.*\)/# \2/p' "$copy/cells"
	"$copy/build/holdoff" scenarios check >"$copy/rows" 2>&1
	[ $? -eq 1 ] && grep -Eq " (MISS|CHANGED)$" "$copy/rows"
	report $? "$name: the scenarios notice"
	awk '/^[a-z]/ { scenario = $1 } / (MISS|CHANGED)$/ { print "# " scenario " " $1 }' "$copy/rows"
	patch -s -R -p1 -d "$copy" <"$patch"
done
echo "1..$number"
exit $failed
