#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff simulate: one run, and what becomes of nonsense.
. "$(dirname "$0")/table.sh"

# refuses STATUS 'ARGUMENTS' PART: the driver refuses the value: one sentence on stderr that has PART, and no result.
refuses() {
	eval "\"\$HOLDOFF\" $2" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	[ "$got" -eq "$1" ] && [ ! -s "$scratch/out" ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ] && grep -q "^holdoff: .*$3" "$scratch/err"
	report $? "holdoff $2: exit status $got: $(cat "$scratch/err")"
}

ping='--workload "ping size=56 interval=10ms" --duration 1s'
check 0 "simulate --board imx8mm $ping" "MODEL by holdoff" "not a measurement" "host cortex-a53: " "board imx8mm with fec@old at 1000 Mb/s" \
	"100 packets transmitted, 100 received, 0% packet loss, time 1000ms rtt min/avg/max/mdev = " "rx hold-off 999.84us or 200 frames"
check 0 "simulate rx-usecs 100 --board imx8mm $ping" "requested rx-usecs 100" "rx hold-off 99.84us"
check 0 "simulate --board imx8mm --set 'rx-usecs 100' $ping" "requested rx-usecs 100"
check 0 "simulate --board imx8mm --driver fec@6.12 rx-usecs 0 tx-usecs 0 $ping" "effective rx none tx none"
check 0 "simulate --board imx8mm --peer ideal:300us~10us,280us..320us --hops 2 --speed 100 $ping" "at 100 Mb/s" "2 switches" \
	"peer ideal:300us~10us,280us..320us, 2"
check 0 "simulate --board e1000e rx-usecs 100 $ping" "rx hold-off 1.024us; at least 99.84us between interrupts"
check 0 "simulate --board rtl8168d rx-usecs 100 $ping" "rx hold-off 120us; not below 128 bytes"
check 0 "simulate --board imx8mm --hops 16 $ping" "16 switches"
check 0 "simulate --board rtl8168d --peer rtl8168d --peer-driver r8169@4.13 $ping" "peer rtl8168d"
check 0 "simulate --board rtl8168d --peer rtl8168d --peer-set 'rx-usecs 100' --peer-host server $ping"
check 0 "simulate --board rtl8168d --peer rtl8168d --shared-host yes $ping" "rtl8168d on the same host"
check 0 "simulate --board rtl8168d --peer rtl8168d --shared-host yes $ping --json" '"shared_host": true'
check 0 "simulate --board rtl8168d --peer rtl8168d --peer-set 'rx-usecs 100' --peer-host server --cpus 2 --app-cpu 1 $ping --json" \
	'"app_cpu": 1' '"peer_driver": "r8169@6.12"' '"peer_host": "server"' '"peer_requested": {' '"rx_usecs": 100'
check 0 "simulate --board imx8qxp --assume fec-timer-clock=0 $ping" "rx hold-off 999.936us"
check 0 "simulate --board imx8qxp --assume fec-timer-clock=0 --assume fec-shared-poll=0 $ping" "assumed fec-shared-poll = 0"
check 0 "simulate --board e1000e gro-flush-timeout 20000 defer-hard-irqs 1 $ping" "deferral gro-flush-timeout 20us, defer-hard-irqs 1"
check 0 "simulate --board imx8mm --cpus 2 --irq-cpu 0 --app-cpu 1 $ping" "cpu 1" "!cpu 2"
check 0 "simulate --scenario fec-imx8mm-tx --duration 5s" "board imx8mm" "5 packets transmitted"
check 0 "simulate --board imx6q --duration 5s --scenario fec-imx8mm-tx" "board imx6q" "5 packets transmitted"
check 0 "simulate --scenario profiles/scenarios/lunn-voip-100.ini --duration 100ms" "workload voip"
check 0 "simulate --board profiles/boards/imx8mm.ini $ping" "board imx8mm"
check 0 "simulate --help" "usage: holdoff simulate" "--peer-set WORDS" "udp datagrams one way" "size=64 rate=... pattern=cbr" "size=56 interval=1s" \
	"rate=PACKETS/s|max|BITSbps"
check 0 "simulate --board imx8mm rx-usecs=100 tx-usecs 50 $ping" "requested rx-usecs 100 tx-usecs 50"
check 0 "simulate --board imx8mm --duration 10ms --workload tftp" "payload 512 bytes, frame 562 with FCS"

refuses 1 "simulate --board imx8mm rx-usecs 100000 $ping" 'fec@old: '
refuses 1 "simulate --board tsnep rx-usecs 256 $ping" 'tsnep@6.12: '
refuses 1 "simulate --board rtl8168d --peer rtl8168d --peer-set 'rx-usecs 2401' $ping" 'r8169@6.12: '
refuses 3 "simulate --board imx8mm adaptive-rx on $ping" 'fec@old: '
refuses 3 "simulate --board macb rx-usecs 100 $ping" 'macb@6.1 has no'

