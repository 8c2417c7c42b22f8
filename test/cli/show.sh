#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff show: what it says about drivers that a scripted peer plays (test/peer), about those that misbehave, and about lo.
. "$(dirname "$0")/table.sh"

PEER=$(realpath "${BUILD:-build}/test/peer/peer")
if [ ! -x "$PEER" ]; then
	echo "Bail out! there is no program $PEER: run make tests, or name the build in BUILD"
	exit 1
fi
REAL=$HOLDOFF
XDG_RUNTIME_DIR=$scratch
export XDG_RUNTIME_DIR

# The checks that follow go to a peer with these options, until the next line of this kind.
peer() { # OPTION...
	{
		echo '#!/bin/sh'
		printf "exec '%s'" "$PEER"
		printf " '%s'" "$@"
		printf " -- '%s' \"\$@\"\n" "$REAL"
	} >"$scratch/peered"
	chmod +x "$scratch/peered"
	HOLDOFF=$scratch/peered
}

# Drivers with a model. Times by hand: 100 us of r8169 are three units of 40 us; 1000 us of fec are 4166 ticks of 64 clocks at 266.666666 MHz.
peer --driver r8169@6.12 --kernel 6.12.117
check 0 "show lo" "lo: r8169" "1000 Mb/s" "coalescing rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 4 of 29 fields: the driver does not have the other 25" \
	"hardware rx none: an interrupt at once (model r8169@6.12)" "model r8169@6.12: kernel 6.12.117 has its rule" "deferral none" "worst delay rx 0ns, tx 0ns" "registers CPlusCmd=0x2060 IntrMitigate=0x0000" "commit 42f66a44d837" "!not readable" "!IntrMask"
peer --driver r8169@6.12 --kernel 6.12.117 --set "rx-usecs 100"
check 0 "show lo" "coalescing rx-usecs 120" "hardware rx hold-off 120us" "worst delay rx 120us, tx 0ns" "IntrMitigate=0x0030" \
	"at 100 rx hold-off 61.44us" "warning ifdown and ifup lose this" "!IntrMask"
peer --driver r8169@6.12 --kernel 6.12.117 --speed 100 --set "rx-usecs 1228 tx-usecs 1228"
check 0 "show lo" "100 Mb/s" "coalescing rx-usecs 1229" "hardware rx hold-off 1228.8us" "reported as 1229, which is refused"
peer --driver fec@old --kernel 6.1.0 --clock 266666666 --set "rx-usecs 100"
check 0 "show lo" "hardware rx hold-off 99.84us from the first frame not yet signalled, or 200 frames (model fec@old)" \
	"tx hold-off 999.84us" "worst delay rx 99.84us, tx 999.84us" "RXIC0=0xcc8001a0" "266666666 Hz"
peer --driver fec@6.12 --no-clock-told --set "rx-usecs 100"
check 0 "show lo" "hardware rx hold-off 100us from the first frame not yet signalled, or 200 frames (by the driver's numbers)" \
	"only debugfs tells" "!registers"
peer --driver e1000e@6.1 --kernel 6.1.0
check 0 "show lo" "coalescing rx-usecs 3 1 of 29" "rx mode \"dynamic, conservative\": 49.92us to 249.856us between interrupts, by traffic" \
	"tx mode \"dynamic" "worst delay rx 249.856us, tx 249.856us" "napi id irq cpus defer-hard-irqs" "all 0"
peer --driver e1000e@6.1 --kernel 6.1.0 --set "rx-usecs 100"
check 0 "show lo" "at least 99.84us between interrupts" "model e1000e@6.1"
peer --driver tsnep@6.12 --queues 2 --napis 2
check 0 "show lo" "2 combined" "2 queues: like the device" "hardware rx hold-off 64us" "8194 51" "!queue 1:"
check 0 "show --queues lo" "queue 0: rx-usecs 64 tx-usecs 64 queue 1: rx-usecs 64 tx-usecs 64" "!like the device"
peer --driver fec@6.12 --no-per-queue
check 0 "show lo --queues" "single queues: not supported by the driver"

