#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What people have reported elsewhere about registers and about settings that were refused, as questions to explain.
. "$(dirname "$0")/../cli/table.sh"

# Kirill Smelkov, netdev, 27 September 2017, and ethtool -d of an RTL8168d at 1 Gb/s: 0x20e1 and 0x5151, then
# both off.
check 0 "explain --board rtl8168d --registers IntrMitigate=0x5151,CPlusCmd=0x20e1" \
	"reported rx-usecs 200 rx-frames 4 tx-usecs 200 tx-frames 4" \
	"RxTimer 5, RxFrames 1" "INTT 1"
check 0 "explain --board rtl8168d --registers IntrMitigate=0,CPlusCmd=0x20e1" \
	"reported rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1" "rx none"
# Frames are counted in fours up to 60: refused in the patch of the thread, rounded up by the driver of today.
check 1 "explain --board rtl8168d --driver r8169@seed rx-frames 6" "refused with EINVAL" "multiple of 4" \
	"rx-frames 4 below" "rx-frames 8 above"
check 0 "explain --board rtl8168d rx-usecs 200 rx-frames 6" "reported rx-usecs 200 rx-frames 8"
check 1 "explain --board rtl8168d --driver r8169@seed rx-frames 64" "refused with EINVAL" "up to 60"
check 1 "explain --board rtl8168d rx-usecs 200 rx-frames 64" "refused with ERANGE" "above 60"
check 0 "explain --board rtl8168d rx-usecs 0 rx-frames 0" "reported rx-usecs 0 rx-frames 1"

# SOEM issue 612: stalls of 10 ms are no hold-off of an RTL8111: that ends at 15 units of 160 us.
check 1 "explain --board rtl8168d rx-usecs 10000" "refused with ERANGE" "above 2400" \
	"rx-usecs 2400 below: hold-off 2.4ms"

# Gerhard Engleder, netdev, November 2022 (tsnep): a byte for each queue, 16 us in its upper half; the driver floors.
check 0 "explain --board tsnep --registers ECM_INT_DELAY0=0x40" "reported rx-usecs 64" "rx hold-off 64us"
check 0 "explain --board tsnep rx-usecs 70" "reported rx-usecs 64" "4 steps of 16 us"
check 0 "explain --board tsnep rx-usecs 241" "reported rx-usecs 240" "15 steps of 16 us"
check 1 "explain --board tsnep rx-usecs 256" "refused with ERANGE" "above 255"

# Shenwei Wang, netdev, 29 July 2024: 1000 us is the default of FEC.
check 0 "explain --board imx8qxp" "reported rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200"

# SOEM issue 254 (82579LM): rx-usecs 3 is a mode of the throttle and not 3 us.
check 0 "explain --board e1000e rx-usecs 3" "reported rx-usecs 3" "!at least 3us"
# genode: ITR 651 and 5580, in units of 256 ns.
check 0 "explain --board e1000e --registers ITR=651" "at least 166.656us between interrupts"
check 0 "explain --board e1000e --registers ITR=5580" "at least 1428.48us between interrupts"

# Linux fa60b8163816: tx-usecs 0 is no timer; with a frame limit a frame may then wait for ever.
check 0 "explain --board imx8mp-eqos tx-usecs 0 tx-frames 25" "reported" \
	"tx hold-off until there are 25 frames, however long that takes"

# aws-graviton-getting-started issue 499: a slip of the pen is not silently dropped.
check 2 "explain --board e1000e adpative-rx off" "2:did you mean adaptive-rx?"
check 2 "explain --board e1000e rx-usec 5" "2:did you mean rx-usecs?"
check 2 "explain --board e1000e rx-frame 5" "2:did you mean rx-frames?"

finish
