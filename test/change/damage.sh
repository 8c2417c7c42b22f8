#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Putting back when something is broken: the kernel's answers, the disk, the journal, the helper.
. "$(dirname "$0")/with_peer.sh"

# The peer of before, which answers a request of the next command in another way: misbehave KIND@N, until "behave". The server that
# the last command's helper may still hold has to be gone.
misbehave() {
	behaved=$options
	for _ in $(seq 200); do
		[ -e "$scratch/device$number.socket" ] || break
		sleep 0.02
	done
	options="$options --misbehave $1"
}

behave() {
	options=$behaved
}

# ---- the kernel ----
# Requests of revert: the driver's name, speed, rings and channels, then the settings.
peer --driver store --supported rx-usecs,tx-usecs --set "rx-usecs 120 tx-usecs 30"
try 0 "set lo rx-usecs 20"
misbehave missing@4
try 7 "revert lo" "2:COULD NOT BE PUT BACK" "2:rx-usecs of lo is not reported any more"
behave
reads "rx-usecs 20"
try 0 "revert lo" "put back rx-usecs 120"
reads "rx-usecs 120"
empty

try 0 "set lo rx-usecs 20"
misbehave busy@5
try 7 "revert lo" "2:COULD NOT BE PUT BACK" "2:the device is resetting"
behave
try 0 "revert --list" "failed" "the device is resetting"
try 0 "revert lo" "put back rx-usecs 120"
empty

try 0 "set lo rx-usecs 20"
misbehave forbidden
try 4 "revert lo" "2:needs root"
behave
try 0 "revert --list" "!failed"
try 0 "set lo rx-usecs 21"
try 0 "revert lo" "put back rx-usecs 120"
empty

# Settings of a NAPI instance, too: a change over one that did not go back leads to before both.
peer --driver store --supported rx-usecs --napis 1
try 0 "set lo napi 8193 gro-flush-timeout 3us"
misbehave forbidden
try 4 "revert lo" "2:needs root"
behave
try 0 "set lo napi 8193 gro-flush-timeout 4us"
try 0 "revert lo" "put back napi 8193 gro-flush-timeout 0"
empty

# ---- the disk ----
# Runs holdoff where no file can be written any more, as on a full disk; what it says is in $scratch/out.
full() {
	eval "'$PEER' $options -- sh -c 'trap \"\" XFSZ; ulimit -f 0; exec \"\$0\" \"\$@\" 2>&1' '$HOLDOFF' $*" | cat >"$scratch/out"
}

peer --driver store --supported rx-usecs --set "rx-usecs 120"
full set lo rx-usecs 20
grep -q "cannot be written: File too large" "$scratch/out"
report $? "without place for an entry nothing is changed"
reads "rx-usecs 120"
empty
try 0 "set lo rx-usecs 20"
full revert lo
grep -q "put back *rx-usecs 120" "$scratch/out"
report $? "what was changed is put back all the same"
reads "rx-usecs 120"
empty

finish
