# Sourced by sh as its ENV. It tells the holder of the session, by marks that no terminal shows (OSC 133 with
# aid), when the prompt is there, and when a command of run --in begins and ends.

@RESTORE@
if [ -n "${ENV-}" ]; then
	eval "__devtools_file=\"$ENV\"" # it is expanded, says POSIX
	if [ -r "$__devtools_file" ]; then
		. "$__devtools_file"
	fi
fi

# The user's files are read.
@HISTFILE@
__devtools_run=
__devtools_latest= # the number of the last command: none runs twice
__devtools_kept= # what --env and --cwd have changed
__devtools_a="$(printf '\033]133;A;aid=@AID@;s=')"'$?;r=${__devtools_run-}'"$(printf '\007')"
__devtools_b="$(printf '\033]133;B;aid=@AID@\007')"
__devtools_p="$(printf '\033]133;P;k=s;aid=@AID@\007')"
if [ -n "${BASH_VERSION-}" ]; then # called sh
	__devtools_a='\['$__devtools_a'\]' __devtools_b='\['$__devtools_b'\]' __devtools_p='\['$__devtools_p'\]'
fi

# The prompt gets its marks again, whatever the command has made of it.
__devtools_prompt() {
	case ${PS1-} in
	*"$__devtools_b"*) ;;
	*) PS1=$__devtools_a${PS1-}$__devtools_b ;;
	esac
	case ${PS2-} in
	*"$__devtools_p"*) ;;
	*) PS2=${PS2-}$__devtools_p ;;
	esac
}

# The file of the command begins with this, which is given the number of the command, and finds the exit code
# of the last one and the text to show in variables: in an argument it would be in $_.
__devtools_start() {
	__devtools_run=$1
	command printf '%s\n\033]133;C;aid=@AID@;r=%s\007' "$__devtools_text" "$1" >|/dev/tty
	case $- in
	*e*) ;;
	*) return "$__devtools_code" ;;
	esac
}

# What comes before the start could not be done: the command does not begin.
__devtools_reject() {
	__devtools_restore
	command printf '\033]133;X;aid=@AID@;r=%s;e=%s\007' "$1" "$__devtools_reason" >|/dev/tty
}

# This comes behind the file. Where it does not, the prompt tells the end.
__devtools_end() {
	__devtools_code=$?
	__devtools_restore
	command printf '\033]133;D;%s;aid=@AID@;r=%s;p=\007' "$__devtools_code" "$__devtools_run" >|/dev/tty
	__devtools_run=
	__devtools_prompt
	case $- in
	*e*) ;;
	*) return "$__devtools_code" ;;
	esac
}

# Sets a variable for the command alone.
__devtools_set() {
	__devtools_reason=env:$1
	__devtools_keep "$1" && eval "export $1=\"\$2\" && [ \"\$$1\" = \"\$2\" ]"
}

__devtools_enter() {
	__devtools_reason=cwd
	__devtools_keep OLDPWD && __devtools_folder=$PWD && __devtools_kept="cd $__devtools_kept" && command cd -- "$1" >/dev/null
}

# Notes a variable: its name, and x if it is exported, = if it is set.
__devtools_keep() {
	(unset "$1" && eval "$1=x") 2>/dev/null || return # it is read-only
	eval "__devtools_old_$1=\${$1-}"
	case "
$(export -p)" in
	*"
export $1="* | *"
declare -x $1="* | *"
typeset -x $1="*) __devtools_kept="$1:x $__devtools_kept" ;;
	*) eval "__devtools_kept=\"\$1:\${$1+=} \$__devtools_kept\"" ;;
	esac
}

# Brings back what was before the command, the last change first.
__devtools_restore() {
	while [ -n "${__devtools_kept-}" ]; do
		__devtools_name=${__devtools_kept%% *} __devtools_kept=${__devtools_kept#* }
		case $__devtools_name in
		cd) command cd -- "$__devtools_folder" >/dev/null || : ;;
		*:) unset "${__devtools_name%:}" ;;
		*:x) eval "export ${__devtools_name%:x}=\"\$__devtools_old_${__devtools_name%:x}\"" ;;
		*:=) unset "${__devtools_name%:=}" && eval "${__devtools_name%:=}=\$__devtools_old_${__devtools_name%:=}" ;;
		esac
	done
}

__devtools_prompt
