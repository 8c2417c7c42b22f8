#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff ping beside ping, fping and sockperf on the same veth, in turns: a round trip with equal end points is no longer, and its tail no worse.
# Only ratios within a round count, and their median over 20 rounds. A machine that is shared may spoil 20 rounds: then 20 more are
# added, and 20 more; all of them count together, so that what is really slower stays so. It fails where a ratio was too high in so many
# more than half of the rounds that chance is ruled out (2.6 standard deviations), and that also in those rounds alone in which
# others left the CPUs to it.
. "$(dirname "$0")/alone"
. "$(dirname "$0")/../cli/table.sh"
ROUNDS=${ROUNDS:-20}

for tool in ping fping sockperf; do
	if ! command -v $tool >/dev/null; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done
mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
for name in near far; do
	if ! ip netns add $name 2>"$scratch/err"; then
		echo "1..0 # SKIP no network namespace can be made: $(head -n 1 "$scratch/err")"
		exit 0
	fi
	ip -n $name link set lo up
done
ip -n near link add name v0 type veth peer name v1 netns far
ip -n near addr add 10.1.0.1/24 dev v0
ip -n far addr add 10.1.0.2/24 dev v1
ip -n near link set v0 up
ip -n far link set v1 up
near() {
	ip netns exec near "$@"
}
ip netns exec far sockperf server -i 10.1.0.2 -p 11111 >/dev/null 2>&1 &
server=$!
trap 'kill $server; rm -rf "$scratch"' EXIT
near ping -q -c 3 -i 0.1 10.1.0.2 >/dev/null

# note NAME VALUE: of this round, in us.
note() {
	echo "$round $1 $2" >>"$scratch/values"
}

# The mean (or what is asked) of a span in the last document.
of_document() { # SPAN KEY
	sed -n "/\"$1\"/,/}/s/^ *\"$2\": \([0-9]*\),*$/\1/p" "$scratch/out" | awk '{ print $1 / 1000 }'
}

# ping cuts its mean to whole us: half a us is added. The single times that it prints are of whole us too, but differences of two
# rounded instants, whose mean is right.
round_of_ping() {
	near ping -f -q -c 3000 10.1.0.2 >"$scratch/out"
	note ping-f "$(sed -n 's,^rtt [^=]*= [^/]*/\([0-9.]*\)/.*,\1,p' "$scratch/out" | awk '{ print 1000 * $1 + 0.5 }')"
	near ping -i 0 -c 3000 10.1.0.2 | sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' | sort -n >"$scratch/times"
	note ping-lines "$(awk '{ sum += $1 } END { print 1000 * sum / NR }' "$scratch/times")"
	note ping-p99 "$(awk '{ time[NR] = $1 } END { print 1000 * time[int(NR * 0.99)] }' "$scratch/times")"
	# Not compared: at intervals within a tick ping spins, so that the CPU is never idle; holdoff and fping sleep between probes.
	near ping -q -i 0.001 -c 100 10.1.0.2 >"$scratch/out"
	note ping-1ms "$(sed -n 's,^rtt [^=]*= [^/]*/\([0-9.]*\)/.*,\1,p' "$scratch/out" | awk '{ print 1000 * $1 + 0.5 }')"
}

round_of_fping() {
	near fping -q -c 100 -p 1 10.1.0.2 >"$scratch/out" 2>&1
	note fping-1ms "$(sed -n 's,.*min/avg/max = [^/]*/\([0-9.]*\)/.*,\1,p' "$scratch/out" | awk '{ print 1000 * $1 }')"
}

round_of_sockperf() {
	near sockperf ping-pong -i 10.1.0.2 -p 11111 -t 1 -m 56 --full-rtt >"$scratch/out" 2>&1
	note sockperf "$(sed -n 's/.*avg-rtt=\([0-9.]*\).*/\1/p' "$scratch/out")"
	note sockperf-p99 "$(sed -n 's/.*percentile 99.000 = *\([0-9.]*\).*/\1/p' "$scratch/out")"
}

round_of_holdoff() {
	near "$HOLDOFF" ping --json -i 0 -c 3000 10.1.0.2 >"$scratch/out"
	note holdoff "$(of_document rtt_to_kernel_ns mean)"
	note holdoff-p99 "$(of_document rtt_to_kernel_ns p99)"
	note holdoff-app "$(of_document rtt_to_application_ns mean)"
	note holdoff-app-p99 "$(of_document rtt_to_application_ns p99)"
	near "$HOLDOFF" ping --json --fixed -i 1ms -c 100 10.1.0.2 >"$scratch/out"
	note holdoff-1ms "$(of_document rtt_to_kernel_ns mean)"
}

