#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff runs, and --store of what makes runs: what is kept, found, carried to another file, and what is no store.
. "$(dirname "$0")/table.sh"
db=$scratch/a.db
cd "$scratch" || exit 1 # holdoff.db is looked for here

is() { # GOT EXPECTED TEXT
	[ "$1" = "$2" ]
	report $? "$3"
	[ "$1" = "$2" ] || echo "# got $1, expected $2"
}

check 2 "runs" "2:holdoff.db: No such file" "2:--store FILE"
for us in 0 100 200; do
	check 0 "simulate --board imx8mm rx-usecs $us --workload 'ping interval=1ms' --duration 50ms --store $db --label 'at $us'" \
		"kept as run" "MODEL"
done
check 0 "simulate --board imx8mm --workload 'udp rate=10k' --duration 50ms --store $db --json" '"schema": "holdoff.run/1"' "!kept"
check 2 "simulate --board imx8mm --workload ping --label x" "2:--label is for runs that are kept"
check 2 "simulate --board imx8mm --workload ping --store /" "2:is a folder and no store of runs"

# ---- lists
check 0 "runs --store $db" "run taken (UTC) id" "MODEL imx8mm, host cortex-a53; rx-usecs 0; ping interval=1ms; \"at 0\"" "udp rate=10000"
check 0 "runs list --store $db --filter rx-usecs=100" "at 100" "!at 0" "!udp"
check 0 "runs --store $db --filter 'workload=ping*' --filter 'rx-usecs>0'" "at 100" "at 200" "!at 0"
check 0 "runs --store $db --filter label=nobody" "!MODEL"
check 0 "runs --store $db --csv" '"rtt-p99 us"' ',"MODEL",' '"at 100"'
is "$("$HOLDOFF" runs --store "$db" --csv | awk -F, '{ print NF }' | sort -u | wc -l)" 1 "each line of CSV has as many cells"
check 0 "runs --store $db --json" '"schema": "holdoff.runs/1"' '"model": true' '"name": "rtt-p99"' '"rx_usecs": 100'
check 0 "runs show 2 --store $db" "Run 2," "command holdoff simulate --board imx8mm rx-usecs 100" "label at 100" "MODEL by holdoff"
"$HOLDOFF" simulate --board imx8mm rx-usecs 100 --workload 'ping interval=1ms' --duration 50ms --json >made.json
"$HOLDOFF" runs show 2 --json --store "$db" | cmp -s - made.json
report $? "what was kept is shown as it was when it was made, to the byte"
id=$("$HOLDOFF" runs --store "$db" --csv --filter run=3 | tail -1 | cut -d, -f2)
check 0 "runs show $id --store $db" "Run 3,"
check 0 "runs show $(echo "$id" | cut -c1-8) --store $db" "Run 3,"

# ---- the command line
check 2 "runs lst --store $db" "2:unknown verb \"lst\": did you mean list?"
check 2 "runs show --store $db" "2:show takes one run"
check 2 "runs show 9 --store $db" "2:has no run 9"
check 2 "runs show abc --store $db" "2:\"abc\" is no run"
check 2 "runs list 1 --store $db" "2:list takes no words"
check 2 "runs merge --store $db" "2:merge takes files"
check 2 "runs delete --store $db" "2:which runs?"
check 2 "runs delete 1 --filter run=1 --store $db" "2:not both"
check 2 "runs --csv --json --store $db" "2:exclude one another"
check 2 "runs merge x.db --filter run=1 --store $db" "2:merge takes no --filter"
check 2 "runs label 1 --store $db" "2:label needs --label TEXT"
check 2 "runs --store $db --filter rx-usec=1" "2:did you mean rx-usecs?"
check 2 "runs --store $db --filter 'rtt-p99<200'" "2:rtt-p99"
check 0 "runs --help" "taken" "export [RUN ...]"

# ---- from file to file
"$HOLDOFF" runs export --store "$db" >all.json
check 0 "runs import all.json --store b.db" "all.json: 4 added, 0 known already"
check 0 "runs import all.json --store b.db" "all.json: 0 added, 4 known already"
"$HOLDOFF" runs export --store b.db | cmp -s - all.json
report $? "what was exported, imported and exported again is the same to the byte"
"$HOLDOFF" runs import - --store c.db <all.json >/dev/null
report $? "from standard input as well"
check 0 "runs export 2 3 --store $db" '"schema": "holdoff.export/1"' "at 100" "at 200" "!at 0"
check 0 "runs export 2 --csv --store $db" '"rtt-p99 us"' "at 100" "!at 200"
check 0 "runs merge b.db c.db --store d.db" "b.db: 4 added, 0 known" "c.db: 0 added, 4 known"
check 2 "runs merge d.db --store d.db" "2:d.db is the store itself"
check 2 "runs import made.json --store d.db" "2:made.json: expected schema holdoff.export/1, not holdoff.run/1"
head -c 3000 all.json >half.json
check 2 "runs import half.json --store d.db" "2:half.json is no JSON"
sed 's/"irq_count": \([0-9]*\)/"irq_count": -\1/' all.json >wrong.json
check 2 "runs import wrong.json --store e.db" "2:wrong.json: findings.irq_count"
check 0 "runs --store e.db" "!MODEL"
sed 's/"model": true/"model": false/' all.json >liar.json
check 2 "runs import liar.json --store e.db" "2:contradict each other"
check 2 "runs import nothing.json --store e.db" "2:nothing.json: No such file"

