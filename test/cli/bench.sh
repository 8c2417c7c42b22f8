#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff bench without a guest: the command line, what becomes of the harness's words, its end. test/cli/harness stands in
# for the harness but where it is to be found missing. Guests are booted in test/guest/command.sh.
. "$(dirname "$0")/table.sh"
stand_in=$(pwd)/test/cli/harness
printf ':\n' >"$scratch/my.sh"
export HOLDOFF_QEMU PRETEND PIDS
HOLDOFF_QEMU=$stand_in
PIDS=$scratch/pids

# said STATUS 'ARGUMENTS' 'STDERR' PART...: as check, but stderr has to have STDERR in it, and only one line; "" for none.
said() {
	status=$1 arguments=$2 expected=$3
	shift 3
	eval "\"\$HOLDOFF\" bench $arguments" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	wrong=
	[ "$got" -eq "$status" ] || wrong="exit status $got, expected $status"
	if [ "$expected" ]; then
		[ "$(grep -c '' "$scratch/err")" -eq 1 ] && grep -qF "holdoff: $expected" "$scratch/err" ||
			wrong="$wrong; stderr is \"$(cat "$scratch/err")\""
	else
		[ ! -s "$scratch/err" ] || wrong="$wrong; stderr is \"$(cat "$scratch/err")\""
	fi
	for part; do
		case $(cat "$scratch/out") in
		*"$part"*) ;;
		*) wrong="$wrong; stdout lacks \"$part\"" ;;
		esac
	done
	[ -z "$wrong" ]
	report $? "$PRETEND: holdoff bench $(echo "$arguments" | tr '\n' ' ')"
	[ -z "$wrong" ] || echo "# ${wrong#; }"
}

# ---- the command line

check 2 "bench" "2:nothing to do in the guest: --script FILE, or --shell"
check 2 "bench --json" "2:nothing to do in the guest"
check 2 "bench --shell --json" "2:--shell and --json exclude one another"
check 2 "bench my.sh" "2:unexpected word \"my.sh\""
check 2 "bench --scrip my.sh" "2:did you mean --script?"
check 2 "bench --nic" "2:--nic needs a value"
check 2 "bench --nic one --nic two --script my.sh" "2:--nic is given twice"
check 0 "bench --help" "--module NAME|FILE.ko" "--events FILE"
check 0 "help --list nics" "one two three"

# The options are those of the harness, but for what a command has of its own and what only its tests need.
"$HOLDOFF" bench --list-options | sed -n 's/^--\([^ ]*\).*/\1/p' | grep -vx -e json -e script | sort >"$scratch/ours"
qemu/run --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' | grep -vx -e build -e holdoff -e name -e folder -e keep -e report -e fetch |
	sort -u >"$scratch/theirs"
diff "$scratch/ours" "$scratch/theirs" >"$scratch/differs"
report $? "qemu/run has the same options"
sed 's/^/# /' "$scratch/differs"

# ---- what the harness is told, and what its words come to

PRETEND=done
said 0 "--nic two --count 4 --module a.ko --script $scratch/my.sh --module b --link 100" "" "<--holdoff>
<$HOLDOFF>
<--nic>
<two>
<--count>
<4>
<--module>
<a.ko>
<--module>
<b>
<--link>
<100>
<-->
<$scratch/my.sh>"
said 0 "--script 'it'\''s \$(odd) \"; *
' --script=--help" "" "<-->
<it's \$(odd) \"; *
>
<--help>"
PRETEND=failed
said 125 "--script my.sh --script other.sh --script third.sh" ""
said 125 "--json --nic two --script my.sh --script other.sh --script third.sh --script never.sh" "" '"outcome": "failed"' \
	'"why": "other.sh left with status 125"' '"exit_status": 125' '"status": 3' '"scripts_virtual_ns": 2000000000'
[ "$(grep -c '"status"' "$scratch/out")" -eq 3 ]
report $? "a script that was not begun has no status"
PRETEND=died
said 125 "--json --script my.sh" "" '"outcome": "died"' '"exit_status": 125'
PRETEND=late
said 124 "--json --script my.sh" "" '"outcome": "late"' '"exit_status": 124'
PRETEND=unavailable
said 3 "--json --script my.sh" "" '"outcome": "unavailable"' '"why": "qemu-system-x86_64 is missing"'
PRETEND=refused
said 2 "--json --nic four --script my.sh" "unknown NIC"
[ ! -s "$scratch/out" ]
report $? "no document where the command was wrong"
PRETEND=killed
said 125 "--script my.sh" "the harness ended with status 137 and does not say why"
said 125 "--json --script my.sh" "the harness ended with status 137" '"outcome": "died"' '"why": "the harness ended with status 137'
PRETEND=rubbish
said 125 "--json --script my.sh" "the harness ended with status 1 and does not say why" '"outcome": "died"'
PRETEND=done
TMPDIR=$scratch/none said 2 "--script my.sh" "no folder can be made in \"$scratch/none\""

# ---- the end

is_alive() { # PID: what nobody has waited for yet is dead all the same
	case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in
	"" | Z) return 1 ;;
	esac
}

