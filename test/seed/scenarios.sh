#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The numbers of the threads: one assertion for each row of holdoff scenarios check. A known miss that is what was recorded passes;
# a report and a claim have no verdict to fail.
. "$(dirname "$0")/../cli/table.sh"

"$HOLDOFF" scenarios check >"$scratch/check" 2>"$scratch/err"
status=$?
sed 's/^/# /' "$scratch/err"

scenario=
rows=0
bad=0
# A row is indented by two blanks and ends in its verdict.
while IFS= read -r line; do
	case $line in
	'' | '      '*) continue ;;
	'  '*) ;;
	*:*) scenario=${line%%:*} ;;
	esac
	case $line in
	*' ok') wrong=0 ;;
	*' known miss' | *' report' | *' claim is true' | *' claim is false') wrong=0 ;;
	*' MISS' | *' CHANGED') wrong=1 bad=$((bad + 1)) ;;
	*) continue ;;
	esac
	rows=$((rows + 1))
	report $wrong "$scenario: $(echo "$line" | tr -s ' ')"
done <"$scratch/check"

[ "$rows" -ge 60 ]
report $? "there are rows ($rows)"
[ "$status" -eq $((bad > 0)) ]
report $? "the exit status says whether one is missed"

finish
