#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff set, revert and confirm with the real kernel: a tap interface in a namespace of this test, whose driver takes rx-frames up to 64. Its
# own interfaces only; needs root.
needs_tap=yes
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
mount -t sysfs none /sys

HOLDOFF_STATE_DIR=$scratch/journal
export HOLDOFF_STATE_DIR
mkdir -m 755 "$HOLDOFF_STATE_DIR"

# says STATUS PART COMMAND...: the exit status, and a part of what it says on either stream.
says() {
	status=$1 part=$2
	shift 2
	"$@" >"$scratch/out" 2>&1 </dev/null
	got=$?
	[ $got -eq "$status" ] && tr -s ' \n' ' ' <"$scratch/out" | grep -q -- "$part"
	report $? "${*#"$HOLDOFF"}"
	[ $got -eq "$status" ] || echo "# exit status $got, expected $status"
	tr -s ' \n' ' ' <"$scratch/out" | grep -q -- "$part" || sed "s/^/# not \"$part\": /" "$scratch/out"
}

reads() { # DEV VALUE
	"$HOLDOFF" set "$1" rx-frames "$2" --dry-run >"$scratch/out" 2>&1 && grep -q 'already so' "$scratch/out"
	report $? "$1 reads rx-frames $2"
}

empty() {
	[ -z "$(ls "$HOLDOFF_STATE_DIR")" ]
	report $? "the journal is empty"
}

# Waits for the journal to be empty: at most 60 s.
is_back() {
	for _ in $(seq 1200); do
		[ -n "$(ls "$HOLDOFF_STATE_DIR")" ] || return 0
		sleep 0.05
	done
	return 1
}
back() {
	is_back
	empty
}

# on_trial VALUE COMMAND: runs it with a time in $span, and looks whether tap7 has the value then. On a machine with other work even the
# look may come after that time: then the trial is one of a longer time.
on_trial() {
	for span in 300ms 1s 4s 16s; do
		eval "$2" >"$scratch/said" 2>&1 </dev/null
		"$HOLDOFF" set tap7 rx-frames "$1" --dry-run >"$scratch/out" 2>&1
		grep -q 'already so' "$scratch/out" && break
		echo "# once more: $span were over before tap7 was read"
		is_back
	done
	grep -q 'already so' "$scratch/out"
	report $? "tap7 reads rx-frames $1: $2"
}

ip tuntap add dev tap7 mode tap
says 0 "requested 16, reported 16: as asked" "$HOLDOFF" set tap7 rx-frames 16
says 0 "put back rx-frames 0" "$HOLDOFF" revert tap7
reads tap7 0
says 0 "requested 1000, reported 64: rounded" "$HOLDOFF" set tap7 rx-frames 1000
says 0 "put back rx-frames 0" "$HOLDOFF" revert
says 3 "has no rx-usecs; the nearest that it has is rx-frames" "$HOLDOFF" set tap7 rx-usecs 5
says 3 "settings of single queues" "$HOLDOFF" set tap7 queue 0 rx-frames 5
says 3 "tells no single NAPI instances of tap7: napi 0 stands for the whole device" "$HOLDOFF" set tap7 napi 5 defer-hard-irqs 1
empty

# A trial ends by itself: also when its whole session is killed, and when it is hung up.
on_trial 8 '"$HOLDOFF" set tap7 rx-frames 8 --for $span'
tr -s ' \n' ' ' <"$scratch/said" | grep -q "by itself in $span"
report $? "it will go back by itself in $span"
back
reads tap7 0
on_trial 9 'setsid sh -c "\"\$1\" set tap7 rx-frames 9 --until-confirmed $span; kill -9 -\$\$" sh "$HOLDOFF"'
grep -q 'verdict *changed' "$scratch/said"
report $? "set in a session that is then killed"
back
reads tap7 0
# Confirmed in time, which gets longer until it is.
for span in 300ms 1s 4s 16s; do
	"$HOLDOFF" set tap7 rx-frames 8 --until-confirmed $span >"$scratch/said" 2>&1
	"$HOLDOFF" confirm tap7 >"$scratch/said" 2>&1 && break
	is_back
