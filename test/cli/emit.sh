#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff emit: files of others from settings. What a format cannot say is said on stderr, also when all is well.
. "$(dirname "$0")/table.sh"

# emits STATUS 'ARGUMENTS' 'STDERR' PART...: as check, but stderr has to be just this; "" for none. White space counts as one blank.
emits() {
	status=$1 arguments=$2 expected_err=$3
	shift 3
	eval "\"\$HOLDOFF\" emit $arguments" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	out=$(tr -s ' \n\t' ' ' <"$scratch/out")
	err=$(tr -s ' \n\t' ' ' <"$scratch/err" | sed 's/ $//')
	wrong=
	[ "$got" -eq "$status" ] || wrong="exit status $got, expected $status"
	[ "$err" = "$expected_err" ] || wrong="$wrong; stderr is \"$err\""
	for part; do
		case $part in
		!*) case $out in *"${part#!}"*) wrong="$wrong; stdout has \"${part#!}\"" ;; esac ;;
		*) case $out in *"$part"*) ;; *) wrong="$wrong; stdout lacks \"$part\"" ;; esac ;;
		esac
	done
	[ -z "$wrong" ]
	report $? "holdoff emit $arguments"
	[ -z "$wrong" ] || echo "# ${wrong#; }"
}

nameless="holdoff: no device is given: put it in the place of DEV"

# lo is everywhere and has neither a permanent address nor a place.
by_name="holdoff: lo has no permanent address or place that is known here: it is matched by its name, which udev may change"
emits 0 "lo rx-usecs 100" "$by_name" "[Match] OriginalName=lo [Link]" "RxCoalesceSec=100us" "NamePolicy=keep kernel"
emits 0 "lo rx-usecs 100 --format ethtool" "" "ethtool -C lo rx-usecs 100"
emits 0 "no-such-nic rx-usecs=100 --format=ethtool" "holdoff: there is no no-such-nic here" "ethtool -C no-such-nic rx-usecs 100"
emits 0 "rx-usecs 100 --format ethtool" "$nameless" "ethtool -C DEV rx-usecs 100"

# The values of 50-good.link; and units are always written.
emits 0 "adaptive-rx off rx-usecs 0 tx-usecs 0" "$nameless" "UseAdaptiveRxCoalesce=no" "RxCoalesceSec=0us" "TxCoalesceSec=0us"
emits 0 "sample-interval 5 stats-block-usecs 1000000 rx-frames 8" "$nameless" "CoalescePacketRateSampleIntervalSec=5s" \
	"StatisticsBlockCoalesceSec=1000000us" "RxMaxCoalescedFrames=8 "
emits 0 "adaptive-rx off rx-usecs 50 --format networkmanager" "$nameless" "[ethtool] coalesce-rx-usecs=50 coalesce-adaptive-rx=0" \
	"interface-name=DEV"
emits 0 "rx-usecs 0 --format udev" "$nameless" 'ACTION=="add|change", SUBSYSTEM=="net", KERNEL=="DEV"' \
	'RUN+="/usr/sbin/ethtool -C $name rx-usecs 0"'

# What cannot be expressed is said, a sentence each; nothing at all is status 3.
emits 0 "rx-usecs 100 cqe-mode-rx on tx-aggr-max-bytes 4096" \
	"$nameless holdoff: cqe-mode-rx: systemd-link has no key for it holdoff: tx-aggr-max-bytes: systemd-link has no key for it" \
	"RxCoalesceSec=100us" "!4096"
emits 0 "rx-usecs 100 cqe-mode-rx on --format udev" "$nameless" "cqe-mode-rx on"
emits 3 "cqe-mode-rx on" "$nameless holdoff: cqe-mode-rx: systemd-link has no key for it" "!Link"
emits 3 "stats-block-usecs 0" \
	"$nameless holdoff: stats-block-usecs: StatisticsBlockCoalesceSec= takes no 0, systemd ignores the line"
emits 3 "sample-interval 5000" \
	"$nameless holdoff: sample-interval: CoalescePacketRateSampleIntervalSec= takes at most 4294967295 us, which 5000 s are beyond"
emits 3 "rx-usecs 100 --format netplan" "$nameless holdoff: rx-usecs: netplan has no key for coalescing"
# What lo has not is not written.
"$HOLDOFF" emit lo >"$scratch/out" 2>"$scratch/err"
[ $? -eq 3 ] && [ ! -s "$scratch/out" ] && [ "$(grep -c '^holdoff: lo' "$scratch/err")" -eq 1 ]
report $? "emit lo: unsupported, and said"

emits 0 "rx-usecs 100 cqe-mode-rx on --json" "$nameless holdoff: cqe-mode-rx: systemd-link has no key for it" \
	'"schema": "holdoff.emit/1"' '"rx_usecs": 100' '"field": "cqe-mode-rx"' '"text": "# DEV'

# A name is one word of the shell that the line is given to.
"$HOLDOFF" emit "a\$(id)'b" rx-usecs 7 --format ethtool >"$scratch/written" 2>/dev/null
got=$(ethtool() { printf '<%s>' "$@"; }; . "$scratch/written")
[ "$got" = "<-C><a\$(id)'b><rx-usecs><7>" ]
report $? "a name with a command in it stays a name: $got"

# What is written reads back the same, without a complaint; DEV is one.
for format in systemd-link networkmanager ethtool; do
	"$HOLDOFF" emit can0 rx-usecs 7 tx-usecs 8 adaptive-rx off --format $format >"$scratch/written" 2>/dev/null
	check 0 "lint - <$scratch/written" "rx-usecs 7 tx-usecs 8 adaptive-rx off" "!wrong:"
done
"$HOLDOFF" emit can0 rx-usecs 7 --format udev >"$scratch/written" 2>/dev/null
check 1 "lint - <$scratch/written" "ethtool rx-usecs 7 " "warning: KERNEL==\"can0\" is a name that changes" "!wrong:"
"$HOLDOFF" emit rx-usecs 7 >"$scratch/written" 2>/dev/null
check 1 "lint - <$scratch/written" "DEV stands for a name"

check 2 "emit" "2:needs DEV"
check 2 "emit rx-usec 5" "2:did you mean rx-usecs?"
check 2 "emit lo rx-usec 5" "2:did you mean rx-usecs?"
check 2 "emit rx-usecs" "2:lacks its value"
check 2 "emit lo rx-usecs 5 queue 0 rx-usecs 6" "2:single queues"
check 2 "emit lo napi 0 threaded on" "2:NAPI instances"
check 2 "emit lo rx-usecs 5us" "2:rx-usecs"
check 2 "emit rx-usecs 5 --format nm" "2:unknown format"
check 2 "emit rx-usecs 5 --format systemd-lnk" "2:did you mean systemd-link?"
check 5 "emit no-such-nic" "2:no-such-nic"

finish
