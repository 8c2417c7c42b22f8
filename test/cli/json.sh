#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON of explain, boards, show and the lists: equal to the examples in docs/json but for the version (of the long lists: the same keys),
# well-formed, keys in snake case, no null. With --write the examples are written anew: look at the difference before
# committing it.
. "$(dirname "$0")/table.sh"

examples='explain --board imx8qxp rx-usecs 100
explain-refused --board imx8mm rx-usecs 20000
explain-rules --driver igb rx-usecs 5
explain-registers --board rtl8168d --registers IntrMitigate=0x5151,CPlusCmd=0x2061
boards
board imx8mm
drivers --drivers
hosts --hosts
emit example0 rx-usecs 100 cqe-mode-rx on --format networkmanager
lint test/data/persist/51-wrong-key.link
diagnose test/data/cases/ping_fec_1000.txt test/data/persist/c_e1000e_ioctl.txt test/data/persist/err_set_524.txt --driver e1000e
show r8169@6.12 1 rx-usecs 100
show-adaptive virtio 2 adaptive-rx on
watch e1000e@6.1 rx-usecs 100
set r8169@6.12 rx-usecs 100 tx-usecs 0 --for 60s
set-refused r8169@6.12 rx-usecs 3000
revert r8169@6.12 rx-usecs 100
confirm r8169@6.12 rx-usecs 100 --for 60s
ping -i 0 -c 1000 127.0.0.1
validate refdata test/data/validate/three.csv
load udp rate=500 size=100
trace test/data/trace/trace_cmd_form.txt
infer lo --peer-host 127.0.0.1 --no-set --rx --rounds 2
runs --json
export export
compare
tune
report
calibrate
bench --nic rtl8168 --link 100 --console console --script my.sh'

# A peer plays the driver: test/peer.
PEER=${BUILD:-build}/test/peer/peer
if [ ! -x "$PEER" ]; then
	echo "Bail out! there is no program $PEER: run make tests, or name the build in BUILD"
	exit 1
fi
XDG_RUNTIME_DIR=$scratch
export XDG_RUNTIME_DIR

# The first document, on one line, without its time.
watch() { # DRIVER SETTINGS
	: >"$scratch/watched"
	"$PEER" --driver "$1" --set "$2" -- sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/pid" "$HOLDOFF" show lo --watch --json >"$scratch/watched" &
	tries=0
	while [ ! -s "$scratch/watched" ] && [ $tries -lt 200 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	kill -INT "$(cat "$scratch/pid")"
	wait
	sed 's/"unix_time_ns": [0-9]*/"unix_time_ns": 1796000000000000000/' "$scratch/watched"
}

# Commands that change what the peer has, with a journal of their own; what is on trial is put back in the end.
change() { # DRIVER COMMANDS DRIVER WORDS...
	driver=$1 commands=$2
	shift 3
	mkdir -m 755 "$scratch/journal"
	HOLDOFF_STATE_DIR=$scratch/journal "$PEER" --driver "$driver" --kernel 6.12.117 -- sh -c "$commands; "'"$0" revert >/dev/null' "$HOLDOFF" "$@"
	rm -rf "$scratch/journal"
}

# A store with one run of a model.
kept() { # WORDS...
	"$HOLDOFF" simulate --board imx8mm rx-usecs 100 --workload "ping interval=10ms" --duration 100ms --store "$scratch/kept.db" \
		--label example >/dev/null
	"$HOLDOFF" runs "$@" --store "$scratch/kept.db" |
		sed "s|$scratch/||; s|\"machine\": .*|\"machine\": \"box\",|; s|_at_ns\": .*|_at_ns\": 1796000000000000000,|
			s|\"\(uu\)*id\": .*|\"\1id\": \"0537e17c-54db-42ac-b9c8-a2ee2b2999ae\",|"
	rm "$scratch/kept.db"
}

# Six seeds of two settings.
compared() {
	for us in 0 100; do
		for seed in 1 2 3 4 5 6; do
			"$HOLDOFF" simulate --board imx8mm rx-usecs $us --workload "udp rate=20k pattern=poisson" --duration 50ms --seed $seed \
				--store "$scratch/kept.db" >/dev/null
		done
	done
	"$HOLDOFF" compare rx-usecs=0 rx-usecs=100 --json --store "$scratch/kept.db"
	rm "$scratch/kept.db"
}

tuned() {
	"$HOLDOFF" tune imx8mm rx-usecs=50,200,500 --workload "udp rate=20k pattern=poisson" --workload "ping interval=10ms" --duration 50ms \
		--goal "one-way-p99 < 300us" --json
}

# A few settings of a model.
reported() {
	"$HOLDOFF" sweep --board imx8mm rx-usecs=20,100,500 --workload "udp rate=20k" --duration 50ms --store "$scratch/kept.db" >/dev/null
	"$HOLDOFF" report --json --store "$scratch/kept.db" | sed "s|$scratch/||g; s|_at_ns\": .*|_at_ns\": 1796000000000000000,|"
	rm "$scratch/kept.db"
}

# Two of the runs of a real driver.
calibrated() {
	"$HOLDOFF" runs import --store "$scratch/kept.db" test/data/calibrate/r8169.json >/dev/null
	"$HOLDOFF" calibrate --from "$scratch/kept.db" --filter 'workload=ping size=56 interval=10ms|ping size=1400 interval=10ms' --board rtl8168d-bench \
		--host icount-1ns --shared-host yes --peer-set 'rx-usecs 100 rx-frames 0' -o "$scratch/box.ini" --json | sed "s|$scratch/||"
	rm -f "$scratch/kept.db" "$scratch/box.ini"
}

document() { # NAME ARGUMENTS...: what the example NAME is made with
	name=$1
	shift
	case $name in
	explain*) "$HOLDOFF" explain "$@" --json ;;
	show*)
		driver=$1 queues=$2
		shift 2
		"$PEER" --driver "$driver" --kernel 6.18.0 --queues $queues --set "$*" -- "$HOLDOFF" show lo --json
		;;
	watch)
		driver=$1
		shift
		watch "$driver" "$*"
		;;
	set*) change "$1" '"$0" set lo "$@" --json' "$@" ;;
	revert | confirm) change "$1" '"$0" set lo "$@" >/dev/null; "$0" '"$name"' lo --json' "$@" ;;
	ping) "$HOLDOFF" ping "$@" --seed 1 --json ;;
	bench) HOLDOFF_QEMU=test/cli/harness PRETEND="done" "$HOLDOFF" bench "$@" --json | sed 's/"output": .*/"output": "12 packets\\n"/' ;;
	load) "$HOLDOFF" load 127.0.0.1 --peer "$HOLDOFF peer" --workload "$*" --both --duration 200ms --json ;;
	infer) "$HOLDOFF" infer "$@" --json ;;
	trace) "$HOLDOFF" trace --from "$@" --json ;;
	runs | export) kept "$@" ;;
	compare) compared ;;
	tune) tuned ;;
	report) reported ;;
	calibrate) calibrated ;;
	emit | lint | diagnose | validate) "$HOLDOFF" "$name" "$@" --json 2>/dev/null ;;
	*) "$HOLDOFF" boards "$@" --json ;;
	esac
}

