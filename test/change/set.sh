#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff set, revert and confirm, as people type them, against a peer that plays the kernel: exit statuses and what is said.
. "$(dirname "$0")/with_peer.sh"

# ---- what is sent ----
peer --driver r8169@6.12 --speed 1000
try 0 "set lo rx-usecs 100" "rx-usecs was 0, requested 100, reported 120: rounded" "rx-usecs 100 becomes 120us" "way back holdoff revert lo" "verdict changed"
sent 1 "coalesce-set rx-usecs 100 ="
try 0 "set lo rx-usecs=120" "already so: nothing was sent" "!no time begins" "!way back"
try 0 "set lo rx-usecs=120 --for 60s" "already so: nothing was sent, and no time begins" "!way back"
try 0 "revert lo" "put back rx-usecs 0" "as it was before"
reads "rx-usecs 0 rx-frames 1"
empty
try 1 "set lo rx-usecs 3000" "refused" "ERANGE" "nearest that it takes is 2400" "--force"
sent 0 "3000"
try 1 "set lo rx-usecs 3000 --force" "2:ERANGE" "2:everything is as it was before"
sent 1 "3000"
empty
try 0 "set lo rx-usecs 100 tx-usecs 0 --dry-run" "requested 100: not sent" "tx-usecs was 0, requested 0, reported 0: already so" "dry run"
sent 1 "rx-usecs 100"
try 1 "set lo rx-usecs 3000 --dry-run" "refused" "dry run"
empty

# ---- what cannot be asked ----
try 3 "set lo adaptive-rx off" "2:has no adaptive-rx; it has rx-usecs, rx-frames, tx-usecs, tx-frames"
try 2 "set lo adpative-rx on" "2:did you mean adaptive-rx"
try 2 "set lo rx-usec 1" "2:did you mean rx-usecs"
try 2 "set lo" "2:nothing is asked"
try 2 "set" "2:needs an interface"
try 2 "set lo rx-usecs 1 --for 10" "2:--for"
try 2 "set lo rx-usecs 1 --for 0s" "2:no time" "2:at most 30d"
try 2 "set lo rx-usecs 1 --for 1s --until-confirmed 1s" "2:not both"
try 5 "set nosuch0 rx-usecs 1" "2:nosuch0"
try 3 "set lo queue 0 rx-usecs 1" "2:single queues"
try 1 "set lo napi 4 defer-hard-irqs 1" "2:no NAPI instance 4"
peer --driver store --supported rx-usecs-irq,rx-frames-irq
try 3 "set lo rx-usecs 50" "2:the nearest that it has is rx-usecs-irq"

# ---- zero and zero is the threads' own command ----
peer --driver r8169@6.12 --set "rx-usecs 100 tx-usecs 100"
try 0 "set lo rx-usecs 0 rx-frames 0 tx-usecs 0 tx-frames 0" "warning" "both 0" "rx-usecs was 120, requested 0, reported 0: as asked"
try 0 "revert lo" "rx-usecs 120"
peer --driver store --set "rx-usecs 100 rx-frames 9"
try 0 "set lo rx-usecs 0 rx-frames 0" "rx-usecs and rx-frames are both 0, which ethtool's rules forbid" "as asked"
try 0 "revert lo" "put back rx-usecs 100 rx-frames 9"

# ---- adaptive, queues, NAPI ----
peer --driver virtio --queues 3 --napis 2 --set "adaptive-rx on"
try 1 "set lo rx-usecs 50" "rx-usecs 50 would not hold while adaptive-rx is on" 'ask for "adaptive-rx off"'
sent 0 "coalesce-set rx-usecs 50"
try 0 "set lo rx-usecs 50 adaptive-rx off queue 2 tx-usecs 7 napi 8194 gro-flush-timeout 20us threaded on" "adaptive-rx was on, requested off, reported off: as asked" \
	"queue 2 tx-usecs was 0, requested 7, reported 7: as asked" "napi 8194 gro-flush-timeout was 0ns, requested 20us, reported 20us: as asked" \
	"napi 8194 threaded was off, requested on, reported on: as asked"
try 0 "revert" "adaptive-rx on" "queue 2 rx-usecs 0 tx-usecs 0" "napi 8194 gro-flush-timeout 0ns threaded off"
reads "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx on"
empty
peer --driver tsnep@6.12 --queues 3
try 1 "set lo queue 0 rx-usecs 32 queue 1 rx-usecs 300 queue 2 rx-usecs 48" "queue 1: the driver refuses it with ERANGE"
try 1 "set lo queue 0 rx-usecs 32 queue 1 rx-usecs 300 queue 2 rx-usecs 48 --force" "2:queue 1" "2:everything is as it was before"
reads "rx-usecs 64 tx-usecs 64"
empty
# tsnep takes tx-usecs for a queue with both directions and does nothing with it.
try 0 "set lo queue 1 rx-usecs 33" "queue 1 rx-usecs was 64, requested 33, reported 32: rounded" "tx-usecs was 64, reported 32: changed with it"
try 0 "revert lo" "queue 1 rx-usecs 64"
empty
# Every order of queue and device comes back to the first values. What the device reports is what queue 0 has.
all_queues() {
	try 0 "show lo --queues" "queue 0: rx-usecs 64" "queue 1: rx-usecs 64" "queue 2: rx-usecs 64"
}
try 0 "set lo queue 0 rx-usecs 32"
try 0 "set lo rx-usecs 32" "already so" "warning queue 1 keeps rx-usecs 64" "warning queue 2 keeps rx-usecs 64" "!queue 0 keeps"
try 0 "set lo rx-usecs 32 queue 1 rx-usecs 32" "!queue 1 keeps" "warning queue 2 keeps rx-usecs 64" "queue 1 rx-usecs was 64, requested 32"
try 0 "set lo rx-usecs 16" "rx-usecs was 32, requested 16, reported 16: as asked" "queue 2 rx-usecs was 64, reported 16: changed with it" "!queue 0 rx" "!queue 1 rx"
try 0 "revert lo"
all_queues
empty
try 0 "set lo rx-usecs 16" "!queue"
try 0 "set lo queue 0 rx-usecs 32"
try 0 "revert lo"
all_queues
empty
try 0 "set lo rx-usecs 16"
try 0 "set lo queue 1 rx-usecs 32"
try 0 "revert lo"
all_queues
empty
try 0 "set lo rx-usecs 16"
try 0 "set lo queue 0 rx-usecs 64"
try 0 "revert lo"
all_queues
empty

