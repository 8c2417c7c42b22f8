#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff boards, help and version, and the frame that all commands share.
. "$(dirname "$0")/table.sh"

# The limits are the highest usecs of the FEC clocks, of 15 steps of 16 us and 15 units of r8169, of 255 units of the watchdog.
check 0 "boards" "imx6q fec@old - 1000 - no coalescing settings" "imx6sx fec@6.12 198.00 MHz 1000 21188 rx 1000/200 tx 1000/200" \
	"imx6ul fec@6.12 132.00 MHz 100 31782 rx" "21403" "15731" "12583" "rtl8168d r8169@6.12 - 1000 2400 rx 0/1 tx 0/1" \
	"tsnep tsnep@6.12 - 1000 255 rx 64 tx 64" "imx8mp-eqos stmmac@6.1 266.67 MHz 100 246" "e1000e e1000e@6.1 - 1000 10000 rx 3 "
for board in imx6q imx6ul imx6sx imx7d imx8mq imx8mm imx8mp imx8mp-eqos imx8qxp imx8qm tsnep macb rtl8169 rtl8168d e1000e; do
	check 0 "boards" "$board "
	check 0 "boards $board" "board $board: " "source" "host" "set" "poll"
done
check 0 "boards imx8qxp" "assume fec-timer-clock=250000000 (other boards 0)" "333.33 MHz" "limit rx-usecs 12583" "!r8169"
check 0 "boards rtl8168d" "assume r8169-small-bypass=128" "!fec-"
check 0 "boards --drivers" "fec@old" "fec@6.12" "fec@seed" "tsnep@none" "tsnep@seed" "tsnep@6.12" "r8169@4.13" "r8169@seed" \
	"r8169@6.1 " "r8169@6.12" "stmmac@6.1 " "stmmac@6.12" "e1000e@6.1" "macb@6.1"
check 0 "boards --hosts" "cortex-a53 " "icount-1ns" "cortex-a7 " "cortex-a9 " "cortex-a35" "cortex-a72" "desktop" "server" "scaled from"
check 0 "boards profiles/boards/imx6ul.ini" "board imx6ul: "
check 5 "boards imx6" "2:did you mean"
check 2 "boards ./missing.ini" "2:missing.ini"
check 2 "boards imx6ul imx6q" "2:one board at a time"
check 2 "boards imx6ul --hosts" "2:exclude one another"
check 2 "boards --drivers --hosts" "2:exclude one another"
check 2 "boards --host" "2:did you mean --hosts?"

check 0 "--version" "holdoff $(cat VERSION)"
check 0 "version" "holdoff $(cat VERSION)"
check 0 "--help" "usage: holdoff COMMAND" "explain" "boards"
check 0 "help" "usage: holdoff COMMAND"
check 0 "-h" "usage: holdoff COMMAND"
check 2 "versio" "2:did you mean version?"
check 2 "xyzzy" "2:unknown command"
check 2 "--board imx6ul explain" "2:the command comes first"
check 2 "help xplain" "2:did you mean explain?"
check 2 "help 'two
lines'" "2:two?lines"
check 2 "'two
lines'" "2:two?lines"
check 2 "scenarios 'two
lines'" "2:two?lines"
check 2 "help explain boards" "2:one command"
check 2 "help --list nonsense" "2:nonsense"
check 2 "version now" "2:unexpected word"
for command in $("$HOLDOFF" help --list commands); do
	check 0 "help $command" "usage: holdoff $command" "--help"
	check 0 "$command --help" "usage: holdoff $command" "--help"
done

"$HOLDOFF" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && [ ! -s "$scratch/out" ] && grep -q 'usage: holdoff COMMAND' "$scratch/err"
report $? "no command: usage on stderr and status 2"

# Output that does not arrive is said, once, whatever the command.
for arguments in "boards" "boards --json" "explain --board imx8mm" "explain --board profiles/boards/imx6ul.ini --json" "--version" "help"; do
	"$HOLDOFF" $arguments >/dev/full 2>"$scratch/err"
	[ $? -eq 2 ] && [ "$(grep -c '^holdoff: cannot write' "$scratch/err")" -eq 1 ]
	report $? "holdoff $arguments: a full disk is said, status 2"
	"$HOLDOFF" $arguments >&- 2>"$scratch/err"
	[ $? -eq 2 ] && [ "$(grep -c '^holdoff: cannot write' "$scratch/err")" -eq 1 ]
	report $? "holdoff $arguments: a closed stdout is said, status 2"
done
"$HOLDOFF" explain --board imx8qpx >&- 2>"$scratch/err"
[ $? -eq 5 ] && [ "$(grep -c '' "$scratch/err")" -eq 1 ]
report $? "a complaint with stdout closed stays one complaint"
"$HOLDOFF" explain --board profiles/boards/imx6ul.ini <&- >"$scratch/out" 2>&-
report $? "stdin and stderr may be closed"

finish