# Nonsense: one sentence, nothing on stdout.
check 2 "simulate" "2:no board is given"
check 2 "simulate --board imx8mm" "2:no workload is given"
check 5 "simulate --board imx8mn $ping" "2:did you mean imx8mm?"
check 5 "simulate --board imx8mm --peer nobody $ping" "2:unknown board"
check 5 "simulate --board imx8mm --host cortex-a54 $ping" "2:did you mean cortex-a53?"
check 5 "simulate --scenario fec-imx8mm-pink" "2:did you mean fec-imx8mm-ping?"
check 2 "simulate --board imx8mm --driver fec@6.13 $ping" "2:did you mean fec@6.12?"
check 2 "simulate --board imx8mm --driver r8169@6.12 $ping" "2:r8169@6.12"
check 2 "simulate --board imx8mm rx-usec 100 $ping" "2:did you mean rx-usecs?"
check 2 "simulate --board imx8mm rx-usecs $ping" "2:rx-usecs"
check 2 "simulate --board imx8mm rx-usecs 100x $ping" "2:rx-usecs"
check 2 "simulate --board imx8mm rx-usecs -5 $ping" "2:negative"
check 2 "simulate --board imx8mm rx-usecs 4294967296 $ping" "2:too large"
check 2 "simulate --board imx8mm rx-usecs 1 rx-usecs 2 $ping" "2:rx-usecs"
check 2 "simulate --board imx8mm adaptive-rx maybe $ping" "2:adaptive-rx"
check 2 "simulate --board imx8mm --workload pong" "2:did you mean ping?"
check 2 "simulate --board imx8mm --workload 'ping sise=5'" "2:did you mean size?"
check 2 "simulate --board imx8mm --workload 'ping size=5x'" "2:size"
check 2 "simulate --board imx8mm --workload 'ping interval=5'" "2:lacks its unit"
check 2 "simulate --board imx8mm --workload ping --workload voip" "2:given twice"
check 2 "simulate --board imx8mm --duration 0s --workload ping" "2:duration"
check 2 "simulate --board imx8mm --duration 5 --workload ping" "2:lacks its unit"
check 2 "simulate --board imx8mm --duration -5s --workload ping" "2:negative"
check 2 "simulate --board imx8mm --duration 99999999999999999999s --workload ping" "2:too large"
check 2 "simulate --board imx8mm --duration 400d --workload ping" "2:at most 30 days"
check 2 "simulate --board imx8mm --seed 1x $ping" "2:seed"
check 2 "simulate --board imx8mm --hops 17 $ping" "2:hops"
check 2 "simulate --board imx8mm --speed 99 $ping" "2:99 is no link speed"
check 2 "simulate --board imx8mm --speed 2500 $ping" "2:at most 1000 Mb/s"
check 2 "simulate --board imx8mm --peer ideal:5 $ping" "2:lacks its unit"
check 2 "simulate --board imx8mm --peer-set 'rx-usecs 1' $ping" "2:peer that is a board"
check 2 "simulate --board imx8mm --shared-host yes $ping" "2:peer that is a board"
check 2 "simulate --board imx8mm --peer imx8mm --shared-host yes --peer-host server $ping" "2:the peer has the board's"
check 2 "simulate --board imx8mm --peer imx8mm --shared-host perhaps $ping" "2:shared-host"
check 2 "simulate --board imx8mm --peer imx8mm --peer-registers NONE=1 $ping" "2:peer-registers: imx8mm has no register"
check 2 "simulate --board imx8mm --cpus 2 --irq-cpu 2 $ping" "2:no CPU 2"
check 2 "simulate --board imx8mm --assume fec-shared-pol=1 $ping" "2:fec-shared-poll"
check 2 "simulate --board imx8mm --assume fec-shared-poll $ping" "2:NAME=VALUE"
check 2 "simulate --board imx8mm --worklaod ping" "2:did you mean --workload?"
check 2 "simulate --board imx8mm --workload" "2:needs a value"
check 2 "simulate --board ./no-such.ini $ping" "2:no-such.ini"
check 2 "simulate --scenario ./no-such.ini" "2:no-such.ini"
check 2 "simulate --scenario /" "2:/"
printf '[scenario]\ntitle = t\nsource = s\nboard = imx8mm\nworklaod = ping\n' >"$scratch/bad.ini"
check 2 "simulate --scenario $scratch/bad.ini" "2:bad.ini:5: unknown key \"worklaod\"" "2:did you mean workload?"
printf '[board]\ntitle = t\nclock = 5\n' >"$scratch/board.ini"
check 2 "simulate --board $scratch/board.ini $ping" "2:board.ini:3: "

# Output that cannot be written.
"$HOLDOFF" simulate --board imx8mm --workload ping --json >/dev/full 2>"$scratch/err"
[ $? -eq 2 ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ]
report $? "a full disk: exit status 2 and a sentence"
"$HOLDOFF" simulate --board imx8mm --workload ping >&- 2>"$scratch/err"
[ $? -eq 2 ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ]
report $? "closed standard output: exit status 2 and a sentence"

check 2 "simulate --board imx8mm --workload 'udp rate=max size=18' --duration 30d" "2:run for about 8 days" "2:--yes"

# JSON: well-formed, and the same for the same seed.
"$HOLDOFF" simulate --board imx8mm --workload "udp rate=20k pattern=poisson" --duration 1s --seed 7 --json >"$scratch/first"
"$HOLDOFF" simulate --board imx8mm --workload "udp rate=20k pattern=poisson" --duration 1s --seed 7 --json >"$scratch/again"
"$HOLDOFF" simulate --board imx8mm --workload "udp rate=20k pattern=poisson" --duration 1s --seed 8 --json >"$scratch/other"
cmp -s "$scratch/first" "$scratch/again"
report $? "the same seed gives the same document"
! cmp -s "$scratch/first" "$scratch/other"
report $? "another seed another one"
if command -v python3 >/dev/null; then
	python3 -m json.tool "$scratch/first" >/dev/null
	report $? "the document is JSON"
else
	report 0 "the document is JSON # SKIP python3 is not installed"
fi

finish
