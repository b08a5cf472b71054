# Sourced by bash in place of ~/.bashrc, which it sources. It tells the holder of the session, by marks
# that no terminal shows (OSC 133 with aid), when the prompt is there, and when a command begins and ends.

if @BARE@; then
	:
elif @LOGIN@; then
	if [[ -r /etc/profile ]]; then builtin source /etc/profile; fi
	if [[ -r ~/.bash_profile ]]; then builtin source ~/.bash_profile
	elif [[ -r ~/.bash_login ]]; then builtin source ~/.bash_login
	elif [[ -r ~/.profile ]]; then builtin source ~/.profile; fi
elif [[ -r ~/.bashrc ]]; then
	builtin source ~/.bashrc
fi

__devtools_run=   # the number of the command that runs for run --in
__devtools_ran=0  # set by PS0, as it can: a command was started
__devtools_bang=  # history expansion is to be switched on again
__devtools_text=
__devtools_first='{ __devtools_end; } 2>/dev/null' # the braces hide it from set -x
__devtools_last='{ __devtools_prompt; } 2>/dev/null'
__devtools_a=$'\\[\e]133;A;aid=@AID@;s=$?;r=${__devtools_run-}\a\\]'
__devtools_b=$'\\[\e]133;B;aid=@AID@\a\\]'
__devtools_p=$'\\[\e]133;P;k=s;aid=@AID@\a\\]'
__devtools_c=$'\e]133;C;aid=@AID@;r=${__devtools_run-}\a${__devtools_run:$((__devtools_ran=1,0)):0}'

# The command is over: this comes before anything else is printed.
__devtools_end() {
	local code=$? stages=("${PIPESTATUS[@]}") IFS=,
	if [[ $__devtools_ran == 1 ]]; then
		builtin printf '\e]133;D;%s;aid=@AID@;r=%s;p=%s\a' "$code" "$__devtools_run" "${stages[*]}" >|/dev/tty
	fi
	__devtools_run= __devtools_ran=0
	if [[ $__devtools_bang ]]; then
		__devtools_bang=
		builtin set -H
	fi
	if [[ $- != *e* ]]; then
		builtin return "$code"
	fi
}

# The prompt is next: what others have made of it gets its marks again.
__devtools_prompt() {
	__devtools_end
	__devtools_install
}

# Puts the hooks where they belong.
__devtools_hook() {
	local command others=() IFS=$' \t\n'
	if [[ ${PROMPT_COMMAND[0]-} != "$__devtools_first"* || ${PROMPT_COMMAND[@]: -1} != *"$__devtools_last" ]]; then
		for command in "${PROMPT_COMMAND[@]}"; do
			command=${command#"$__devtools_first"}
			command=${command#;}
			command=${command%"$__devtools_last"}
			command=${command%$'\n'}
			if [[ $command ]]; then others+=("$command"); fi
		done
		if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
			PROMPT_COMMAND=$__devtools_first${others[0]:+";${others[0]}"}$'\n'$__devtools_last
		else
			PROMPT_COMMAND=("$__devtools_first" "${others[@]}" "$__devtools_last")
		fi
	fi
}

# Also puts the marks into the prompts. While a line is edited that must not be: bash keeps pointers to them.
__devtools_install() {
	__devtools_hook
	if [[ ${PS1-} != *"$__devtools_a"* ]]; then PS1=$__devtools_a${PS1-}; fi
	if [[ $PS1 != *"$__devtools_b"* ]]; then PS1=$PS1$__devtools_b; fi
	if [[ ${PS2-} != *"$__devtools_p"* ]]; then PS2=${PS2-}$__devtools_p; fi
	if [[ ${PS0-} != *"$__devtools_c" ]]; then PS0=${PS0-}$__devtools_c; fi
}

# Puts the command of the file into the line; the key behind it in the macro then accepts it, or nothing.
__devtools_load() {
	local code=$? options=$- id text reason= IFS= accept=accept-line
	builtin set +e # a syntax error in eval would end the shell
	{ builtin read -r id && builtin read -r -d '' text; } <@COMMAND@ || reason=gone
	if [[ $reason ]]; then
		:
	elif [[ $id == "$__devtools_run" ]]; then
		if [[ "${PROMPT_COMMAND[*]-}${PS1-}" != *__devtools_* ]]; then # the command has taken the hooks away: nothing else tells of its end
			builtin printf '\e]133;D;%s;aid=@AID@;r=%s;p=\a' "$code" "$id" >|/dev/tty
			__devtools_run= __devtools_ran=0
			reason=again
		else
			reason=taken
		fi
	elif [[ $READLINE_LINE ]]; then
		reason=line
	elif [[ ${PS0-} != *"$__devtools_c" ]]; then
		reason=again
	else
		__devtools_text=$text
		if builtin eval "__devtools_parsed() {"$'\n'"$text"$'\n'"}"; then
			if [[ $text == *PROMPT_COMMAND* ]]; then
				text='eval "$__devtools_text"; __devtools_end' # it may take the end away
			elif [[ $text == *$'\n'* ]]; then
				text="{"$'\n'"$text"$'\n'"}"
			fi
		elif __devtools_incomplete "$text"; then
			reason=incomplete
		else
			text='eval "$__devtools_text"' # the shell says what is wrong, or the first lines change what is
		fi
		builtin unset -f __devtools_parsed
	fi
	if [[ $reason ]]; then
		accept=set-mark
		if [[ $reason != taken ]]; then
			builtin printf '\e]133;X;aid=@AID@;r=%s;e=%s\a' "$id" "$reason" >|/dev/tty
		fi
		if [[ $reason == again && -z $READLINE_LINE ]]; then # an empty line brings a prompt with all marks
			__devtools_hook
			accept=accept-line
		fi
	else
		__devtools_run=$id __devtools_ran=0
		if [[ $- == *H* && ( $text == *[\!^]* || ${histchars-} ) ]]; then
			__devtools_bang=1
			builtin set +H
		fi
		__devtools_hook
		READLINE_LINE=$text
		READLINE_POINT=0
	fi
	__devtools_bind '"\e[57503~": '$accept
	if [[ $options == *e* ]]; then builtin set -e; fi
} 2>/dev/null

__devtools_bind() {
	builtin bind -m emacs "$@"
	builtin bind -m vi-insert "$@"
	builtin bind -m vi-command "$@"
}

# Reports whether bash would ask for more lines.
__devtools_incomplete() {
	local said tail=${1##*[!\\]}
	if ((${#tail} % 2)); then builtin return 0; fi
	said=$(LC_ALL=C LANGUAGE=C "$BASH" -n -c "$1" 2>&1 </dev/null)
	[[ $said == *'unexpected EOF'* || $said == *'unexpected end of file'* || $said == *'here-document'* ]]
}

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then # PS0
	builtin bind -m emacs -x '"\e[57502~": __devtools_load'
	builtin bind -m vi-insert -x '"\e[57502~": __devtools_load'
	builtin bind -m vi-command -x '"\e[57502~": __devtools_load'
	__devtools_bind '"\e[57503~": set-mark'
	__devtools_bind '"\e[57501~": "\e[57502~\e[57503~"'
	__devtools_install
fi
