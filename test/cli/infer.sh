#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line of holdoff infer, and what it says of interfaces without settings.
. "$(dirname "$0")/table.sh"

check 2 "infer" "2:which interface?"
check 2 "infer lo" "2:which host answers"
check 2 "infer lo eth0 --peer-host 127.0.0.1" "2:one interface at a time"
check 2 "infer lo --peer-host 127.0.0.1 --values 0,100" "2:at least three"
check 2 "infer lo --peer-host 127.0.0.1 --values 0,100,x" "2:values"
check 2 "infer lo --peer-host 127.0.0.1 --values 0,100,100" "2:at least three"
check 2 "infer lo --peer-host 127.0.0.1 --values 0,50,100 --no-set" "2:sets no values"
check 2 "infer lo --peer-host 127.0.0.1 --rounds 1" "2:rounds"
check 2 "infer lo --peer-host 127.0.0.1 --longest 2s" "2:longest"
check 5 "infer nosuch0 --peer-host 127.0.0.1" "2:nosuch0"
"$HOLDOFF" infer lo --peer-host 127.0.0.1 >"$scratch/out" 2>"$scratch/err"
[ $? -eq 3 ] && grep -q "no coalescing settings; --no-set" "$scratch/err"
report $? "an interface without settings: status 3, and what can be had all the same"
finish