# A new board or another wording of a rule is no change of the schema, nor is another time: only keys and their depth are compared.
comparable() { # NAME FILE
	case $1 in
	boards | drivers | hosts | ping | load | runs | export | validate | compare | tune | report | calibrate) sed -n '/"insufficient"/d; s/^\( *"[a-z_]*":\).*/\1/p' "$2" | sort -u ;;
	# What is found on the loopback interface is chance.
	infer) sed -n '/"effective\|"count"\|"far_end\|"never\|"bypass\|"held_\|"frames/d; s/^\( *"[a-z_]*":\).*/\1/p' "$2" | sort -u ;;
	*) sed '/^  "version": /d; s/"version": "[^"]*", //' "$2" ;;
	esac
}

check_form='
import json, re, sys
def no_pairs_twice(pairs):
    keys = [k for k, v in pairs]
    assert len(keys) == len(set(keys)), "a key twice: %s" % keys
    for k, v in pairs:
        assert re.fullmatch("[a-z][a-z0-9_]*", k), "key " + k
        assert v is not None, "null at " + k
    return dict(pairs)
def check_decimal(text):
    assert re.fullmatch("-?[0-9]+\\.[0-9]{3}", text), "a fraction: " + text
    return text
document = json.load(sys.stdin, object_pairs_hook=no_pairs_twice, parse_float=check_decimal)
assert re.fullmatch("holdoff\\.[a-z]+/[0-9]+", document["schema"]), "schema"
assert document["version"], "version"
'

# A here-document and no pipe: the loop has to count in this shell.
while read -r name arguments; do
	if [ "$name" = ping ] && ! "$HOLDOFF" ping -q -c 1 127.0.0.1 >/dev/null 2>"$scratch/err"; then
		report 0 "docs/json/ping.json # SKIP $(cat "$scratch/err")"
		continue
	fi
	document $name $arguments >"$scratch/new"
	if [ "${1-}" = --write ] && [ -s "$scratch/new" ]; then
		cp "$scratch/new" "docs/json/$name.json"
	fi
	comparable "$name" "$scratch/new" >"$scratch/new.comparable"
	comparable "$name" "docs/json/$name.json" >"$scratch/old.comparable"
	diff -u "$scratch/old.comparable" "$scratch/new.comparable" >"$scratch/diff"
	report $? "docs/json/$name.json is what the program writes"
	sed 's/^/# /' "$scratch/diff" | head -30
	if command -v python3 >/dev/null; then
		python3 -c "$check_form" <"$scratch/new" 2>"$scratch/err"
		report $? "$name: well-formed"
		tail -1 "$scratch/err" | sed 's/^/# /'
	else
		report 0 "$name: well-formed # SKIP python3 is not installed"
	fi
done <<END
$examples
END

finish