# Without a model.
peer --driver virtio --queues 4 --set "adaptive-rx on"
check 0 "show lo" "lo: virtio_net" "hardware rx adaptive: 1us to 256us, by traffic" "worst delay rx 256us, tx 0ns" "4 queues: like the device"
peer --driver store --supported rx-usecs,rx-frames,tx-usecs --set "rx-usecs 50 rx-frames 0 tx-usecs 0"
check 0 "show lo" "3 of 29 fields" "hold-off 50us from the first frame not yet signalled (by the driver's numbers)" "tx none: an interrupt at once"

# One queue of several, and NAPI instances that defer.
cp /dev/null "$scratch/log"
peer --driver tsnep@6.12 --queues 2 --napis 2 --state "$scratch/tsnep"
check 0 "set lo queue 1 rx-usecs 128" "verdict changed"
check 0 "show lo" "queue 1: rx-usecs 128 tx-usecs 128" "1 other queue: like the device" "worst delay rx 128us, tx 128us" ", of queue 1" \
	"changed by \"holdoff set lo queue 1 rx-usecs 128\"" "holdoff revert lo puts the old values back"
check 0 "show lo --json" '"queue": 1, "differs": true' '"changed_by_holdoff": { "command"' '"worst_ns": 128000'
check 0 "set lo napi 8194 defer-hard-irqs 2 gro-flush-timeout 200us" "verdict changed"
check 0 "show lo" "deferral 1 of 2 NAPI instances: after a poll that found frames the interrupt stays off" "polls each 200us until 2 in a row" \
	"worst delay rx 200us, tx 200us: the larger of hardware and deferral, not their sum"
check 0 "revert lo" "put back"
check 0 "show lo" "worst delay rx 64us, tx 64us" "deferral none" "!changed"
peer --driver fec@6.12 --state "$scratch/fec"
check 0 "set lo napi 8193 defer-hard-irqs 1 gro-flush-timeout 5ms" "verdict changed"
check 0 "show lo" "the driver re-arms its interrupt all the same" "worst delay rx 999.84us, tx 999.84us" "!not their sum"
check 0 "set lo napi 8193 defer-hard-irqs 0" "verdict changed"
check 0 "show lo" "deferral gro-flush-timeout without defer-hard-irqs: interrupts are as ever, segments that GRO may still merge wait up to 5ms"
check 0 "set lo napi 8193 gro-flush-timeout 18446744073709551615" "verdict changed"
check 0 "show lo" "18446744073709551615ns" "!-1ns"
check 0 "revert lo" "put back"

# What cannot be read is said, and the rest is there.
peer --driver r8169@6.12 --misbehave busy@4
check 0 "show lo" "coalescing not readable: the kernel says: the device is resetting (EBUSY)" "napi id irq" "hardware rx unknown: its settings are not readable" \
	"worst delay rx unknown, tx unknown" "!lo: lo"
check 0 "show lo --json" '"fact": "coalesce", "errno": "EBUSY"' '!"coalesce": {' '!"worst_ns"'
peer --driver r8169@6.12 --misbehave busy@5
check 0 "show lo" "napi not readable" "deferral unknown" "worst delay rx unknown, tx unknown" "coalescing rx-usecs 0"
peer --driver r8169@6.12 --misbehave hang-up
check 0 "show lo" "lo: the other end of the netlink connection is gone" "coalescing not readable"
peer --driver r8169@6.12 --misbehave truncated
check 0 "show lo" "coalescing not readable: a netlink message is cut off"
peer --driver r8169@6.12 --misbehave missing
check 0 "show lo" "coalescing rx-frames 1 tx-usecs 0 tx-frames 1 3 of 29"
peer --driver r8169@6.12 --misbehave gone
check 5 "show lo" "2:no device matches name"
check 5 "show --json lo" "2:no device matches name"

