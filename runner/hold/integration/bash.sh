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

# The user's files are read.
@HISTFILE@
__devtools_run=    # the number of the command that runs for run --in
__devtools_latest= # the number of the last one that was accepted: none runs twice
__devtools_ran=0   # set by PS0, as it can: a command was started
__devtools_bang=   # history expansion is to be switched on again
__devtools_written=0 # how many entries of the history are written for the holder
__devtools_text=
__devtools_id= __devtools_how= __devtools_line= __devtools_reason= # of the command that is about to be taken
__devtools_kept=() # what --env and --cwd have changed
__devtools_first='{ __devtools_end; } >/dev/null 2>&1' # the braces hide it from set -x, and what a trap of DEBUG prints about it
__devtools_last='{ __devtools_prompt; } >/dev/null 2>&1'
__devtools_a=$'\\[\e]133;A;aid=@AID@;s=$?;r=${__devtools_run-}\a\\]'
__devtools_b=$'\\[\e]133;B;aid=@AID@;h=${HISTCMD-}\a\\]'
__devtools_p=$'\\[\e]133;P;k=s;aid=@AID@;t=\\D{%s}\a\\]'
__devtools_c=$'\e]133;C;aid=@AID@;r=${__devtools_run-};h=${HISTCMD-};t=\\D{%s}\a'
__devtools_count='${__devtools_run:$((__devtools_ran=1,0)):0}' # belongs to PS0; without promptvars, bash would print it

# The command is over: this comes before anything else is printed.
__devtools_end() {
	builtin set -- "$?" "${PIPESTATUS[@]}"
	if [[ ${__devtools_kept-} ]]; then __devtools_restore; fi # it must see no variable of ours
	local code=$1 written= IFS=,
	builtin shift
	if [[ $__devtools_ran == 1 ]]; then
		if [[ -z $__devtools_run && @HISTORY@ ]] && __devtools_tell; then written=$__devtools_written; fi
		builtin printf '\e]133;D;%s;aid=@AID@;r=%s;p=%s;n=%s\a' "$code" "$__devtools_run" "$*" "$written" >|/dev/tty
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

# Writes the newest entry of the history to the holder, which knows whether it is the line that was typed. No process is made for
# it: that would run a trap of CHLD, and wait where no more processes can be.
__devtools_tell() {
	[[ -p @HISTORY@ ]] && local HISTTIMEFORMAT='%s ' || builtin return # without its holder, the path may be that of another file
	__devtools_written=$((__devtools_written + 1))
	builtin history 1 >>@HISTORY@ && builtin printf '%s\0' "$__devtools_written" >>@HISTORY@ # a trap of DEBUG may print between them
} 2>/dev/null

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
	local start=$__devtools_c
	__devtools_hook
	if [[ ${PS1-} != *"$__devtools_a"* ]]; then PS1=$__devtools_a${PS1-}; fi
	if [[ $PS1 != *"$__devtools_b"* ]]; then PS1=$PS1$__devtools_b; fi
	if [[ ${PS2-} != *"$__devtools_p"* ]]; then PS2=${PS2-}$__devtools_p; fi
	if builtin shopt -q promptvars; then start+=$__devtools_count; fi
	if [[ ${PS0-} != *"$start" ]]; then
		PS0=${PS0-}
		PS0=${PS0%"$__devtools_count"}
		PS0=${PS0%"$__devtools_c"}$start
	fi
}

# Puts the command of the file into the line; the key behind it in the macro then accepts it, or nothing. Its argument
# is $_, which bash sets to the last argument of a command.
__devtools_load() {
	builtin set -- "$?" "$-"
	builtin set +e # a syntax error in eval would end the shell
	__devtools_take "$1"
	if [[ $__devtools_reason ]]; then
		__devtools_reject
	elif [[ $__devtools_how == *given* ]] && ! __devtools_give; then # no function that calls it may have a variable of its own
		__devtools_restore
		__devtools_reject
	else
		__devtools_accept
	fi
	if [[ $2 == *e* ]]; then builtin set -e; fi
}

