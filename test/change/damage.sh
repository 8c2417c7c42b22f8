#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Putting back when something is broken: the kernel's answers, the disk, the journal, the helper.
. "$(dirname "$0")/with_peer.sh"

# The server of the last command, which a helper may still hold, answers as it was begun: it has to be gone before the peer does otherwise.
server_ends() {
	for _ in $(seq 1000); do
		[ -e "$scratch/device$number.socket" ] || return
		sleep 0.02
	done
	report 1 "the server of the last command ends"
}

# The peer of before, which answers a request of the next command in another way: misbehave KIND@N, until "behave".
misbehave() {
	server_ends
	behaved=$options
	options="$options --misbehave $1"
}

behave() {
	server_ends
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

# ---- queues that there are not ----
peer --driver virtio --queues 4
try 1 "set lo queue 4 rx-usecs 1" "2:lo has no queue 4, the last is 3"
try 2 "set lo queue 99999 rx-usecs 1" "2:queue 99999: queues up to 255 can be named"
try 2 "set lo queue 0-3,5,7- rx-usecs 1" "2:not \"0-3,5,7-\""
try 2 "set lo queue 3-1 rx-usecs 1" "2:not \"3-1\""
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

# ---- the journal ----
# A damaged entry is in the way of its own interface only.
peer --driver store --supported rx-usecs --set "rx-usecs 120"
try 0 "set lo rx-usecs 20"
entry=$(ls "$HOLDOFF_STATE_DIR"/*.entry)
other=${entry%-if*}-if4711.entry
cp "$entry" "$scratch/entry"
echo rubbish >"$entry"
cp "$scratch/entry" "$other"
try 7 "revert --list" "interface lo" "damaged" "its checksum does not fit" "interface if4711" "an entry of another interface"
try 7 "revert --list --json" '"verdict": "damaged"'
try 0 "show lo" "changed by holdoff, but" "its checksum does not fit"
try 1 "set lo rx-usecs 30" "2:its checksum does not fit" "2:remove the file"
try 1 "confirm lo" "2:its checksum does not fit"
try 5 "confirm" "2:its checksum does not fit" "2:if4711"
try 7 "revert" "2:lo COULD NOT BE PUT BACK" "2:if4711 is gone"
cp "$scratch/entry" "$entry"
try 0 "revert" "put back rx-usecs 120"
reads "rx-usecs 120"
empty

# ---- the helper ----
peer --driver store --supported rx-usecs --set "rx-usecs 120"
try 0 "set lo rx-usecs 20 --until-confirmed 5000s"
try 0 "revert --list" "put back in 49" "!helper"
helper=$(sed -n 's/^helper-pid = //p' "$HOLDOFF_STATE_DIR"/*.entry)
kill -9 "$helper"
for _ in $(seq 500); do
	grep -q '^State:.*[DRS] ' "/proc/$helper/status" 2>/dev/null || break
	sleep 0.01
done
try 0 "revert --list" "not by itself any more, its helper is gone" "!put back in"
try 0 "revert --list --json" '"helper_is_gone": true'
try 0 "show lo" "not done by itself any more: its helper is gone"
try 0 "show lo --json" '"helper_is_gone": true'
try 1 "set lo rx-usecs 30" "2:its helper is gone"
try 0 "revert lo" "put back rx-usecs 120"
reads "rx-usecs 120"
empty

finish