# ---- changes
check 0 "runs label 1 2 --label 'both of them' --store d.db" "2 labelled"
check 0 "runs --filter 'label=both of them' --store d.db" "rx-usecs 0" "rx-usecs 100" "!rx-usecs 200"
check 1 "runs delete --filter source=model --store d.db" "these are 4 runs: --yes deletes them"
check 0 "runs delete 4 --store d.db" "1 deleted"
check 0 "runs delete --filter source=model --yes --store d.db" "3 deleted"
check 0 "runs delete --filter source=model --yes --store d.db" "0 deleted"

# A sweep of a model keeps each of its cells that was run.
"$HOLDOFF" sweep --board imx8mm rx-usecs=0,100,20000 --workload 'ping interval=1ms' --duration 20ms --jobs 2 --store swept.db \
	--label grid --output table.txt
is "$?, $("$HOLDOFF" runs --store swept.db --filter label=grid | grep -c 'MODEL.*ping')" "0, 2" "a sweep keeps its runs, and none of what a driver refuses"
check 0 "runs show 2 --store swept.db" "command holdoff sweep --board imx8mm rx-usecs=0,100,20000"
check 2 "sweep --board imx8mm rx-usecs=0 --workload ping --label x" "2:--label is for runs that are kept"

# Several programs at a time.
for i in 1 2 3 4 5 6; do
	"$HOLDOFF" simulate --board imx8mm --workload 'ping interval=1ms' --duration 20ms --seed $i --store many.db >/dev/null 2>err.$i &
done
wait
is "$("$HOLDOFF" runs --store many.db | grep -c MODEL)" 6 "six programs at a time keep six runs"
cat err.[1-6]

# A name that drives a terminal does not.
"$HOLDOFF" runs label 1 --label "$(printf 'a\033[31mb')" --store b.db >/dev/null
check 0 "runs --store b.db --filter run=1" "a?[31mb"
"$HOLDOFF" runs show 1 --store b.db | grep -q "$(printf '\033')"
is $? 1 "no page has a control character"

# ---- what is no store
check 2 "runs --store /dev/null" "2:is no regular file"
check 2 "runs --store $scratch" "2:is a folder"
check 2 "runs --store all.json" "2:not an SQLite file"
: >empty.db
check 2 "runs --store empty.db" "2:is empty"
sqlite3 other.db 'CREATE TABLE a (b)'
check 2 "runs --store other.db" "2:of another program"
cp "$db" newer.db && sqlite3 newer.db 'PRAGMA user_version = 77'
check 2 "runs --store newer.db" "2:of version 77"
cp "$db" bad.db && sqlite3 bad.db "UPDATE run SET record = replace(record, 'imx8mm', 'imx8mq') WHERE number = 2"
"$HOLDOFF" runs --store bad.db >out 2>err
is "$?, $(grep -c MODEL out), $(grep -c 'run 2 is damaged' err)" "2, 3, 1" "a damaged run is named, the others are listed"
"$HOLDOFF" runs merge bad.db --store f.db >out 2>err
is "$?, $(cat out)" "6, bad.db: 3 added, 0 known already, 1 damaged and left out" "and left out of a merge"

# A real full disk, where one can be made.
full='mount -t tmpfs -o size=128k none full && cp a.db full/a.db && for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$0" simulate --board imx8mm --workload "ping interval=1ms" --duration 50ms --store full/a.db >/dev/null 2>err || break; done
	cat err; rm -f full/fill; "$0" runs --store full/a.db | grep -c MODEL; sqlite3 full/a.db "PRAGMA integrity_check"
	mount -o remount,ro full; "$0" runs --store full/a.db | grep -c MODEL
	"$0" simulate --board imx8mm --workload ping --duration 1s --store full/a.db 2>&1'
mkdir full
if unshare -rm mount -t tmpfs none full 2>/dev/null; then
	unshare -rm sh -c "$full" "$HOLDOFF" >out 2>&1
	grep -q "no room on the disk" out && grep -qx ok out && [ "$(sed -n 2p out)" -ge 4 ]
	report $? "a full disk is told, and the file stays whole"
	[ "$(sed -n 2p out)" = "$(sed -n 4p out)" ] && sed -n 5p out | grep -q "full/a.db: Read-only file system"
	report $? "where nobody may write runs are read, and a new one is refused"
	sed 's/^/# /' out
else
	report 0 "a full disk is told # SKIP no user namespaces"
fi
finish