# ends SIGNAL STATUS: a holdoff bench that waits gets it.
ends() {
	rm -f "$PIDS"
	TMPDIR=$scratch env --default-signal=INT "$HOLDOFF" bench --script "$scratch/my.sh" >"$scratch/out" 2>"$scratch/err" &
	bench=$!
	tries=0
	until [ -e "$PIDS" ] || [ $tries -eq 200 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	read -r folder shell sleeper <"$PIDS"
	[ -d "$folder" ] && is_alive "$shell" && is_alive "$sleeper"
	report $? "SIG$1: before it, a guest runs"
	kill -s "$1" $bench
	wait $bench 2>/dev/null
	got=$?
	[ $got -eq "$2" ]
	report $? "SIG$1: the exit status is $2 (got $got)"
	tries=0
	while { [ -e "$folder" ] || is_alive "$shell" || is_alive "$sleeper"; } && [ $tries -lt 200 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	! [ -e "$folder" ] && ! is_alive "$shell" && ! is_alive "$sleeper"
	report $? "SIG$1: after it, no process and no file is left"
}

PRETEND=waiting
ends INT 130
ends TERM 143
ends HUP 129
ends KILL 137

# ---- where the harness is

PRETEND=done
HOLDOFF_QEMU=$scratch
said 3 "--script my.sh" "HOLDOFF_QEMU is \"$scratch\", and there is no harness in it"
HOLDOFF_QEMU=
mkdir -p "$scratch/opt/bin" "$scratch/opt/share/holdoff" "$scratch/tree/build/asan"
cp "$HOLDOFF" "$scratch/opt/bin/holdoff"
cp "$HOLDOFF" "$scratch/tree/build/asan/holdoff"
own=$HOLDOFF
HOLDOFF=$scratch/opt/bin/holdoff
said 3 "--script my.sh" "the harness that boots guests is not here"
cp -r "$stand_in" "$scratch/opt/share/holdoff/qemu"
said 0 "--script my.sh" "" "<$HOLDOFF>"
HOLDOFF=$scratch/tree/build/asan/holdoff
cp -r "$stand_in" "$scratch/tree/qemu"
said 0 "--script my.sh" "" "<$HOLDOFF>"
chmod o+w "$scratch/tree"
said 3 "--script my.sh" "the harness that boots guests is not here"
HOLDOFF=$own

# ---- without QEMU, and without anything else

mkdir "$scratch/bin"
ln -s /usr/bin/* /bin/* /usr/sbin/* /sbin/* "$scratch/bin/" 2>/dev/null
rm -f "$scratch"/bin/qemu-system-*
HOLDOFF_QEMU=$(pwd)/qemu
PATH_BEFORE=$PATH
PATH=$scratch/bin
export HOLDOFF_CACHE=$scratch/cache
if [ "$(uname -m)" = x86_64 ]; then
	said 3 "--script $scratch/my.sh" "qemu-system-x86_64 is missing: "
	! command -v dpkg >/dev/null || grep -q 'missing: .*apt-get install --no-install-recommends .*qemu-system-x86' "$scratch/err"
	report $? "and the command that installs it is told"
	said 3 "--json --script $scratch/my.sh" "qemu-system-x86_64 is missing: " '"outcome": "unavailable"' '"why": "qemu-system-x86_64 is'
fi
PATH=$PATH_BEFORE
said 2 "--nic four --script $scratch/my.sh" "unknown NIC \"four\", expected one of: e1000e "
said 2 "--script $scratch/none.sh" "there is no script \"$scratch/none.sh\""
said 2 "--script $scratch" "\"$scratch\" is a folder, not a script"
said 2 "--kernel $scratch/my.sh --script $scratch/my.sh" "\"$scratch/my.sh\" is no kernel: expected a bzImage or vmlinux"
said 2 "--module $scratch/my.sh --script $scratch/my.sh" "--module takes FILE.ko or the name of one of the kernel's"
for limit in timeout guest-timeout; do
	said 2 "--$limit 0 --script $scratch/my.sh" "--$limit takes a number of seconds above 0"
	said 2 "--$limit 1s --script $scratch/my.sh" "--$limit takes a whole number, not \"1s\""
done
said 2 "--count 0 --script $scratch/my.sh" "--count takes 1 to 8"
said 2 "--kernel $scratch/none --script $scratch/my.sh" "there is no file \"$scratch/none\""
said 2 "--module $scratch/my.sh.ko --script $scratch/my.sh" "there is no module"
said 2 "--console $scratch/none/console --script $scratch/my.sh" "\"$scratch/none/console\" cannot be written"
said 2 "--events $scratch/events --script $scratch/my.sh" "--events needs a device of qemu/device"
said 2 "--assume tsnep-delay-from=2 --script $scratch/my.sh" "tsnep-delay-from is no choice of e1000e, which has none"
said 2 "--nic tsnep --assume tsnep-delay-from=x --script $scratch/my.sh" "--assume takes a whole number, not \"x\""
said 2 "--add $scratch/my.sh:/a/b\ c --script $scratch/my.sh" "a path in the guest has letters"

finish
