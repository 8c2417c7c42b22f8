#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The bench itself: two boots are the same to the last digit, and a guest that crashes, hangs or fails is noticed.
. "$(dirname "$0")/boots"

# expect STATUS PART TEXT: of the boot before.
expect() {
	wrong=
	[ "$status" -eq "$1" ] || wrong="exit status $status, expected $1"
	[ -z "$2" ] || grep -q -e "$2" "$scratch/err" || wrong="$wrong; stderr lacks \"$2\""
	if [ "$wrong" ]; then
		report 1 "$3"
		echo "# ${wrong#; }"
		sed 's/^/# /' "$scratch/err" | head -n 60
	else
		report 0 "$3"
	fi
}

trace_of() {
	cat "$BUILD/guest/bench/console" "$BUILD/guest/bench/output" "$BUILD/guest/bench/progress"
}

expect_usage() { # PART TEXT
	status=$?
	expect 2 "$@"
}

run --name bench test/guest/faults/pings.guest
trace_of >"$scratch/first"
run --name bench test/guest/faults/pings.guest
trace_of >"$scratch/second"
grep -q '200 received' "$scratch/first"
report $? "a guest sends its pings"
cmp "$scratch/first" "$scratch/second" >"$scratch/differs"
report $? "two boots print the same to the last digit"
sed 's/^/# /' "$scratch/differs"

run --name bench test/guest/faults/status.guest
status=$?
expect 7 'status.guest left with status 7' "a script's exit status comes out"
is_last=$(tail -n 2 "$scratch/out" | tr '\n' ' ')
[ "$is_last" = "not ok 2 - status.guest leaves with status 7 1..2 " ]
report $? "and is a failure in its TAP"

run --name bench test/guest/faults/crash.guest
status=$?
expect 125 'the guest died in crash.guest' "a crash fails"
expect 125 'Kernel panic - not syncing: sysrq triggered crash' "and shows the console"
grep -q '^before$' "$scratch/out"
report $? "and what was printed before"

run --name bench test/guest/faults/warn.guest
status=$?
expect 125 'the kernel complained' "a kernel that complains and lives on fails"

run --name bench --guest-timeout 60 test/guest/faults/wait.guest
status=$?
expect 124 "not done after 60 s of the guest's own time in wait.guest" "a script that waits for ever fails"
expect 124 'sleep 100000' "and shows what was running"

run --name bench --timeout 15 test/guest/faults/spin.guest
status=$?
expect 124 "not done after 15 s of this machine's CPU time in spin.guest" "a script that runs for ever fails"
expect 124 'Kernel panic - not syncing: NMI' "and shows where it was"

# Whoever types into the shell waits for its prompt.
mkfifo "$scratch/keys"
{
	tries=0
	until grep -q 'leave with exit' "$scratch/out" || [ $tries -eq 100 ]; do
		tries=$((tries + 1))
		sleep 1
	done
	echo 'ping -q -c 2 10.0.0.2 | grep received; holdoff --version; exit'
} >"$scratch/keys" &
: >"$scratch/out"
timeout 120 qemu/run --build "$BUILD" --name bench --shell <"$scratch/keys" >"$scratch/out" 2>"$scratch/err"
status=$?
expect 0 "" "a shell in the guest"
grep -q '^2 packets transmitted, 2 received' "$scratch/out" && grep -q '^holdoff [0-9]' "$scratch/out"
report $? "runs ping and holdoff"

boot "four NICs" --name bench --count 4 test/guest/faults/four.guest

# Names that a shell, QEMU or a list of words could stumble over; and two scripts of one name.
odd="$scratch/it's \$(odd), \"1\" * ; x"
mkdir "$odd"
cp test/guest/faults/status.guest "$odd/ä \$(id) '.guest"
echo 'echo other; cat "/test/_____id___.txt"' >"$odd/status.guest"
echo added >"$odd/ä \$(id) '.txt"
run --folder "$odd/boot" --console "$odd/the console" --add "$odd/ä \$(id) '.txt" "$odd/status.guest" "$odd/ä \$(id) '.guest" \
	test/guest/faults/status.guest
