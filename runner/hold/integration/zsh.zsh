# The .zshenv of zsh, which sources that of the user. It tells the holder of the session, by marks that no
# terminal shows (OSC 133 with aid), when the prompt is there, and when a command begins and ends.

@RESTORE@
if @BARE@; then
	setopt no_rcs # as with -f
elif [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
	builtin source "${ZDOTDIR-$HOME}/.zshenv"
fi

# The user's files are read.
if [[ -o interactive ]]; then
	typeset -g _devtools_run= _devtools_latest= _devtools_ran= _devtools_text= _devtools_options= _devtools_chars= _devtools_mark= _devtools_eol= _devtools_id= _devtools_how= _devtools_line= _devtools_reason=
	typeset -ga _devtools_kept # what --env and --cwd have changed

	# The first prompt is after all files of the user.
	_devtools_begin() {
		_devtools_ran=
		@HISTFILE@
		zle -N _devtools_load
		_devtools_prompt
	}

	# The command is over. While one for run --in runs, PROMPT_EOL_MARK has said so already, before
	# PROMPT_SP and the function precmd have printed anything.
	_devtools_end() {
		set -- $? "${(j:,:)pipestatus}"
		{
			_devtools_back
			emulate -L zsh
			if [[ -n $_devtools_ran ]]; then
				builtin print -rn -- $'\e]133;D;'$1';aid=@AID@;r='$_devtools_run';p='$2$'\a' >|/dev/tty
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
		return $1
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
			bindkey -M emacs '\e[57504~' redisplay
			bindkey -M viins '\e[57504~' vi-cmd-mode # in a search it leaves the search
			bindkey -M vicmd '\e[57504~' vi-cmd-mode
			bindkey -M command '\e[57504~' send-break
		} 2>/dev/null
	}

	# The command is parsed, and begins. Its argument is the line that was typed.
	_devtools_start() {
		{
			_devtools_restore
			_devtools_typed "$1"
			_devtools_ran=1
			builtin print -rn -- $'\e]133;C;aid=@AID@;r='$_devtools_run$_devtools_text$'\a' >|/dev/tty # last: a trap of DEBUG may print
		} 2>/dev/null
	}

	# Makes a parameter of the mark of a typed line, if it is short. One that begins with a blank is to be in no history. Without
	# zle it is the terminal that shows the line, or not: it may be a secret.
	_devtools_typed() {
		_devtools_text=
		[[ -o zle ]] || return 0
		emulate -L zsh
		local line=${1//\\/\\\\}
		line=${line//$'\n'/\\n}
		if [[ -z $_devtools_run && $line != [[:blank:]]* && $line != *[[:cntrl:]]* ]] && (( $#line > 0 && $#line <= 900 )); then
			_devtools_text=';c='$line
		fi
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
			_devtools_read
			if [[ -n $_devtools_reason ]]; then
				_devtools_reject
			elif [[ $_devtools_how == *given* ]] && ! _devtools_give; then # no function that calls it may have a variable of its own
				_devtools_back
				_devtools_reject
			else
				_devtools_accept
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

	# Reads the command of the file, and says why it cannot be taken.
	_devtools_read() {
		emulate -L zsh
		local content text reason
		content=$(<@COMMAND@) && [[ -n $content ]] || reason=gone
		_devtools_id=${content%%$'\n'*}
		content=${content#*$'\n'}
		_devtools_how=${content%%$'\n'*}
		text=${${content#*$'\n'}%$'\0'}
		if [[ -n $reason ]]; then
		elif [[ $_devtools_id == $_devtools_latest ]]; then
			reason=taken # by a key that was typed for another command: none runs twice
		elif [[ -n $PREBUFFER || $CONTEXT != start || ( -n $BUFFER && $_devtools_how != *replace* ) ]]; then
			reason=line
		elif (( COLUMNS < 4 )); then
			reason=narrow # zsh 5.9 crashes when it edits a line in one column
		elif _devtools_parse $text; then
			_devtools_line=$text
			if [[ $text == *$'\n'* || $functions[_devtools_parsed] != *[^[:space:]]* ]]; then _devtools_line="eval ${(qq)text}"; fi
			if [[ $text == *PROMPT_EOL_MARK* ]]; then _devtools_line="eval ${(qq)text}; _devtools_end"; fi # it may take the end away
		elif _devtools_incomplete $text; then
			reason=incomplete
		else
			_devtools_line="eval ${(qq)text}" # the shell says what is wrong, or the first lines change what is
		fi
		_devtools_reason=$reason
	}

	_devtools_reject() {
		emulate -L zsh
		[[ $_devtools_reason != taken ]] || return
		builtin print -rn -- $'\e]133;X;aid=@AID@;r='$_devtools_id';e='$_devtools_reason$'\a' >|/dev/tty
	}

	_devtools_accept() {
		emulate -L zsh
		BUFFER=$_devtools_line
		_devtools_run=$_devtools_id _devtools_latest=$_devtools_id
		if [[ -z $_devtools_mark ]]; then
			if (( $+PROMPT_EOL_MARK )); then _devtools_eol=+$PROMPT_EOL_MARK; else _devtools_eol=-; fi
		fi
		_devtools_mark=$'%{\e]133;D;%?;aid=@AID@;r='$_devtools_id$'\a%}'
		if [[ $_devtools_eol == - ]]; then
			_devtools_mark+='%B%S%#%s%b'
		else
			_devtools_mark+=${_devtools_eol#+}
		fi
		typeset -g PROMPT_EOL_MARK=$_devtools_mark
	}

	# Sets what the command is given with --env and --cwd.
	_devtools_give() {
		emulate -L zsh
		_devtools_back # the end of the last command may not have come
		builtin source @GIVEN@
	}

	__devtools_set() {
		_devtools_reason=env:$1
		_devtools_keep $1 && typeset -gx -- $1=$2 && [[ ${(P)1} == "$2" ]]
	}

	__devtools_enter() {
		_devtools_reason=cwd
		_devtools_keep OLDPWD || return
		_devtools_kept=(cd '' $PWD "${_devtools_kept[@]}")
		builtin cd -q -- $1
	}

	# Notes what a variable is: its name, its kind and its value. Only text and numbers can be brought back.
	_devtools_keep() {
		case ${(Pt)1} in
		'') _devtools_kept=($1 unset '' "${_devtools_kept[@]}") ;;
		*readonly*) return 1 ;;
		scalar*export* | integer*export*) _devtools_kept=($1 -x "${(P)1}" "${_devtools_kept[@]}") ;;
		scalar* | integer*) _devtools_kept=($1 +x "${(P)1}" "${_devtools_kept[@]}") ;;
		*) return 1 ;;
		esac
	}

	# Brings back what was before the command, the last change first.
	_devtools_back() {
		if (( ! $#_devtools_kept )); then return 0; fi
		{
			emulate -L zsh
			set -- "${_devtools_kept[@]}"
			_devtools_kept=()
			while (( $# )); do
				case $2 in
				'') # before it in the list is OLDPWD, which cd - does not look at
					if [[ -n $6 ]]; then builtin cd -q -- $6; fi
					builtin cd -q -- $3
					;;
				unset) unset -- $1 ;;
				*) typeset -g $2 -- $1=$3 ;;
				esac
				shift 3
			done
		} 2>/dev/null
		return 0
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
