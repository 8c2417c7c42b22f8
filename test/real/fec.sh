#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real fec driver on the FEC of src/chip, on an ARM board: its settings, pings, single frames as the thread on the
# i.MX8MM traced them, the times of the event log, and that two boots are the same. (vectors.sh asks it all that was
# recorded.) Unit tests run in such a guest, too, for it is a 32-bit machine.
needed="--nic fec"
. "$(dirname "$0")/../guest/boots"
if [ ! -x "$BUILD/armhf/holdoff" ]; then
	echo "1..0 # SKIP there is no program $BUILD/armhf/holdoff: run make arm"
	exit 0
fi

boot settings --nic fec test/real/fec_settings.guest
boot ping --nic fec test/real/fec_ping.guest
boot "ping at 266 MHz" --nic fec --ahb-hz 266000000 test/real/fec_ping.guest

# Of what fec.0 sent while TXIC0 was on and RXIC0 off: how long each frame was on the wire, and when its interrupt came.
waits() {
	awk '$2 != "fec.0" { next }
	$3 == "write" && $4 == "TXIC0" { tx_is_on = $5 != "0x00000000" }
	$3 == "write" && $4 == "RXIC0" { rx_is_on = $5 != "0x00000000" }
	!tx_is_on || rx_is_on { next }
	$3 == "send" { began = $1 }
	$3 == "sent" { print "sent", $1 - began; waiting = waiting ? waiting : $1 }
	$3 == "irq" && $4 == "0x1" && waiting { print "held", $1 - waiting; waiting = 0 }' "$1" | sort | uniq -c |
		awk '{ print $2, $3, $1 }'
}

boot "single frames" --nic fec --name first --events "$scratch/first" test/real/fec_xmit.guest
is "$(waits "$scratch/first" | tr '\n' ';')" "held 999757 50;sent 880 50;" \
	"the event log: 880 ns on the wire, 2062 ticks of 64 clocks to the interrupt, for each of 50 frames"
boot again --nic fec --name second --events "$scratch/second" test/real/fec_xmit.guest
cmp "$scratch/first" "$scratch/second" >"$scratch/differs"
report $? "two boots have the same event log, to the nanosecond"
cmp "$BUILD/guest/first/console" "$BUILD/guest/second/console" >"$scratch/differs"
report $? "and the same console"

# Arithmetic and layouts on a 32-bit machine: unit tests of the parts that have most of both, and are quick.
units="src/base/wide_test src/base/text_test src/coalesce/settings_test src/chip/fec_test src/run/figure_test
	src/run/run_test src/stats/interval_test src/stats/histogram_test src/chip/rtl8169_test src/chip/tsnep_test"
if tools/make-arm --cached "$BUILD" $(for unit in $units; do echo "$BUILD/armhf/$unit"; done) >"$scratch/built" 2>&1; then
	set --
	for unit in $units; do
		set -- "$@" --add "$BUILD/armhf/$unit:/test/units/$(basename "$unit")"
	done
	boot "32 bits" --nic fec "$@" test/real/fec_units.guest
else
	report 1 "unit tests are built for the board"
	sed 's/^/# /' "$scratch/built" | tail -n 10
fi
finish