status=$?
expect 7 'status 7' "scripts with odd names run"
[ "$(sed -n 's/^exit //p' "$odd/boot/progress" | tr '\n' ',')" = "status.guest 0,_____id___.guest 7,2-status.guest 7," ]
report $? "each of them, in order"
grep -q '^other$' "$scratch/out" && grep -q '^added$' "$scratch/out" && [ -s "$odd/the console" ]
report $? "with what was added, and the console where it was asked for"

run --module /bin/true test/guest/faults/pings.guest
expect_usage "takes FILE.ko or the name of one of the kernel's" "a module name with a path is refused"
run --module "$scratch/none.ko" test/guest/faults/pings.guest
expect_usage "there is no module" "so is a module that there is not"
cp /bin/true "$scratch/true.ko"
run --module "$scratch/true.ko" test/guest/faults/pings.guest
expect_usage 'true.ko" is no kernel module' "and a file that is none"
run --count 9 test/guest/faults/pings.guest
expect_usage 'takes 1 to 8 with e1000e, not 9' "too many NICs are refused"
run --count 1x test/guest/faults/pings.guest
expect_usage 'takes a whole number, not "1x"' "and no number of them"
run --link 100 test/guest/faults/pings.guest
expect_usage 'e1000e has one speed only' "a speed is refused where there is one"
run --nic nonsense test/guest/faults/pings.guest
status=$?
expect 2 'unknown NIC "nonsense", expected one of: e1000e' "an unknown NIC is refused"
HOLDOFF_CACHE=/proc/nowhere run test/guest/faults/pings.guest
status=$?
expect 77 'there is no cache' "without a cache the bench cannot be had"
echo 'Acquire::http::Proxy "http://127.0.0.1:9"; Acquire::https::Proxy "http://127.0.0.1:9";' >"$scratch/apt.conf"
APT_CONFIG=$scratch/apt.conf HOLDOFF_CACHE=$scratch/cache run --fetch
status=$?
expect 77 'no kernel for the guest' "nor without anything to fill it from"
mkdir "$scratch/cache/new.killed"
APT_CONFIG=$scratch/apt.conf HOLDOFF_CACHE=$scratch/cache run --series 6.12 --fetch
status=$?
expect 77 'no 6.12 kernel for the guest' "nor a kernel of another series"
[ -z "$(ls -d "$scratch"/cache/new.* 2>/dev/null)" ]
report $? "what a download that was killed has left is removed by the next"

# In a namespace where the cache of this machine cannot be written, or has no room.
if unshare -rm true 2>/dev/null; then
	unshare -rm sh -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && HOLDOFF_CACHE=$1 qemu/run --fetch' sh \
		"${HOLDOFF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holdoff}" >"$scratch/out" 2>"$scratch/err"
	status=$?
	expect 0 '' "what is in a cache that cannot be written is used"
	unshare -rm sh -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && HOLDOFF_CACHE=$1 qemu/run --fetch' sh \
		"$scratch/cache" >"$scratch/out" 2>"$scratch/err"
	status=$?
	expect 77 "there is none in $scratch/cache, and the cache $scratch/cache cannot be written" "what is not is told, and why"
	unshare -rm sh -c 'mount -t tmpfs -o size=20M none "$1" && HOLDOFF_CACHE=$1 qemu/run --fetch' sh "$scratch/cache" \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	if grep -q 'apt cannot download' "$scratch/err"; then
		skip "a cache that is too small" "apt has no kernel here"
	else
		expect 77 "the cache $scratch/cache has 20 MB free, and linux-image-.* needs [0-9]* MB there" "a cache that is too small is told before"
	fi
else
	skip "caches that cannot be written" "no namespaces here"
fi
finish