done
tr -s ' \n' ' ' <"$scratch/said" | grep -q "stays as it is"
report $? "confirmed within $span"
case $span in
*ms) sleep 0.5 ;;
*) sleep $((${span%s} + 1)) ;;
esac
reads tap7 8
says 0 "put back rx-frames 0" "$HOLDOFF" revert

# Other names, other interfaces of that name, none.
says 0 "" "$HOLDOFF" set tap7 rx-frames 16
ip link set tap7 name lan7
says 0 "interface lan7 put back rx-frames 0" "$HOLDOFF" revert
says 0 "" "$HOLDOFF" set lan7 rx-frames 16
ip link del lan7
ip tuntap add dev lan7 mode tap
says 0 "lan7 is gone" "$HOLDOFF" revert
says 0 "nothing to put back" "$HOLDOFF" revert
says 0 "" "$HOLDOFF" set lan7 rx-frames 8 --for 200ms
ip link del lan7
back

# Another namespace: also where the helper works, and /sys, where the deferral of a device without NAPI instances is.
namespace=holdoff-change-$$
if ip netns add "$namespace" 2>/dev/null; then
	trap 'ip netns del "$namespace"; rm -rf "$scratch"' EXIT
	trap 'exit 1' INT TERM
	ip netns exec "$namespace" ip tuntap add dev tap9 mode tap
	says 5 "tap9" "$HOLDOFF" set tap9 rx-frames 8
	says 0 "as asked" "$HOLDOFF" set --netns "$namespace" tap9 rx-frames 8 --for 300ms
	back
	says 0 "way back holdoff revert tap9 --netns $namespace" "$HOLDOFF" set --netns "$namespace" tap9 rx-frames 8
	says 0 "holdoff revert tap9 --netns $namespace puts the old values back" "$HOLDOFF" show --netns "$namespace" tap9
	says 0 "or holdoff revert tap9 --netns $namespace; holdoff confirm tap9 --netns $namespace keeps it" "$HOLDOFF" set --netns "$namespace" tap9 rx-frames 9 --for 60s
	says 0 "holdoff revert tap9 --netns $namespace puts it back" "$HOLDOFF" confirm --netns "$namespace"
	says 0 "put back rx-frames 0" "$HOLDOFF" revert tap9 --netns "$namespace"
	says 0 "rx-frames was 0" "$HOLDOFF" set --netns "$namespace" tap9 rx-frames 8 --dry-run
	says 0 "gro-flush-timeout was 0ns, requested 20us, reported 20us" "$HOLDOFF" set --netns "$namespace" tap9 napi 0 gro-flush-timeout 20us
	says 0 "nothing to put back" "$HOLDOFF" revert
	says 0 "napi 0 gro-flush-timeout 0ns" "$HOLDOFF" revert --netns "$namespace"
	empty
else
	report 0 "another namespace # SKIP it cannot be made"
fi

# Without the right to: said before anything is journalled.
ip tuntap add dev tap8 mode tap
if command -v setpriv >/dev/null && cp "$HOLDOFF" "$scratch/holdoff" && chmod 755 "$scratch" "$scratch/holdoff"; then
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all"
	says 4 "needs CAP_NET_ADMIN" $nobody env -u HOLDOFF_STATE_DIR XDG_RUNTIME_DIR="$scratch/none" "$scratch/holdoff" set tap8 rx-frames 3
	says 0 "dry run" $nobody "$scratch/holdoff" set tap8 rx-frames 3 --dry-run
	reads tap8 0
	empty
	says 0 "nothing to put back that this user has changed" $nobody "$scratch/holdoff" revert
	# What root has changed can be seen by everybody.
	mount -t tmpfs none /run
	says 0 "requested 16, reported 16: as asked" env -u HOLDOFF_STATE_DIR "$HOLDOFF" set tap8 rx-frames 16
	says 0 'changed by "holdoff set tap8 rx-frames 16"' $nobody env -u HOLDOFF_STATE_DIR "$scratch/holdoff" show tap8
	says 0 "nothing to put back that this user has changed" $nobody env -u HOLDOFF_STATE_DIR "$scratch/holdoff" revert
	says 0 "put back rx-frames 0" env -u HOLDOFF_STATE_DIR "$HOLDOFF" revert tap8
	umount /run
fi
finish
