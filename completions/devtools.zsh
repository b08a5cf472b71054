#compdef devtools
# Completion of devtools for zsh: put it as _devtools into a folder of $fpath, or source it.
_devtools() {
	local line text word left='' at
	local -a closed open
	while IFS= read -r line; do
		if [[ $line == $'\t'* ]]; then
			left=${${line#?}% *} at=${line##* }
			continue
		fi
		text=${line%%$'\t'*} line=${line#*$'\t'}
		word=${${text//\\/\\\\}//:/\\:}${line:+:$line} # as _describe reads it
		[[ $text == *[:=] ]] && open+=("$word") || closed+=("$word")
	done < <(DEVTOOLS_COMPLETE=zsh "${${(Q)words[1]}/#\~\//$HOME/}" "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)
	case $left in
	files) compset -p $at; _files ;;
	folders) compset -p $at; _files -/ ;;
	command) shift $at words; (( CURRENT -= at )); _normal ;;
	*) _describe -V 'devtools' closed -- open -S '' ;;
	esac
}
if [[ $funcstack[1] == _devtools ]]; then
	_devtools "$@"
else
	(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
	compdef _devtools devtools
fi
