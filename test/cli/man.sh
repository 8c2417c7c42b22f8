#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages: clean, complete (every option of a command stands in its page, and no other), and their examples run: lines ".Dl $ holdoff ...",
# with status 0 unless the next line says .\" status N. Keys of files and names of figures: all that there are, and no other.
. "$(dirname "$0")/table.sh"

for page in man/*.[1-9]; do
	if command -v mandoc >/dev/null; then
		# Which other pages exist depends on what is installed here.
		mandoc -Tlint "$page" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc.db' >"$scratch/lint"
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
for page in man/*.[1-9]; do
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
awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = 1 }' man/holdoff-files.5 >"$scratch/myhost.ini"
check 0 "simulate --board $scratch/mine.ini --host $scratch/myhost.ini --workload ping" "host myhost: cortex-a53 at 1.5"
awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = 1 }' man/holdoff-sweep.1 >"$scratch/plan.ini"
check 0 "sweep --plan $scratch/plan.ini" "udp rate=100 on imx8mm" "rx-usecs 1000 "
awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = 1 }' man/holdoff-scenarios.1 >"$scratch/scenario.ini"
check 0 "scenarios check $scratch/scenario.ini" "1 ok, 0 MISS"

# Each name of a list has an item in the section, alone or beside others, and each item is such a name.
keys_of() { # PAGE FIRST-LINE LAST-LINE
	awk -v first="$2" -v last="$3" 'index($0, last) == 1 { inside = 0 } inside; index($0, first) == 1 { inside = 1 }' "$1" |
		sed -n 's/^\.It Cm //p' | tr -s ' ,' '\n' | sort
}
same_names() { # TEXT
	diff "$scratch/program" "$scratch/page" >"$scratch/diff"
	report $? "$1"
	sed 's/^/# /' "$scratch/diff"
}
"$HOLDOFF" help --list board-keys | sort >"$scratch/program"
keys_of man/holdoff-files.5 ".Ss Boards" ".Ss Host" >"$scratch/page"
same_names "man/holdoff-files.5 has the keys of a board"
{ "$HOLDOFF" help --list host-keys; echo exit; echo residency; } | sort >"$scratch/program"
keys_of man/holdoff-files.5 ".Ss Host" ".Sh FILES" >"$scratch/page"
same_names "man/holdoff-files.5 has the keys of a host profile"
"$HOLDOFF" help --list figures | sed 's/-\(min\|mean\|max\|stddev\|p50\|p99\)$//' | sort -u >"$scratch/program"
keys_of man/holdoff-scenarios.1 "Figures are:" ".Pp" | grep -vx No >"$scratch/page"
same_names "man/holdoff-scenarios.1 has the figures"
for key in $("$HOLDOFF" sweep --board macb --workload ping --duration 1s --format csv | head -n 1 | tr , ' '); do
	grep -q "^\.It [^T]* Ta $key Ta " man/holdoff-sweep.1
	report $? "man/holdoff-sweep.1 has the column $key"
done

[ $examples -gt 0 ]
report $? "the pages have examples"

finish
