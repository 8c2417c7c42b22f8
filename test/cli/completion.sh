#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The completion of bash, called as bash calls it.
. "$(dirname "$0")/table.sh"

if ! command -v bash >/dev/null; then
	echo "1..0 # SKIP bash is not installed"
	exit 0
fi

complete_words() { # WORD...: what completes the last one
	bash -c '
		. completion/holdoff.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_holdoff
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$HOLDOFF" "$@" 2>&1 | sort | tr '\n' ' '
}

completes() { # 'EXPECTED' WORD...: all of these among the answers, or exactly them when EXPECTED begins with "="
	expected=$1
	shift
	got=$(complete_words "$@")
	wrong=0
	case $expected in
	=*) [ "$got" = "${expected#=}" ] || wrong=1 ;;
	*) for word in $expected; do
		case " $got" in *" $word "*) ;; *) wrong=1 ;; esac
	done ;;
	esac
	report $wrong "holdoff $*[TAB]"
	[ $wrong -eq 0 ] || echo "# got \"$got\", expected \"$expected\""
}

# As bash does on a line: it cuts words at @ and = too, and answers take the place of the last piece.
completes_line() { # EXPECTED LINE
	got=$(bash -c '
		. completion/holdoff.bash
		COMP_LINE="holdoff $2" COMP_POINT=$((${#2} + 8))
		pieces=${2//[@=]/ & }
		read -r -a COMP_WORDS <<<"$1 $pieces"
		[[ $2 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_holdoff
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$HOLDOFF" "$2" 2>&1 | sort | tr '\n' ' ')
	[ "$got" = "$1" ]
	report $? "holdoff $2[TAB]"
	[ "$got" = "$1" ] || echo "# got \"$got\", expected \"$1\""
}

completes_line "6.12 " "explain --driver tsnep@6"
completes_line "6.12 " "explain --driver=tsnep@6"
completes_line "imx8qxp " "explain --board=imx8qx"
completes_line "markdown " "sweep --format=mark"
completes_line "tsnep@6.12 tsnep@none tsnep@seed " "explain --driver tsn"
completes_line "check " "scenarios "
completes_line "tsnep-xdp " "scenarios check tsnep-x"
completes_line "kinds " "help --list ki"
completes_line " " "explain --board imx8mm rx-usecs "
completes_line "tx-usecs-low " "explain --board imx8mm rx-usecs 3 tx-usecs-l"

completes "=explain " ex
completes "boards explain help --version" ""
completes "=--board " explain --bo
completes "--board --driver --registers --json --help" explain --
completes "=imx8qm imx8qxp " explain --board imx8q
completes "=tsnep@6.12 tsnep@none tsnep@seed " explain --driver tsnep
completes "10 100 1000" explain --speed ""
completes "=fec-event-delayed= " explain --board imx8mm --assume fec-e
completes "=rx-usecs-high rx-usecs-irq rx-usecs-low " explain --board imx8mm rx-usecs-
completes "=imx7d " boards imx7
completes "=lo " show lo
completes "=--watch " show --w
completes "=--until-confirmed " set --unt
completes "=gro-flush-timeout " set lo napi 1 gro
completes "=lo " revert lo
completes "=devices " help --list dev
completes "=explain " help expl
completes "=--peer " load --pe
completes "= " load --peer ""
completes "=tftp " load --workload tf
completes "=profiles/boards/imx7d.ini " explain --board profiles/boards/imx7
completes "= " explain --board imx8mm --queue ""
completes "=test/data/persist/50-good.link " lint test/data/persist/50
completes "ethtool networkmanager systemd-link udev" emit --format ""
completes "lo" lint --against ""
completes "=mlx5_core " explain --driver mlx
completes "= " simulate --driver mlx
completes "=test/data/cases/l_ice.txt " diagnose test/data/cases/l_ic

finish
