# Completion of devtools for bash: source it, or put it where bash-completion looks.
_devtools() {
	local word line glued='' done='' words=() asked=()
	COMPREPLY=()
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if [[ $glued || $word == : && ${#words[@]} -gt 0 ]]; then # bash breaks words at colons
			words[${#words[@]}-1]+=$word
		else
			words+=("$word")
		fi
		[[ $word == : ]] && glued=1 || glued=''
	done
	local current=${words[${#words[@]}-1]}
	for word in "${words[@]:0:${#words[@]}-1}"; do
		[[ $word == -- ]] && return # another program's words
		asked+=("$word")
	done
	[[ $current == -* ]] && asked+=("$current")
	[[ $current == *:* ]] && done=${current%:*}: # stays on the line
	while IFS= read -r line; do
		line=${line//\\:/$'\001'}
		line=${line%%:*} # the name, without its explanation
		line=${line//$'\001'/:}
		[[ -n $line && $line == "$current"* ]] && COMPREPLY+=("${line#"$done"}")
	done < <(DEVTOOLS_COMPLETE=1 "${COMP_WORDS[0]}" "${asked[@]}" --generate-shell-completion 2>/dev/null </dev/null)
}
complete -o bashdefault -o default -F _devtools devtools
