#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff bench with guests: the same bytes twice, also from two at the same time; a module of one's own; what is left after
# kill -9; installed, for a user without privileges. test/cli/bench.sh has what needs no guest.
. "$(dirname "$0")/boots"
holdoff=$(realpath "$BUILD/holdoff")

cat >"$scratch/my.sh" <<'END'
for frames in 0 4; do
	ethtool -C eth0 rx-usecs 200 rx-frames $frames
	ping -f -q -c 200 -s 100 10.0.0.2
	ping -q -c 3 -i 0.01 10.0.1.2
done
holdoff show eth0 --json | grep '"driver"'
END

# bench NAME ARGUMENTS...: what came out is in $scratch/NAME and $scratch/NAME.err.
bench() {
	name=$1
	shift
	"$holdoff" bench "$@" >"$scratch/$name" 2>"$scratch/$name.err" </dev/null
}

# shows NAME: if the line before failed.
shows() {
	[ "$passed" -eq 0 ] || sed 's/^/# /' "$scratch/$1.err" "$scratch/$1" | head -n 40
}

# ---- twice the same

# With the devices of qemu/device if they can be built here.
nic=rtl8168
more="--count 4 --link 100 --cached"
if ! qemu/run --build "$BUILD" --nic rtl8168 --cached --fetch >/dev/null 2>"$scratch/why"; then
	echo "# $(tail -n 1 "$scratch/why")"
	nic=e1000e
	more="--count 4"
fi
events() { # FILE
	[ $nic = e1000e ] || echo "--events $1"
}
mkdir "$scratch/one" "$scratch/two"
for which in one two; do
	(
		cd "$scratch/$which" || exit
		bench $which/document --nic $nic $more --json --console console $(events events) --script ../my.sh
		echo $? >status
	) &
	pids="$pids $!"
done
wait $pids
[ "$(cat "$scratch/one/status" "$scratch/two/status" | tr '\n' ' ')" = "0 0 " ]
passed=$?
report $passed "two benches at the same time"
shows one/document
for what in document console events; do
	[ $nic$what != e1000eevents ] || continue
	[ -s "$scratch/one/$what" ] && cmp "$scratch/one/$what" "$scratch/two/$what" >"$scratch/differs" 2>&1
	report $? "$nic: the same $what, to the last byte"
	sed 's/^/# /' "$scratch/differs"
done
grep -q '"outcome": "done"' "$scratch/one/document" && grep -q '"count": 4' "$scratch/one/document" &&
	[ "$(grep -o '200 packets transmitted, 200 received' "$scratch/one/document" | wc -l)" -eq 2 ] &&
	[ "$(grep -o '3 packets transmitted, 3 received' "$scratch/one/document" | wc -l)" -eq 2 ]
report $? "both pairs of cards have answered"
if [ $nic = rtl8168 ]; then
	[ "$(sed 's/^[0-9]* \(rtl8168\.[0-9]\) .*/\1/' "$scratch/one/events" | sort -u | wc -l)" -eq 4 ]
	report $? "the events are those of four cards"
	[ "$(grep -c 'rtl8168.0 write IntrMitigate' "$scratch/one/events")" -ge 2 ]
	report $? "and what ethtool wrote is among them"
	grep -q '"driver\\": \\"r8169' "$scratch/one/document"
	report $? "holdoff is in the guest and names the driver"
fi
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; json.load(sys.stdin)' <"$scratch/one/document" 2>"$scratch/differs"
	report $? "the document is JSON"
else
	report 0 "the document is JSON # SKIP python3 is not installed"
fi

# ---- a module of one's own

# The kernel's module with another name for its driver, as long as the old one, under an odd file name. strip takes off the
# signature, too, which would not be right any more.
kernel=$(qemu/fetch --cached | sed -n 's/^kernel //p')
own="$scratch/my driver, patched.ko"
sed 's|Intel(R) PRO/1000 Network Driver|Patched. PRO/1000 Network Driver|' \
	"$(find "$kernel/modules" -name e1000e.ko)" >"$scratch/patched.ko"