# Reads the command of the file, and says why it cannot be taken.
__devtools_take() {
	local id how text reason= IFS=
	{ builtin read -r id && builtin read -r how && builtin read -r -d '' text; } <@COMMAND@ || reason=gone
	if [[ $reason ]]; then
		:
	elif [[ $id == "$__devtools_run" ]]; then
		if [[ "${PROMPT_COMMAND[*]-}${PS1-}" != *__devtools_* ]]; then # the command has taken the hooks away: nothing else tells of its end
			__devtools_restore
			builtin printf '\e]133;D;%s;aid=@AID@;r=%s;p=\a' "$1" "$id" >|/dev/tty
			__devtools_run= __devtools_ran=0
			reason=again
		else
			reason=taken
		fi
	elif [[ $id == "$__devtools_latest" ]]; then
		reason=taken # by a key that was typed for another command, or that asks for an end which came in the meantime
	elif [[ $READLINE_LINE && $how != *replace* ]]; then
		reason=line
	elif ! builtin shopt -q promptvars; then # nothing would tell that it runs
		reason=promptvars
	elif [[ ${PS0-} != *"$__devtools_c$__devtools_count" ]]; then
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
	__devtools_id=$id __devtools_how=$how __devtools_line=$text __devtools_reason=$reason
}

__devtools_accept() {
	__devtools_run=$__devtools_id __devtools_latest=$__devtools_id __devtools_ran=0
	if [[ $- == *H* && ( $__devtools_line == *[\!^]* || ${histchars-} ) ]]; then
		__devtools_bang=1
		builtin set +H
	fi
	__devtools_hook
	READLINE_LINE=$__devtools_line
	READLINE_POINT=0
	__devtools_bind '"\e[57503~": accept-line'
	if [[ ! -t 3 ]]; then # the shell's standard error, to which it prints PS0, is a file, or a pipe with which PS0 comes late
		builtin printf '\e]133;C;aid=@AID@;r=%s\a' "$__devtools_id" >|/dev/tty
	fi
}

__devtools_reject() {
	local accept=set-mark
	if [[ $__devtools_reason != taken ]]; then
		builtin printf '\e]133;X;aid=@AID@;r=%s;e=%s\a' "$__devtools_id" "$__devtools_reason" >|/dev/tty
	fi
	if [[ $__devtools_reason == again && -z $READLINE_LINE ]]; then # an empty line brings a prompt with all marks
		__devtools_hook
		accept=accept-line
	fi
	__devtools_bind '"\e[57503~": '"$accept"
}

# Sets what the command is given with --env and --cwd.
__devtools_give() {
	__devtools_restore # the end of the last command may not have come
	builtin source @GIVEN@
}

__devtools_set() {
	__devtools_reason=env:$1
	case $1 in
	PS0 | PS1 | PS2 | PROMPT_COMMAND) builtin return 1 ;; # they have the marks
	esac
	__devtools_keep "$1" && builtin declare -gx "$1=$2" && [[ ${!1} == "$2" ]]
}

__devtools_enter() {
	__devtools_reason=cwd
	__devtools_keep OLDPWD || builtin return
	__devtools_kept=(cd '' "$PWD" "${__devtools_kept[@]}")
	builtin cd -- "$1"
}

# Notes what a variable is: its name, its kind and its value. Only text can be brought back.
__devtools_keep() {
	case $({ builtin declare -p "$1" >&3; } 3>&1 >/dev/null) in # a trap of DEBUG may print, too
	'') __devtools_kept=("$1" unset '' "${__devtools_kept[@]}") ;;
	"declare -x $1="*) __devtools_kept=("$1" -x "=${!1}" "${__devtools_kept[@]}") ;;
	"declare -x $1") __devtools_kept=("$1" -x '' "${__devtools_kept[@]}") ;;
	"declare -- $1="*) __devtools_kept=("$1" +x "=${!1}" "${__devtools_kept[@]}") ;;
	*) builtin return 1 ;;
	esac
}

# Brings back what was before the command, the last change first.
__devtools_restore() {
	builtin set -- "${__devtools_kept[@]}"
	__devtools_kept=()
	while (($#)); do
		if [[ $1 == cd ]]; then
			builtin cd -- "$3" || builtin true
		else
			if [[ -z $3 ]]; then builtin unset -v "$1" || builtin true; fi
			if [[ $2 != unset ]]; then builtin declare -g "$2" "$1$3" || builtin true; fi
		fi
		builtin shift 3
	done
	builtin return 0
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
	# A closed standard error has no copy: without the second try, the key behind it would enter what is half typed.
	__devtools_bind -x '"\e[57502~": { __devtools_load "$_"; } 3>&2 >/dev/null 2>&1 || { __devtools_load "$_"; } 3>/dev/null >&3 2>&3'
	__devtools_bind '"\e[57503~": set-mark'
	__devtools_bind '"\e[57501~": "\e[57502~\e[57503~"'
	__devtools_install
fi