# Watching: a line at first, and one for what somebody else changes meanwhile, until interrupted.
lines_of_output() { # N: waits for so many
	tries=0
	while [ "$(grep -c '' "$scratch/out")" -lt "$1" ] && [ $tries -lt 200 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}
watch() { # FILE OPTION...
	state=$1
	shift
	: >"$scratch/out"
	"$PEER" --driver r8169@6.12 --state "$state" -- sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/pid" "$REAL" show lo --watch "$@" \
		>"$scratch/out" 2>"$scratch/err" &
	watcher=$!
	lines_of_output 1
	"$PEER" --driver r8169@6.12 --state "$state" --apply "rx-usecs 100" >/dev/null
	lines_of_output 2
	"$PEER" --driver r8169@6.12 --state "$state" --apply "rx-usecs 110" >/dev/null # 120us like the one before
	"$PEER" --driver r8169@6.12 --state "$state" --apply "rx-usecs 0 rx-frames 0" >/dev/null
	lines_of_output 3
	kill -INT "$(cat "$scratch/pid")"
	wait $watcher
	status=$?
}
watch "$scratch/watched"
[ $status -eq 0 ] && [ ! -s "$scratch/err" ]
report $? "watching ends with SIGINT, status 0"
[ "$(sed 's/^[^ ]* //' "$scratch/out")" = "lo: rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1
lo: rx-usecs 120 rx-frames 0, was rx-usecs 0 rx-frames 1
lo: rx-usecs 0 rx-frames 1, was rx-usecs 120 rx-frames 0" ]
report $? "a line for each change, none for what changes nothing"
sed 's/^/# /' "$scratch/out" "$scratch/err"
watch "$scratch/watched.json" --json
[ "$(grep -c '^{"schema": "holdoff.watch/1", .*}$' "$scratch/out")" = 3 ] && [ "$(grep -c '' "$scratch/out")" = 3 ]
report $? "with --json a document on a line for each"
grep -q '"changed": {"rx_usecs": 120, "rx_frames": 0}, "before": {"rx_usecs": 0, "rx_frames": 1}, "coalesce": {"rx_usecs": 120,' "$scratch/out"
report $? "with what changed, what it was, and all of it"
! head -n 1 "$scratch/out" | grep -q '"before"'
report $? "the first one without a before"
sed 's/^/# /' "$scratch/out"

# This machine's own: read only.
HOLDOFF=$REAL
check 0 "show lo" "lo: no driver" "coalescing not supported by the driver" "vectors none of its own" "hardware rx none: there is no hardware"
check 0 "show lo --json" '"schema": "holdoff.show/1"' '"name": "lo"' '"fact": "coalesce", "errno": "EOPNOTSUPP"' '!"coalesce": {'
check 0 "show lo lo --json" '"name": "lo"' '"devices": ['
check 0 "show" "!lo:"
if [ -e /sys/class/net/eth0/device ]; then
	check 0 "show eth0" "eth0:" "link" "worst delay"
	# Two ways into the kernel, the ioctl of single queues and netlink, and one queue: the same numbers.
	whole=$("$HOLDOFF" show eth0 | sed -n 's/^  coalescing  //p')
	queue=$("$HOLDOFF" show eth0 --queues | sed -n 's/^ *queue 0: //p')
	if [ "$queue" ] && [ "$(ls -d /sys/class/net/eth0/queues/rx-* | wc -l)" -eq 1 ]; then
		[ "$queue" = "$whole" ]
		report $? "the only queue of eth0 has what eth0 has: $queue"
	else
		report 0 "single queues # SKIP eth0 has none that can be read, or several"
	fi
	check 0 "show eth0 --json" '"name": "eth0"' '"moderation": {'
else
	report 0 "show eth0 # SKIP there is no eth0 with a device"
fi

# One that is not there beside one that is: said, and the other is shown.
"$REAL" show lo nosuch0 >"$scratch/out" 2>"$scratch/err"
[ $? -eq 0 ] && grep -q '^lo: ' "$scratch/out" && [ "$(grep -c nosuch0 "$scratch/err")" = 1 ]
report $? "an unknown interface beside a known one is said"

# Bad input.
check 5 "show nosuch0" "2:nosuch0"
check 5 "show loo" "2:did you mean" "2:lo"
check 5 "show ''" "2:holdoff"
check 5 "show a/b" "2:a/b"
check 5 "show 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x" "2:holdoff"
check 5 "show --watch nosuch0" "2:nosuch0"
check 2 "show --quues" "2:did you mean --queues?"
check 2 "show --netns" "2:--netns needs a value"
check 2 "show --json=yes lo" "2:--json takes no value"
check 0 "show --help" "usage: holdoff show" "--watch"

finish
