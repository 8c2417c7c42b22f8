#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff sweep of an interface whose settings a peer plays that is the kernel: what is set, what is not, and that it is put back.
# The traffic is real: pings of this host.
. "$(dirname "$0")/with_peer.sh"

ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1 || { echo "1..0 # SKIP 127.0.0.1 does not answer pings"; exit 0; }

quick="--peer-host 127.0.0.1 --repeat 2 --duration 20ms --warmup 5ms --store $scratch/runs.db"

# sweep ARGUMENTS PART...: as try, whatever else ran on this machine meanwhile (0, or 6: tainted).
sweep() {
	arguments=$1
	shift
	eval "'$PEER' $options -- '$HOLDOFF' sweep $arguments" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	wrong=
	[ $got -eq 0 ] || [ $got -eq 6 ] || wrong="exit status $got"
	out=$(tr -s ' \n\t' ' ' <"$scratch/out")
	for part; do
		case $part in
		!*) case $out in *"${part#!}"*) wrong="$wrong; stdout has \"${part#!}\"" ;; esac ;;
		*) case $out in *"$part"*) ;; *) wrong="$wrong; stdout lacks \"$part\"" ;; esac ;;
		esac
	done
	[ -z "$wrong" ]
	report $? "holdoff sweep $arguments"
	[ -z "$wrong" ] || { echo "# ${wrong#; }"; sed 's/^/# /' "$scratch/out" "$scratch/err" | head -20; }
}

# ---- what is set ----
peer --driver r8169@6.12 --speed 1000 --set "rx-usecs 40"
sweep "lo rx-usecs=0,100,110,3000 $quick" "measured by holdoff" "rx-usecs 0 " "rx-usecs 100 " "as before (control)" \
	"rx-usecs 3000 refused, ERANGE" "rx-usecs 110 not run" "rounds it to the same as rx-usecs 100" "!MODEL"
reads "rx-usecs 40 rx-frames 0"
empty
sent 2 "coalesce-set rx-usecs 100 ="
sent 0 "coalesce-set rx-usecs 110 ="
sent 1 "coalesce-set rx-usecs 3000 ="
peer --driver store --supported rx-usecs,tx-usecs --set "rx-usecs 7 tx-usecs 9"
sweep "lo rx-usecs=0,100 tx-usecs=0,5 $quick --format json" '"setting": "rx-usecs 100 tx-usecs 5"' '"measured": "measured by' '"model": false'
reads "rx-usecs 7 tx-usecs 9"
sweep "lo rx-usecs=7 $quick" "rx-usecs 7 " "as before (control)"
reads "rx-usecs 7 tx-usecs 9"
empty
peer --driver e1000e@6.1 --speed 1000
sweep "lo rx-usecs=20,100 $quick --format csv" '"rx-usecs 20"' '"as before (control)"'
reads "rx-usecs 3"

# ---- what cannot be asked ----
try 3 "sweep lo adaptive-rx=on $quick" "2:has no adaptive-rx"
try 5 "sweep nosuch0 rx-usecs=0,1 $quick" "2:nosuch0"
try 2 "sweep lo rx-usecs=0,1" "2:--peer-host ADDRESS"
try 2 "sweep lo rx-usecs=0,0 $quick" "2:in the list twice"
try 2 "sweep lo rx-usecs=0,1 --hops 2 $quick" "2:--hops is for models"
try 2 "sweep lo rx-usecs=0,1 --peer-host 127.0.0.1 --jobs 2" "2:--jobs is for models"
try 2 "sweep --board imx8mm rx-usecs=0,1 --resume" "2:--resume goes on with what a store has"
try 2 "sweep lo rx-usecs=0,1 --peer-host 127.0.0.1 --repeat 0" "2:1 to 60"
try 2 "sweep lo rx-usecs=0,1 --peer-host 127.0.0.1 --budget 0s" "2:budget"
try 2 "sweep lo rx-usecs=0,1,2,3,4,5,6,7 --peer-host 127.0.0.1 --duration 60s --store $scratch/long.db" "2:--yes begins it"
try 4 "sweep lo rx-usecs=0,1 --peer-host 127.0.0.1 --store $scratch/none/runs.db" "2:none/runs.db"
try 2 "sweep lo rx-usecs=0,1 --peer-host 127.0.0.1 --resume --store $scratch/empty.db" "2:no sweep that could be resumed"
try 2 "sweep lo rx-usecs=0,1 --workload tcp --peer-host 127.0.0.1 --store $scratch/runs.db" "2:needs a program at the other end"
reads "rx-usecs 3"
empty
finish
