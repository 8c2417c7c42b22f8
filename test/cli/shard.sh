#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A model's sweep in shards: each in a store of its own, merged, and the table of all is that of a sweep in one piece, to the byte.
. "$(dirname "$0")/table.sh"
H=$HOLDOFF boards=$PWD/profiles/boards
cd "$scratch" || exit 1

grid="rx-usecs=50,100,200 tx-usecs=0,100 --workload 'udp rate=20k pattern=poisson' --workload ping --duration 50ms"
whole() { # ARGUMENTS...
	eval "\"\$H\" sweep --board imx8mm $grid \"\$@\""
}
same() { # A B TEXT
	cmp -s "$1" "$2"
	report $? "$3"
}
# Without what is of the moment: number, id, time and machine.
columns() { # STORE
	"$H" runs --store "$1" --csv | cut -d, -f6- | LC_ALL=C sort
}

for format in csv json markdown text; do
	whole --format $format >whole.$format
done
if command -v parallel >/dev/null; then
	parallel --will-cite --jobs 2 "$H" sweep --board imx8mm "$grid" --shard '{}/5' --store 'part{}.db' --format csv '>' 'part{}.csv' ::: 1 2 3 4 5 2>err
	report $? "five shards by GNU parallel"
	sed 's/^/# /' err
else
	report 0 "five shards by GNU parallel # SKIP parallel is not installed"
	for i in 1 2 3 4 5; do
		whole --shard $i/5 --store part$i.db --format csv >part$i.csv
	done
fi
for i in 1 2 3 4 5; do
	tail -n +2 part$i.csv
done | LC_ALL=C sort >parts
tail -n +2 whole.csv | LC_ALL=C sort >rows
same parts rows "their rows are those of the whole, each once"
"$H" runs merge --store all.db part4.db part1.db part5.db part2.db part3.db >/dev/null
report $? "their stores are merged, in any order"
for format in csv json markdown text; do
	whole --store all.db --resume --format $format >again.$format
	same whole.$format again.$format "the table of the merged store is that of the whole: $format"
done
whole --store one.db >/dev/null
columns all.db >all
columns one.db >one
same all one "the runs in it are those of an unsharded sweep's store"
[ "$("$H" runs --store all.db --csv | tail -n +2 | wc -l)" -eq 12 ]
report $? "and none was run again"

# What is missing is run, and nothing else.
"$H" runs delete 3 5 --store one.db >/dev/null
whole --store one.db --resume --format csv >resumed.csv
same whole.csv resumed.csv "a store that lacks two cells comes to the same"
[ "$("$H" runs --store one.db --csv | tail -n +2 | wc -l)" -eq 12 ]
report $? "with those two run again"
# Of many cells, so that it is in the middle of them. Not by a function, which would be a shell of its own.
many="rx-usecs=$(seq -s, 1 60) --workload ping --duration 50ms --format csv"
eval "\"\$H\" sweep --board imx8mm $many" >many.csv
"$H" sweep --board imx8mm "rx-usecs=$(seq -s, 1 60)" --workload ping --duration 50ms --store killed.db --jobs 1 >/dev/null 2>&1 &
pid=$!
while [ "$("$H" runs --store killed.db --csv 2>/dev/null | wc -l)" -lt 3 ] && kill -0 $pid 2>/dev/null; do :; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
there=$("$H" runs --store killed.db --csv | tail -n +2 | wc -l)
[ "$there" -ge 1 ] && [ "$there" -lt 60 ]
report $? "a sweep is killed in the middle: $there of 60 cells are there"
eval "\"\$H\" sweep --board imx8mm $many --store killed.db --resume" >resumed.csv
same many.csv resumed.csv "resumed it comes to the same"
[ "$("$H" runs --store killed.db --csv | tail -n +2 | wc -l)" -eq 60 ]
report $? "with each cell once"
whole --seed 2 --store one.db --resume --format csv >other.csv
whole --seed 2 --format csv >seed2.csv
same other.csv seed2.csv "another seed is another sweep"
cp "$boards/imx8mm.ini" my.ini
"$H" sweep --board ./my.ini --workload ping --duration 50ms --store my.db >/dev/null
echo "# changed" >>my.ini
"$H" sweep --board ./my.ini --workload ping --duration 50ms --store my.db --resume >/dev/null
[ "$("$H" runs --store my.db --csv | tail -n +2 | wc -l)" -eq 2 ]
report $? "so is a board's file that was changed"
"$H" sweep --board imx8mm rx-usecs=50,100 tx-usecs-irq=1 --workload ping --duration 50ms --store refused.db --format csv >refused.csv
"$H" sweep --board imx8mm rx-usecs=50,100 tx-usecs-irq=1 --workload ping --duration 50ms --store refused.db --resume --format csv | cmp -s - refused.csv
report $? "settings that the driver refuses stay refused"

check 2 "sweep --board imx8mm $grid --shard 3" "2:--shard is I/N"
check 2 "sweep --board imx8mm $grid --shard 0/4" "2:1 to 4 are possible"
check 2 "sweep --board imx8mm $grid --shard 5/4" "2:1 to 4 are possible"
check 2 "sweep --board imx8mm $grid --shard 1/0" "2:shard 0"
check 2 "sweep --board imx8mm $grid --resume" "2:--store FILE"
check 2 "sweep --board imx8mm $grid --store long.db $(printf -- '--assume fec-shared-poll=%d ' 1 1 1 1 1 1 1 1)" "2:--assume has more than 126 bytes"
check 2 "sweep eth7 --peer-host 10.0.0.1 --shard 1/2" "2:--shard is for models"
check 0 "sweep --board imx8mm $grid --shard 9/12" "MODEL"
finish
