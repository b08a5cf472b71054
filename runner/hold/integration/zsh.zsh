# The .zshenv of zsh, which sources that of the user. It tells the holder of the session, by marks that no
# terminal shows (OSC 133 with aid), when the prompt is there, and when a command begins and ends.

@RESTORE@
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
	builtin source "${ZDOTDIR-$HOME}/.zshenv"
fi

if [[ -o interactive ]]; then
	typeset -g _devtools_run= _devtools_ran= _devtools_text= _devtools_options= _devtools_chars= _devtools_mark= _devtools_eol=

	# The first prompt is after all files of the user.
	_devtools_begin() {
		_devtools_ran=
		zle -N _devtools_load
		_devtools_prompt
	}

	# The command is over. While one for run --in runs, PROMPT_EOL_MARK has said so already, before
	# PROMPT_SP and the function precmd have printed anything.
	_devtools_end() {
		local code=$? stages="${(j:,:)pipestatus}"
		{
			emulate -L zsh
			if [[ -n $_devtools_ran ]]; then
				print -rn -- $'\e]133;D;'$code';aid=@AID@;r='$_devtools_run';p='$stages$'\a' >|/dev/tty
			fi
			_devtools_run= _devtools_ran=
			if [[ -n $_devtools_mark ]]; then
				if [[ ${PROMPT_EOL_MARK-} == $_devtools_mark ]]; then
					if [[ $_devtools_eol == - ]]; then
						unset PROMPT_EOL_MARK
					else
						PROMPT_EOL_MARK=${_devtools_eol#+}
					fi
				fi
				_devtools_mark=
			fi
		} 2>/dev/null
		_devtools_restore
		return $code
	}

	# Marks the prompt, whatever others have made of it, and puts the hooks where they belong.
	_devtools_prompt() {
		{
			emulate -L zsh
			local a=$'%{\e]133;A;aid=@AID@;s=%?\a%}' b=$'%{\e]133;B;aid=@AID@\a%}' map
			if [[ $PS1 != *$a* ]]; then PS1=$a$PS1; fi
			if [[ $PS1 != *$b* ]]; then PS1=$PS1$b; fi
			typeset -ga precmd_functions preexec_functions
			precmd_functions=(_devtools_end ${precmd_functions:#_devtools_(begin|end|prompt)} _devtools_prompt)
			preexec_functions=(${preexec_functions:#_devtools_start} _devtools_start)
			for map in main emacs viins vicmd; do
				bindkey -M $map '\e[57501~' _devtools_load
			done
		} 2>/dev/null
	}

	# The command is parsed, and begins.
	_devtools_start() {
		{
			_devtools_restore
			print -rn -- $'\e]133;C;aid=@AID@;r='$_devtools_run$'\a' >|/dev/tty
			_devtools_ran=1
		} 2>/dev/null
	}

	# Gives back what is changed while a command of ours is parsed: ! is no history, and # a comment.
	_devtools_restore() {
		if [[ $_devtools_options == off ]]; then
			unsetopt interactive_comments
		fi
		_devtools_options=
		if [[ -n $_devtools_chars ]]; then
			histchars=$_devtools_chars
			_devtools_chars=
		fi
	}

	# The widget that takes the command of the file for the line, if that is empty.
	_devtools_load() {
		{
			if _devtools_read; then
				_devtools_prompt # the hooks may be gone
				if [[ -z $_devtools_chars ]]; then
					_devtools_chars=$histchars
					histchars=$'\1\2'${histchars:2:1}
				fi
				if [[ ! -o interactive_comments ]]; then
					_devtools_options=off
					setopt interactive_comments
				fi
				zle .accept-line
			fi
		} 2>/dev/null
	}

	_devtools_read() {
		emulate -L zsh
		local content id text reason
		content=$(<@COMMAND@) || reason=gone
		id=${content%%$'\n'*}
		text=${${content#*$'\n'}%$'\0'}
		if [[ -n $reason ]]; then
		elif [[ -n $BUFFER$PREBUFFER || $CONTEXT != start ]]; then
			reason=line
		elif (( COLUMNS < 4 )); then
			reason=narrow # zsh 5.9 crashes when it edits a line in one column
		elif _devtools_parse $text; then
			BUFFER=$text
			if [[ $text == *$'\n'* || $functions[_devtools_parsed] != *[^[:space:]]* ]]; then BUFFER="eval ${(qq)text}"; fi
			if [[ $text == *PROMPT_EOL_MARK* ]]; then BUFFER="eval ${(qq)text}; _devtools_end"; fi # it may take the end away
		elif _devtools_incomplete $text; then
			reason=incomplete
		else
			BUFFER="eval ${(qq)text}" # the shell says what is wrong, or the first lines change what is
		fi
		if [[ -n $reason ]]; then
			print -rn -- $'\e]133;X;aid=@AID@;r='$id';e='$reason$'\a' >|/dev/tty
			return 1
		fi
		_devtools_run=$id
		if [[ -z $_devtools_mark ]]; then
			if (( $+PROMPT_EOL_MARK )); then _devtools_eol=+$PROMPT_EOL_MARK; else _devtools_eol=-; fi
		fi
		_devtools_mark=$'%{\e]133;D;%?;aid=@AID@;r='$id$'\a%}'
		if [[ $_devtools_eol == - ]]; then
			_devtools_mark+='%B%S%#%s%b'
		else
			_devtools_mark+=${_devtools_eol#+}
		fi
		typeset -g PROMPT_EOL_MARK=$_devtools_mark
	}

	# Reports whether the text is a whole list of commands. Nothing of it is run.
	_devtools_parse() {
		unset 'functions[_devtools_parsed]'
		functions[_devtools_parsed]=$1
		(( $+functions[_devtools_parsed] )) && [[ $1 != *\\ || $1 == *\\\\ ]]
	}

	# Reports whether the text lacks only its end.
	_devtools_incomplete() {
		local inner outer end
		local -a ends=('"' "'" '`' ')' '))' $'\n}' ' ]]' $'\n:' ' :' $'\nfi' $'\ndone' $'\nesac' $'\n:\nfi' $'\n:\ndone' '; do :; done' '; then :; fi' ' x')
		if [[ $1 == *\\ ]]; then return 0; fi
		for inner in '' $ends; do
			for outer in $ends; do
				if [[ $inner == ['"`'\'] && $inner == $outer ]]; then continue; fi
				if _devtools_parse "$1$inner$outer"; then return 0; fi
			done
		done
		return 1
	}

	typeset -ga precmd_functions
	precmd_functions+=(_devtools_begin)
fi
