#compdef devtools
# Completion of devtools for zsh: put it as _devtools into a folder of $fpath, or source it after compinit.
_devtools() {
	local current=${words[CURRENT]} line
	local -a asked found
	asked=("${(@)words[2,CURRENT-1]}")
	if (( ${asked[(Ie)--]} )); then
		_files # another program's words
		return
	fi
	[[ $current == -* ]] && asked+=("$current")
	while IFS= read -r line; do
		[[ -n $line ]] && found+=("$line")
	done < <(DEVTOOLS_COMPLETE=1 "${words[1]}" "${asked[@]}" --generate-shell-completion 2>/dev/null </dev/null)
	if (( $#found )); then
		_describe 'devtools' found
	else
		_files
	fi
}
if [[ $funcstack[1] == _devtools ]]; then
	_devtools "$@"
else
	compdef _devtools devtools
fi
