# Completion of devtools for bash: source it, or put it where bash-completion looks.
_devtools() {
	local current=${COMP_WORDS[COMP_CWORD]} word line asked=()
	COMPREPLY=()
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $word == -- ]] && return # another program's words
		asked+=("$word")
	done
	[[ $current == -* ]] && asked+=("$current")
	while IFS= read -r line; do
		line=${line%%:*} # the name, without its explanation
		[[ -n $line && $line == "$current"* ]] && COMPREPLY+=("$line")
	done < <(DEVTOOLS_COMPLETE=1 "${COMP_WORDS[0]}" "${asked[@]}" --generate-shell-completion 2>/dev/null </dev/null)
}
complete -o bashdefault -o default -F _devtools devtools