# ---- accepted and ignored ----
peer --driver tsnep@6.12
try 1 "set lo tx-usecs 32" "tx-usecs was 64, requested 32, reported 64: no effect" "the driver ignored it" "tx-usecs 32 is ignored"
empty
try 1 "set lo tx-usecs 32 --for 60s" "no effect" "!way back"
empty

# ---- read-back ----
peer --driver r8169@6.12 --speed 100 --set "rx-usecs 1228"
reads "rx-usecs 1229"
try 0 "set lo rx-usecs 20" "rx-usecs was 1229, requested 20, reported 21: rounded"
try 0 "revert lo" "put back rx-usecs 1229"
reads "rx-usecs 1229"
try 0 "set lo rx-usecs 1228" "requested 1228, reported 1229: rounded" "already so: the driver rounds it"
empty

# ---- trials ----
try 0 "set lo rx-usecs 20 --until-confirmed 60s" "unless holdoff confirm lo comes"
try 0 "revert --list" "changed by holdoff set lo rx-usecs 20 --until-confirmed 60s" "unless confirmed"
try 1 "set lo rx-frames 4" "2:on trial" "2:holdoff confirm lo or holdoff revert lo"
try 0 "confirm lo" "lo stays as it is"
try 1 "confirm lo" "2:nothing is on trial"
try 1 "confirm" "2:nothing is on trial"
try 0 "revert lo"
reads "rx-usecs 1229"
try 0 "set lo rx-usecs 20 --for 60s" "by itself in 60s"
try 0 "revert" "put back rx-usecs 1229"
empty
try 1 "revert lo" "2:changed nothing"
try 0 "revert" "nothing to put back"

# ---- somebody else ----
try 0 "set lo rx-usecs 20"
eval "'$PEER' $options --apply 'rx-usecs 300'" >/dev/null
try 1 "revert lo" "left alone rx-usecs 308" "not all is as it was before: holdoff revert lo --force" "2:somebody else"
try 0 "show lo" "which has failed: rx-usecs 308 is not what holdoff left there" "It is left as it is" "!?"
try 0 "revert lo --force" "put back rx-usecs 1229"
empty

# ---- refusals of the kernel, permission, damage ----
peer --driver r8169@6.12 --misbehave forbidden
try 4 "set lo rx-usecs 20" "2:CAP_NET_ADMIN"
empty
peer --driver r8169@6.12 --misbehave busy@13
try 1 "set lo rx-usecs 20" "2:the device is resetting"
reads "rx-usecs 0"
empty
peer --driver r8169@6.12
try 0 "set lo rx-usecs 20"
for entry in "$HOLDOFF_STATE_DIR"/*.entry; do
	sed -i s/rx-usecs/tx-usecs/ "$entry"
done
try 7 "revert lo" "2:COULD NOT BE PUT BACK" "2:damaged"
rm -f "$HOLDOFF_STATE_DIR"/*.entry

# ---- the same values in other commands ----
peer --driver virtio --napis 1 --set "adaptive-rx on"
echo "ethtool -C lo adaptive-rx off" >"$scratch/other"
try 1 "lint '$scratch/other' --against lo" "lo has adaptive-rx on now, the file says off"
try 0 "set lo napi 8193 irq-suspend-timeout 20us"
try 0 "emit lo --format ethtool" "ethtool -C lo" "2:irq-suspend-timeout 20000 ns"
try 0 "revert lo"

# ---- JSON ----
peer --driver store --supported rx-usecs,adaptive-rx
try 0 "set lo rx-usecs 20 --json" '"schema": "holdoff.set/1"' '"outcome": "as_asked"' '"verdict": "changed"'
try 0 "revert lo --json" '"schema": "holdoff.revert/1"' '"verdict": "put_back"'
try 1 "revert lo --json" '"verdict": "nothing_to_do"' "2:changed nothing"
try 0 "set lo rx-usecs 20 --for 60s --json" '"put_back_after_ns": 60000000000' '"until_confirmed": false'
try 0 "confirm lo --json" '"schema": "holdoff.confirm/1"' '"confirmed": true'
try 0 "revert lo"
empty

finish