strip --strip-debug -o "$own" "$scratch/patched.ko" 2>/dev/null
printf 'ethtool -C eth0 rx-usecs 50\nexit 7\n' >"$scratch/seven.sh"
bench patched --module "$own" --console "$scratch/console" --script "$scratch/seven.sh"
status=$?
grep -q 'e1000e: Patched. PRO/1000 Network Driver' "$scratch/console"
report $? "--module takes the place of the kernel's driver"
[ $status -eq 7 ] && [ "$(tail -n 1 "$scratch/patched.err")" = "holdoff: seven.sh left with status 7" ]
passed=$?
report $passed "the script's exit status is that of the command, and said"
shows patched
grep -q 'Linux version' "$scratch/patched.err"
[ $? -eq 1 ]
report $? "the boot is not shown for a script that fails"

# ---- a full disk

mkdir "$scratch/small"
if unshare --mount --propagation private mount -t tmpfs -o size=2m small "$scratch/small" 2>"$scratch/why"; then
	unshare --mount --propagation private sh -c 'mount -t tmpfs -o size=2m small "$1" && TMPDIR=$1 exec "$2" bench --cached --script "$3"' \
		sh "$scratch/small" "$holdoff" "$scratch/seven.sh" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 2 ] && grep -q "^holdoff: the root of the guest cannot be made in $scratch/small/" "$scratch/err"
	passed=$?
	report $passed "where there is no room for the guest it is said"
	[ $passed -eq 0 ] || sed 's/^/# /' "$scratch/err"
else
	report 0 "where there is no room for the guest it is said # SKIP $(head -n 1 "$scratch/why")"
fi

# ---- the end

is_alive() { # PID: what nobody has waited for yet is dead all the same
	case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in
	"" | Z) return 1 ;;
	esac
}

# The QEMU of a bench has its TMPDIR: the folder that it works in.
emulator_in() { # FOLDER
	for process in /proc/[0-9]*; do
		case $(readlink "$process/cwd") in
		"$1"/*) [ "$(tr '\0' '\n' <"$process/cmdline" | head -n 1)" != qemu-system-x86_64 ] || echo "${process#/proc/}" ;;
		esac
	done 2>/dev/null
}

patiently() { # COMMAND...
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		sleep 0.1
	done
}

has_begun() {
	grep -q begun "$scratch/out"
}

is_over() {
	! is_alive "$emulator" && [ -z "$(ls "$scratch/tmp")" ]
}

mkdir "$scratch/tmp"
echo 'echo begun; while :; do ping -q -c 100 -i 0.01 10.0.0.2; done' >"$scratch/endless.sh"
for signal in KILL INT; do
	: >"$scratch/out"
	TMPDIR=$scratch/tmp env --default-signal=INT "$holdoff" bench --script "$scratch/endless.sh" >"$scratch/out" 2>"$scratch/err" &
	bench=$!
	patiently has_begun
	emulator=$(emulator_in "$scratch/tmp")
	[ "$emulator" ] && is_alive "$emulator"
	report $? "SIG$signal: a guest runs"
	sed 's/^/# /' "$scratch/err"
	kill -s $signal $bench
	wait $bench 2>/dev/null
	patiently is_over
	report $? "SIG$signal: its QEMU and its files are gone"
done

# ---- installed, without privileges, with a cache of somebody else

make -s BUILD="$BUILD" DESTDIR="$scratch/root" PREFIX=/usr -o all install >"$scratch/log" 2>&1
report $? "make install"
as_nobody=
[ "$(id -u)" != 0 ] || as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
mkdir "$scratch/cache" "$scratch/cache/tools"
cache=${kernel%/kernel/*}
cp -a "$cache/kernel" "$scratch/cache/"
for folder in "$cache"/tools/*; do
	mkdir "$scratch/cache/tools/${folder##*/}"
	cp -a "$folder"/*bin "$folder"/lib* "$folder"/usr "$scratch/cache/tools/${folder##*/}/" 2>/dev/null
done
chmod -R go+rX "$scratch"
mkdir -m 1777 "$scratch/home"
cd "$scratch/home" || exit 1
HOME=$scratch/home TMPDIR=$scratch/home HOLDOFF_CACHE=$scratch/cache $as_nobody "$scratch/root/usr/bin/holdoff" bench \
	--script "$scratch/seven.sh" >"$scratch/out" 2>"$scratch/err" </dev/null
status=$?
[ $status -eq 7 ]
report $? "an installed holdoff runs a guest${as_nobody:+ as nobody}"
[ $status -eq 7 ] || sed 's/^/# /' "$scratch/err"
[ -z "$(ls "$scratch/home")" ]
report $? "and leaves nothing behind"
cd "$OLDPWD" || exit 1
finish
