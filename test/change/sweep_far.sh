#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff sweep --peer-set: both ends are set, each with a kernel of its own that a peer plays, and both are put back, whoever is killed.
. "$(dirname "$0")/with_peer.sh"

ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1 || { echo "1..0 # SKIP 127.0.0.1 does not answer pings"; exit 0; }

quick="--peer-host 127.0.0.1 --repeat 2 --duration 20ms --warmup 5ms --store $scratch/runs.db"
far_journal=$scratch/far-journal
mkdir -m 755 "$far_journal"

# Two devices: far OPTION... plays the far end, peer OPTION... this one.
far() {
	peer "$@"
	far_options=$options far_log=$log
}

sweep() { # ARGUMENTS: 0 or 6 (tainted)
	eval "'$PEER' $options -- '$HOLDOFF' sweep lo $1 --peer \"'$PEER' $far_options -- env HOLDOFF_STATE_DIR=$far_journal '$HOLDOFF' peer\"" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	[ $got -eq 0 ] || [ $got -eq 6 ]
}

both_back() { # NEAR FAR
	reads "$1"
	near_options=$options options=$far_options
	reads "$2"
	options=$near_options
	[ -z "$(ls "$far_journal")" ]
	report $? "the far end's journal is empty"
	empty
}

sent_far() { # COUNT PATTERN
	near_log=$log log=$far_log
	sent "$1" "$2"
	log=$near_log
}

far --driver r8169@6.12 --speed 1000 --set "rx-usecs 40"
peer --driver r8169@6.12 --speed 1000 --set "rx-usecs 80"
sweep "rx-usecs=0,100 $quick --peer-set same"
report $? "the far end has what this one has"
sent 2 "coalesce-set rx-usecs 100 ="
sent_far 2 "coalesce-set rx-usecs 100 ="
sent_far 2 "coalesce-set rx-usecs 0 ="
both_back "rx-usecs 80" "rx-usecs 40"
run=$("$HOLDOFF" runs list --store "$scratch/runs.db" --filter rx-usecs=100,role=cell --csv | tail -n 1 | cut -d , -f 1)
"$HOLDOFF" runs show "$run" --store "$scratch/runs.db" | grep -q 'peer *127.0.0.1, set to rx-usecs 100$'
report $? "what the far end was asked for stands in the run"

sweep "rx-usecs=0,100 $quick --peer-set 'rx-usecs 20'"
report $? "the far end has one setting all the time"
sent_far 1 "coalesce-set rx-usecs 20 ="
both_back "rx-usecs 80" "rx-usecs 40"

far --driver store --supported rx-usecs --set "rx-usecs 7"
peer --driver store --supported rx-usecs,tx-usecs --set "rx-usecs 9 tx-usecs 9"
sweep "tx-usecs=5,50 $quick --peer-set same"
grep -q 'tx-usecs 50 *refused' "$scratch/out"
report $? "a setting that the far end refuses is a row that says so"
grep -q 'at the far end' "$scratch/out"
report $? "and where it was refused"
both_back "rx-usecs 9" "rx-usecs 7"
sweep "rx-usecs=5,50 $quick --peer-set 'tx-usecs 3'"
[ $got -eq 3 ] || [ $got -eq 2 ]
report $? "one setting that the far end refuses ends it"
grep -q 'at the far end: .*tx-usecs' "$scratch/err"
report $? "with its sentence"
both_back "rx-usecs 9" "rx-usecs 7"

is_back() { # OPTIONS WORDS
	case $(eval "'$PEER' $1 --get") in
	"$2"*) ;;
	*) return 1 ;;
	esac
}

far --driver store --supported rx-usecs --set "rx-usecs 7" --misbehave busy@13
peer --driver store --supported rx-usecs --set "rx-usecs 9"
sweep "rx-usecs=5 $quick --peer-set 'rx-usecs 3'"
[ $got -eq 7 ] && grep -q 'what was set there COULD NOT BE PUT BACK: at the far end' "$scratch/err"
report $? "a far end that cannot put back is the exit status, and loud"
sed 's/^/# /' "$scratch/err"
rm -f "$far_journal"/*

# kill -9 of either end in the middle of it; the peers that play the kernels live on.
killed() { # near|far
	eval "'$PEER' $options -- sh -c 'echo \$\$ >$scratch/near.pid; exec \"\$@\"' sh '$HOLDOFF' sweep lo rx-usecs=0,100 --peer-host 127.0.0.1 --repeat 60 \
		--duration 50ms --warmup 0 --store $scratch/killed.db --peer-set same --peer \"'$PEER' $far_options -- \
		sh -c 'echo \\\$\\\$ >$scratch/far.pid; HOLDOFF_STATE_DIR=$far_journal exec $HOLDOFF peer'\"" >/dev/null 2>"$scratch/err" </dev/null &
	job=$!
	tries=0
	until grep -qs 'rx-usecs 100 =' "$far_log" || [ $tries -eq 200 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	kill -9 "$(cat "$scratch/$1.pid")"
	report $? "the $1 end is killed"
	wait $job 2>/dev/null
	tries=0
	until is_back "$options" "rx-usecs 80" && is_back "$far_options" "rx-usecs 40" &&
		[ -z "$(ls "$far_journal")$(find "$HOLDOFF_STATE_DIR" -name '*if1')" ] || [ $tries -eq 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}

for whom in near far; do
	far --driver r8169@6.12 --speed 1000 --set "rx-usecs 40"
	peer --driver r8169@6.12 --speed 1000 --set "rx-usecs 80"
	killed $whom
	both_back "rx-usecs 80" "rx-usecs 40"
done

far --driver r8169@6.12 --speed 1000 --set "rx-usecs 40"
peer --driver r8169@6.12 --speed 1000 --set "rx-usecs 80"

new="--peer-host 127.0.0.1 --repeat 2 --duration 20ms --store $scratch/new.db"
try 2 "sweep lo rx-usecs=0,1 $new --peer-set same" "2:--peer-set needs somebody at the far end"
[ ! -e "$scratch/new.db" ]
report $? "before anything is kept"
try 2 "sweep lo rx-usecs=0,1 $quick --peer true --peer-set same" "2:peer"
sweep "rx-usecs=0,1 $quick --peer-set 'rx-usec 1'"
grep -q -- '--peer-set: .*did you mean rx-usecs' "$scratch/err"
report $? "a setting misspelt is one sentence"
both_back "rx-usecs 80" "rx-usecs 40"
finish
