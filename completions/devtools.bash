# Completion of devtools for bash: source it, or put it where bash-completion looks.
_devtools() {
	local line left='' columns=0
	COMPREPLY=()
	case $COMP_TYPE in 33 | 63 | 64) columns=${COLUMNS:-80} ;; esac # the words are listed
	while IFS= read -r line; do
		[[ $line == $'\t'* ]] && left=${line#?} || COMPREPLY+=("$line")
	done < <(DEVTOOLS_COMPLETE=bash "${1/#\~\//$HOME/}" "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "$columns" 2>/dev/null </dev/null)
	case $left in
	files) compopt -o bashdefault -o default ;;
	folders) compopt -o dirnames ;;
	open) compopt -o nospace ;;
	command*) _devtools_command "${left#* }" "$2" ;;
	esac
}

# _devtools_command completes the command line of another program, which begins at character $1, as if it stood alone. $2 is the
# text that readline replaces.
_devtools_command() {
	local i rest=$COMP_LINE before spec
	for ((i = 0; i < COMP_CWORD; i++)); do
		rest=${rest#"${rest%%[![:space:]]*}"}
		((${#COMP_LINE} - ${#rest} < $1)) || break
		rest=${rest#"${COMP_WORDS[i]}"}
	done
	compopt +o nosort
	for spec in _comp_command_offset _command_offset; do # of bash-completion
		declare -F "$spec" >/dev/null && "$spec" "$i" && return
	done
	before=$((${#COMP_LINE} - ${#rest}))
	COMP_LINE=$rest COMP_POINT=$((COMP_POINT - before)) COMP_WORDS=("${COMP_WORDS[@]:i}") COMP_CWORD=$((COMP_CWORD - i))
	if ((COMP_CWORD == 0)); then
		compopt -o filenames
		while IFS= read -r spec; do COMPREPLY+=("$spec"); done < <(compgen -A command -A directory -- "$2")
	elif spec=$(complete -p -- "${COMP_WORDS[0]##*/}" 2>/dev/null) && [[ $spec =~ \ -F\ ([^\ ]+) ]]; then
		"${BASH_REMATCH[1]}" "${COMP_WORDS[0]}" "$2" "${COMP_WORDS[COMP_CWORD - 1]}"
		while [[ $spec =~ \ -o\ ([a-z]+)(\ .*) ]]; do
			compopt -o "${BASH_REMATCH[1]}"
			spec=${BASH_REMATCH[2]}
		done
	else
		compopt -o bashdefault -o default
	fi
}
complete -o nosort -F _devtools devtools 2>/dev/null || complete -o bashdefault -o default -F _devtools devtools # before bash 4.4
