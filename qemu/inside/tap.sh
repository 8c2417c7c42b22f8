# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts that run in the guest: . /test/tap.sh. The number of the next line is kept in a file, so that all
# scripts of one boot make one TAP document; the plan is printed after the last.
tap_count=/run/tap-count

tap_began() {
	[ -e $tap_count ]
}

tap_plan() {
	echo "1..$(cat $tap_count)"
}

report() { # PASSED(0/1) TEXT
	number=0
	! tap_began || number=$(cat $tap_count)
	number=$((number + 1))
	echo $number >$tap_count
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
	fi
}

is() { # GOT EXPECTED TEXT
	if [ "$1" = "$2" ]; then
		report 0 "$3"
	else
		report 1 "$3"
		echo "# got \"$1\", expected \"$2\""
	fi
}

# between LOW GOT HIGH TEXT: whole numbers; what is no number is a failure.
between() {
	if [ "$2" -ge "$1" ] 2>/dev/null && [ "$2" -le "$3" ]; then
		report 0 "$4"
	else
		report 1 "$4"
		echo "# got \"$2\", expected $1 to $3"
	fi
}

# In the namespace of the other NIC.
peer() {
	ip netns exec peer "$@"
}
