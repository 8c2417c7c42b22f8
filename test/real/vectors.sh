#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real drivers do all of test/data/vectors once more, and answer what was recorded. What differs is left in
# BUILD/guest/vectors-*.txt, in the form of the file.
#
#	test/real/vectors.sh [BEGINNING OF A FILE'S NAME]
#
# A kernel of 6.12 is not downloaded for that (make real-tsnep does it).
. "$(dirname "$0")/../guest/boots"
vectors=test/data/vectors
only=$1

# same FILE OPTIONS OF qemu/run...
same() {
	file=$1
	shift
	case $file in
	"$only"*) ;;
	*) return ;;
	esac
	text="$file by the real driver ($*)"
	new=$BUILD/guest/vectors-$file
	test/vectors/record --build "$BUILD" "$@" "$vectors/$file" >"$new" 2>"$scratch/err"
	status=$?
	if [ $status -eq 77 ]; then
		skip "$text" "$(tail -n 1 "$scratch/err")"
	elif [ $status -ne 0 ]; then
		report 1 "$text"
		sed 's/^/# /' "$scratch/err"
	elif diff "$vectors/$file" "$new" >"$scratch/difference"; then
		report 0 "$text: $(grep -c -v '^#' "$new") lines are as recorded"
		rm "$new"
	else
		report 1 "$text: $(grep -c '^>' "$scratch/difference") lines are not as recorded"
		head -n 20 "$scratch/difference" | sed 's/^/# /'
	fi
}

mkdir -p "$BUILD/guest"
msi="--nic e1000e --append iomem=relaxed --append e1000e.IntMode=1,1"
same e1000e_6.1.0-57_82574_drawn.txt $msi
same e1000e_6.1.0-57_82574_drawn.txt $msi --series 6.12 --cached
same r8169_6.1.0-57_xid283.txt --nic rtl8168
same r8169_6.1.0-57_xid283_100Mbps.txt --nic rtl8168
same r8169_6.1.0-57_xid283_drawn.txt --nic rtl8168
same r8169_6.1.0-57_xid541_drawn.txt --nic rtl8168-541
same r8169_6.1.0-57_xid283.txt --nic rtl8168 --series 6.12 --cached
same r8169_6.12.95_xid283_drawn.txt --nic rtl8168 --series 6.12 --cached
same fec_6.1.0-50-armmp_ahb132MHz.txt --nic fec
same fec_6.1.0-50-armmp_ahb132MHz_drawn.txt --nic fec
same fec_6.1.0-50-armmp_ahb266MHz.txt --nic fec --ahb-hz 266000000
same fec_6.1.0-50-armmp_ahb266MHz_drawn.txt --nic fec --ahb-hz 266000000
same tsnep_6.12.95.txt --nic tsnep --cached
same tsnep_6.12.95_4queues_drawn.txt --nic tsnep-4 --cached
finish
