# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of holdoff for bash. It knows nothing itself: commands, options and names are what the program lists, so that they
# are those of the version that is installed.

_holdoff_names() {
	case $1 in
	--board | --peer) "$2" help --list boards ;;
	--driver | --peer-driver)
		"$2" help --list drivers
		case ${COMP_WORDS[1]} in explain | lint | diagnose) "$2" help --list driver-rules ;; esac
		;;
	--host | --peer-host) "$2" help --list hosts ;;
	--scenario) "$2" help --list scenarios ;;
	--against | --interface) "$2" help --list devices ;;
	--plan) "$2" help --list plans ;;
	--workload) "$2" help --list workloads ;;
	--assume) "$2" help --list assumptions | sed 's/$/=/' ;;
	--nic) "$2" help --list nics ;;
	--list) "$2" help --list kinds ;;
	--filter) [[ ${COMP_WORDS[1]} == trace ]] || "$2" help --list filters ;;
	esac
}

# The values of an option that takes one: names, then the alternatives in lower case of what it takes ("text|csv").
_holdoff_values() {
	local option=$1 program=$2 takes=$3 names

	[[ $takes == COMMAND || $takes == ADDRESS ]] || names=$(_holdoff_names "$option" "$program" 2>/dev/null)
	case $takes in
	*[A-Z]*) ;;
	*'|'*) names="$names ${takes//|/ }" ;;
	esac
	COMPREPLY=($(compgen -W "$names" -- "$current"))
	case $takes in
	*FILE* | DIR) COMPREPLY+=($(compgen -f -- "$current")) ;;
	esac
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

# What words may stand here: the verb of the command first, then names; none where a setting wants its value.
_holdoff_words() {
	local program=$1 previous=$2 names verb

	verb=$(sed -n 's/^verb //p' <<<"$options")
	names=$("$program" help --list "$(sed -n 's/^words //p' <<<"$options")" 2>/dev/null)
	if [[ $verb && $COMP_CWORD -eq 2 ]]; then
		names=$verb
	elif grep -qx '^words settings' <<<"$options" && grep -qxF -- "$previous" <<<"$names"; then
		names=
	fi
	COMPREPLY=($(compgen -W "$names" -- "$current"))
	grep -qx '^words files' <<<"$options" && COMPREPLY=($(compgen -f -- "$current"))
}

# Bash cuts words at @, = and : as well ("fec@6.12", "--board=imx8mm"): current is put together again from the line, and what
# bash takes for earlier words is cut off the answers.
_holdoff() {
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]}
	local previous=${COMP_WORDS[COMP_CWORD - 1]} options takes line head i

	if [[ $COMP_LINE ]]; then
		line=${COMP_LINE:0:COMP_POINT}
		current=${line##*[[:space:]]}
		line=${line%"$current"}
		line=${line%"${line##*[![:space:]]}"}
		previous=${line##*[[:space:]]}
	fi
	head=${current%"${current##*[@=:]}"}
	if [[ $current == --*=* ]]; then
		previous=${current%%=*}
		current=${current#*=}
	fi
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$("$program" help --list commands 2>/dev/null) --help --version" -- "$current"))
		return
	fi
	options=$("$program" "$command" --list-options 2>/dev/null) || return
	takes=$(sed -n "s/^$previous \(..*\)/\1/p" <<<"$options" 2>/dev/null)
	if [[ $previous == --* && $takes ]]; then
		_holdoff_values "$previous" "$program" "$takes"
	elif [[ $current == -* ]]; then
		COMPREPLY=($(compgen -W "$(sed -n 's/^\(--[^ ]*\).*/\1/p' <<<"$options")" -- "$current"))
	else
		_holdoff_words "$program" "$previous"
	fi
	[[ $COMP_LINE ]] || return
	head=${head#--*=}
	for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
		COMPREPLY[i]=${COMPREPLY[i]#"$head"}
	done
}

complete -F _holdoff holdoff
