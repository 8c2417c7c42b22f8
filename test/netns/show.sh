#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff show on interfaces of a network namespace that is made for the test: drivers without coalescing, deferral in /sys, names. Needs root.
. "$(dirname "$0")/../cli/table.sh"

namespace=holdoff-show-$$
if ! ip netns add "$namespace" 2>"$scratch/err"; then
	echo "1..0 # SKIP no network namespace can be made: $(head -n 1 "$scratch/err")"
	exit 0
fi
trap 'ip netns del "$namespace"; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
inside() {
	ip netns exec "$namespace" "$@"
}

check 0 "show --netns $namespace" "there is no interface but lo"
check 0 "show --netns $namespace --json" '"devices": []'
check 0 "show --netns $namespace lo" "lo: no driver" "link down"

# In a chroot, whose root is no mount. The mounts are those of this line alone.
in_chroot() {
	unshare -m sh -ec '
		mkdir -p "$1/root"
		cd "$1/root"
		mkdir -p bin lib lib64 usr run proc sys
		for folder in bin lib lib64 usr run proc; do
			[ ! -d "/$folder" ] || mount --rbind "/$folder" "$folder"
		done
		mount -t sysfs sys sys
		cp "$2" holdoff
		inode=$(stat -c %d sys)
		chroot . /holdoff show --netns "$3" lo
		[ "$(stat -c %d sys)" = "$inode" ] && echo "sys is as it was"' sh "$scratch" "$HOLDOFF" "$namespace"
}
if unshare -m true 2>/dev/null; then
	in_chroot >"$scratch/out" 2>"$scratch/err" </dev/null
	grep -q "lo: no driver" "$scratch/out" && grep -q "sys is as it was" "$scratch/out"
	report $? "show --netns in a chroot"
	sed 's/^/# /' "$scratch/err"
else
	report 0 "in a chroot # SKIP no mount namespace can be made"
fi

if ! inside ip link add left type veth peer name right 2>"$scratch/err"; then
	report 0 "veth # SKIP $(head -n 1 "$scratch/err")"
	finish
	exit
fi
check 0 "show --netns $namespace" "left: veth, no coalescing" "right: veth, no coalescing" "!hardware"
check 0 "show --netns /run/netns/$namespace left" "left: veth" "coalescing not supported by the driver" "hardware rx none: there is no hardware" "worst delay rx 0ns"
check 0 "show --netns $namespace --json left right" '"name": "left"' '"name": "right"' '"errno": "EOPNOTSUPP"'
check 5 "show left" "2:left"

# Deferral is shown although there is no coalescing.
inside ip link set left up
inside ip link set right up
inside sh -c 'echo 20000 >/sys/class/net/left/gro_flush_timeout; echo 2 >/sys/class/net/left/napi_defer_hard_irqs'
check 0 "show --netns $namespace" "left: veth" "polls each 20us until 2 in a row" "worst delay rx 20us, tx 20us" "right: veth, no coalescing"
inside sh -c 'echo 0 >/sys/class/net/left/napi_defer_hard_irqs'
check 0 "show --netns $namespace left" "segments that GRO may still merge wait up to 20us" "worst delay rx 0ns"

# Names: a long one, an alternative one, a nearest one.
inside ip link set right down
inside ip link set right name enx020000000012
check 0 "show --netns $namespace enx020000000012" "enx020000000012: veth"
check 5 "show --netns $namespace right" "2:right"
check 5 "show --netns $namespace enx02000000001" "2:did you mean" "2:enx020000000012"
if inside ip link property add dev left altname a-name-that-is-longer-than-fifteen 2>/dev/null; then
	check 0 "show --netns $namespace a-name-that-is-longer-than-fifteen" "left: veth"
else
	report 0 "an alternative name # SKIP this kernel or ip has none"
fi
"$HOLDOFF" show --netns "$namespace" left enx020000000012 | awk 'length > 100 { wide = 1 } END { exit wide }'
report $? "no line is longer than 100 columns"

# Of a hundred, one by one.
for i in $(seq 50); do
	echo "link add a$i type veth peer name b$i"
done >"$scratch/batch"
inside ip -batch "$scratch/batch"
"$HOLDOFF" show --netns "$namespace" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 0 ] && [ "$(grep -c ': veth, no coalescing$' "$scratch/out")" -ge 100 ] && [ ! -s "$scratch/err" ]
report $? "a hundred interfaces"

# One that is renamed while it is watched, and changed then.
if inside ip tuntap add dev before mode tap 2>/dev/null; then
	: >"$scratch/out"
	inside timeout 30 "$HOLDOFF" show --watch before >"$scratch/out" 2>&1 &
	watcher=$!
	wait_for() { # PATTERN: at most 10 s
		tries=0
		while ! grep -q "$1" "$scratch/out" && [ $tries -lt 100 ]; do
			tries=$((tries + 1))
			sleep 0.1
		done
		grep -q "$1" "$scratch/out"
	}
	wait_for ' before: rx-frames 0$'
	inside ip link set before name after
	HOLDOFF_STATE_DIR=$scratch "$HOLDOFF" set --netns "$namespace" after rx-frames 3 >/dev/null
	wait_for ' after: rx-frames 3, was rx-frames 0$'
	report $? "a renamed interface is watched under its present name"
	sed 's/^/# /' "$scratch/out"
	inside ip link del after
	wait $watcher
else
	report 0 "a renamed interface # SKIP no tap interface can be made"
fi

# One that goes while it is watched.
: >"$scratch/out"
ip netns exec "$namespace" timeout 30 "$HOLDOFF" show --watch left >"$scratch/out" 2>"$scratch/err" &
watcher=$!
tries=0
while [ ! -s "$scratch/out" ] && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
grep -q ' left: no coalescing$' "$scratch/out"
report $? "watching begins with what there is"
inside ip link del left
wait $watcher
[ $? -eq 5 ] && grep -q 'left' "$scratch/err"
report $? "the last one watched is gone: said, status 5"
sed 's/^/# /' "$scratch/err"

check 2 "show --netns holdoff-nosuch" "2:holdoff-nosuch"
check 2 "show --netns /dev/null lo" "2:/dev/null"

# Nobody may look too.
if command -v setpriv >/dev/null; then
	echo '#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$0.program" "$@"' >"$scratch/holdoff"
	cp "$HOLDOFF" "$scratch/holdoff.program"
	chmod 755 "$scratch" "$scratch/holdoff" "$scratch/holdoff.program"
	HOLDOFF=$scratch/holdoff
	check 0 "show lo" "lo: no driver" "worst delay"
	check 4 "show --netns $namespace lo" "2:$namespace"
else
	report 0 "as nobody # SKIP setpriv is not installed"
fi

finish
