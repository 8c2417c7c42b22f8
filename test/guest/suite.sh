#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the guest scripts *.guest, one boot for each NIC: those that name it in their line "# nics:". A line "#
# options:" adds options for qemu/run; a script that has one gets a boot of its own. One TAP document comes
# out of all boots.
#
#	test/guest/suite.sh [SCRIPT.guest ...]		default: all beside this file
#
# A NIC of qemu/device is skipped where it cannot be built without a download.
. "$(dirname "$0")/boots"
[ $# -gt 0 ] || set -- test/guest/*.guest

header() { # WORD SCRIPT
	sed -n "s/^# $1: *//p" "$2" | head -n 1
}

for script in "$@"; do
	for nic in $(header nics "$script") none; do
		! choose_nic "$nic" || break
	done
	[ "$nic" != none ] || report 1 "$script names no NIC of qemu/nics in a line \"# nics:\""
done

for nic in $all_nics; do
	together=
	wanted=
	for script in "$@"; do
		case " $(header nics "$script") " in
		*" $nic "*) wanted="$wanted $script" ;;
		esac
	done
	[ "$wanted" ] || continue
	choose_nic "$nic"
	if [ "$plugin" ] && ! run --cached --nic "$nic" --fetch; then
		skip "$nic" "$(tail -n 1 "$scratch/err")"
		continue
	fi
	for script in $wanted; do
		options=$(header options "$script")
		if [ "$options" ]; then
			boot "$nic, ${script##*/}" --nic "$nic" $options "$script"
		else
			together="$together $script"
		fi
	done
	[ -z "$together" ] || boot "$nic" --nic "$nic" --name "$nic" $together
done
finish
