# Sourced by sh as its ENV. It tells the holder of the session, by marks that no terminal shows (OSC 133 with
# aid), when the prompt is there, and when a command of run --in begins and ends.

@RESTORE@
if [ -n "${ENV-}" ]; then
	eval "__devtools_file=\"$ENV\"" # it is expanded, says POSIX
	if [ -r "$__devtools_file" ]; then
		. "$__devtools_file"
	fi
fi

__devtools_run=
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
	printf '%s\n\033]133;C;aid=@AID@;r=%s\007' "$__devtools_text" "$1" >|/dev/tty
	case $- in
	*e*) ;;
	*) return "$__devtools_code" ;;
	esac
}

# This comes behind the file. Where it does not, the prompt tells the end.
__devtools_end() {
	__devtools_code=$?
	printf '\033]133;D;%s;aid=@AID@;r=%s;p=\007' "$__devtools_code" "$__devtools_run" >|/dev/tty
	__devtools_run=
	__devtools_prompt
	case $- in
	*e*) ;;
	*) return "$__devtools_code" ;;
	esac
}

__devtools_prompt
