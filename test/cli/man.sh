#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages: clean, complete (every option of a command stands in its page, and no other), and their examples run: lines ".Dl $ holdoff ...",
# with status 0 unless the next line says .\" status N.
. "$(dirname "$0")/table.sh"

for page in man/*.1; do
	if command -v mandoc >/dev/null; then
		# Which other pages exist depends on what is installed here.
		mandoc -Tlint "$page" 2>&1 | grep -v 'referenced manual not found' >"$scratch/lint"
		[ ! -s "$scratch/lint" ]
		report $? "$page is clean mdoc"
		sed 's/^/# /' "$scratch/lint"
	else
		report 0 "$page is clean mdoc # SKIP mandoc is not installed"
	fi
done

for command in $("$HOLDOFF" help --list commands); do
	page=man/holdoff-$command.1
	[ -f "$page" ] || continue
	"$HOLDOFF" "$command" --list-options | sed -n 's/^--\([^ ]*\).*/\1/p' | sort >"$scratch/program"
	sed -n 's/^\.It Fl -\([^ ]*\).*/\1/p' "$page" | sort >"$scratch/page"
	diff "$scratch/program" "$scratch/page" >"$scratch/diff"
	report $? "$page has the options of holdoff $command"
	sed 's/^/# /' "$scratch/diff"
done

for command in $("$HOLDOFF" help --list commands); do
	grep -q "^\.It Ic $command" man/holdoff.1
	report $? "man/holdoff.1 has the command $command"
done

ln -s "$HOLDOFF" "$scratch/holdoff"
PATH=$scratch:$PATH
examples=0
for page in man/*.1; do
	awk '
		held { print (/^\.\\" status / ? $3 : 0) "\t" held; held = "" }
		/^\.Dl \$ holdoff / { sub(/^\.Dl \$ /, ""); gsub(/\\e/, "\\"); held = $0 }
	' "$page" >"$scratch/examples"
	while IFS='	' read -r status example; do
		examples=$((examples + 1))
		(eval "$example") >"$scratch/out" 2>"$scratch/err" </dev/null
		got=$?
		[ "$got" -eq "$status" ] && [ ! -s "$scratch/err" ]
		report $? "${page#man/}: $example"
		[ "$got" -eq "$status" ] || echo "# exit status $got, expected $status"
		sed 's/^/# /' "$scratch/err"
	done <"$scratch/examples"
done
awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = 1 }' man/holdoff.1 >"$scratch/mine.ini"
check 0 "boards $scratch/mine.ini" "board mine: my board"

[ $examples -gt 0 ]
report $? "the pages have examples"

finish