# Ticks that all CPUs were busy for, but with interrupts, and those of them that this test used: its children and the server.
busy_ticks() {
	times >"$scratch/times"
	awk -v hz="$(getconf CLK_TCK)" '
		function seconds(text,   parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
		FILENAME ~ /times$/ { ours += hz * (seconds($1) + seconds($2)) }
		FILENAME ~ /server$/ { sub(/.*\) /, ""); ours += $12 + $13 }
		FILENAME == "/proc/stat" && $1 == "cpu" { all = $2 + $3 + $4 + $9 }
		END { print int(all), int(ours) }
	' "$scratch/times" "$scratch/server" /proc/stat
}

# What share of one CPU others have used in this round, in percent. Theirs is also what a hypervisor has taken.
note_others() { # BEGUN ALL-BEFORE OURS-BEFORE
	cat /proc/$server/stat >"$scratch/server"
	echo "$* $(cut -d ' ' -f 1 /proc/uptime) $(busy_ticks)" | awk -v hz="$(getconf CLK_TCK)" '
		{ printf "%d\n", 100 * (($5 - $2) - ($6 - $3)) / hz / ($4 - $1 + 0.01) }' >"$scratch/others"
	note others "$(cat "$scratch/others")"
}

# Who begins changes from round to round.
do_round() {
	cat /proc/$server/stat >"$scratch/server"
	before="$(cut -d ' ' -f 1 /proc/uptime) $(busy_ticks)"
	case $((round % 2)) in
	0) order="ping holdoff fping sockperf" ;;
	*) order="sockperf fping holdoff ping" ;;
	esac
	for each in $order; do
		round_of_$each
	done
	note_others $before
}

# ratios OTHERS MINE OTHER [QUANTUM]: of the rounds in which others used no more than this share, in thousandths. QUANTUM: what OTHER
# rounds to, and may be short of.
ratios() {
	awk -v most="$1" -v mine="$2" -v other="$3" -v quantum="${4:-0}" '
		$2 == mine { a[$1] = $3 }
		$2 == other { b[$1] = $3 }
		$2 == "others" { others[$1] = $3 }
		END { for (round in a) if (b[round] > 0 && others[round] <= most) print int(1000 * a[round] / (b[round] + quantum)) }
	' "$scratch/values" | sort -n
}

ratio() { # MINE OTHER [QUANTUM]: the median over the rounds
	ratios 9999 "$@" | awk '{ ratio[NR] = $1 } END { print NR ? ratio[int((NR + 1) / 2)] : 9999 }'
}

# is_too_high OTHERS MINE OTHER [QUANTUM]: in how many of how many rounds is in $high and $of.
is_too_high() {
	high=$(ratios "$@" | awk '$1 > 1050' | wc -l)
	of=$(ratios "$@" | wc -l)
	[ "$of" -eq 0 ] || awk -v high="$high" -v of="$of" 'BEGIN { exit !(2 * high - of > 2.6 * sqrt(of)) }'
}

# Rounds in which others used at most half of a CPU; fewer than ten of them tell nothing.
quiet=50
judge() { # MEDIAN MINE OTHER [QUANTUM]
	median=$1
	shift
	text="$1 is at most 1.05 of $2: 0.001 x $median, the median of $round rounds"
	if [ "$median" -le 1050 ]; then
		report 0 "$text"
	elif ! is_too_high 9999 "$@"; then
		report 0 "$text, and more than that in $high of $of, which may be chance"
	elif [ "$(ratios $quiet "$@" | wc -l)" -lt 10 ]; then
		report 0 "$text # SKIP this machine is too busy: in fewer than 10 of $round rounds others used less than $quiet % of a CPU"
	else
		! is_too_high $quiet "$@"
		report $? "$text, and more than that in $high of the $of in which others left the CPUs to it"
	fi
}

compare_all() {
	worst=0
	for pair in "holdoff ping-f" "holdoff ping-lines" "holdoff-p99 ping-p99 1" "holdoff-1ms fping-1ms" "holdoff-app sockperf" \
		"holdoff-app-p99 sockperf-p99"; do
		got=$(ratio $pair)
		echo "$pair $got" >>"$scratch/ratios"
		[ "$got" -le $worst ] || worst=$got
	done
	[ $worst -le 1050 ]
}

round=0
for last in $ROUNDS $((2 * ROUNDS)) $((3 * ROUNDS)); do
	while [ $round -lt "$last" ]; do
		round=$((round + 1))
		do_round
	done
	: >"$scratch/ratios"
	! compare_all || break
done

while read -r mine other rest; do
	quantum=${rest% *}
	[ "$quantum" != "$rest" ] || quantum=
	judge "${rest##* }" "$mine" "$other" $quantum
done <"$scratch/ratios"
awk '{ sum[$2] += $3; n[$2]++ } END { for (name in sum) printf "# %s %.1f %s in the mean of %d rounds\n", name, sum[name] / n[name], name == "others" ? "% of a CPU" : "us", n[name] }' "$scratch/values" | sort
finish
