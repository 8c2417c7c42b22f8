#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What holdoff infer finds out about unmodified drivers on the chips of src/chip, where the truth is known, and about the emulated
# e1000e: the kind, the steps of each range, the frames that are not held, settings that do nothing. make real-infer.
. "$(dirname "$0")/../guest/boots"

# look NAME FAR WORDS OPTIONS...: a boot; the answer with its spaces squeezed is in $scratch/found.
look() {
	name=$1
	printf '%s\n' "$2" >"$scratch/far"
	printf '%s\n' "$3" >"$scratch/words"
	shift 3
	if ! qemu/run --build "$BUILD" --cached --fetch "$@" 2>"$scratch/err" </dev/null; then
		skip "$name" "$(tail -n 1 "$scratch/err")"
		return 1
	fi
	run --cached --add "$scratch/far" --add "$scratch/words" "$@" test/real/infer.guest
	report $? "$name: it ran"
	sed 's/^/# /' "$scratch/out"
	tr -s ' ' <"$scratch/out" >"$scratch/found"
}

finds() { # TEXT...: each begins a line
	for text; do
		grep -q "^ *$text" "$scratch/found"
		report $? "$name: $text"
	done
}

rtl="kind hold-off from the first frame|sizes frames below 128 bytes|verdict quantised"
steps() { # NAME VALUES STEP OPTIONS...
	words="--rx --values $2"
	step=$3
	title=$1
	shift 3
	look "$title" "" "$words" --nic rtl8168 "$@" || return
	IFS='|'
	finds $rtl "step up to $step"
	unset IFS
}
steps "r8169 up to 75 us" 0,52,58,63 5 
steps "r8169 up to 600 us" 0,410,450,500 40
steps "r8169 up to 1200 us" 0,810,890,970 80
steps "r8169 up to 2400 us" 0,1700,1800,2000 160

if look "r8169, transmit" "" "--tx --values 0,410,450,500" --nic rtl8168; then
	finds "kind hold-off from the first frame" "sizes frames below 128 bytes" "verdict quantised"
fi
if look "fec" "rx-frames 1 tx-frames 1" "--values 1,100,200,500,1000" --nic fec; then
	finds "kind hold-off from the first frame" "interrupts of sent frames take along" "verdict exact"
fi
if look "tsnep" "rx-usecs 0" "--rx --values 0,79,95,111,207" --nic tsnep; then
	finds "kind hold-off from the first frame" "sent and received frames share the timer" "verdict quantised"
fi
if look "tsnep, transmit" "rx-usecs 0" "--tx --values 0,70,90,200" --nic tsnep; then
	finds "verdict inert" "status 1"
fi
if look "e1000e" "" "--rx --values 0,50,100,250,500" --nic e1000e; then
	finds "kind throttle after the last interrupt" "verdict clamped" "limit 100us and less come to nothing"
fi
finish
