# Sourced by fish after the files of the user. It tells the holder of the session, by marks that no
# terminal shows (OSC 133 with aid), when the prompt is there, and when a command begins and ends.

@HISTFILE@
set -g __devtools_run ''
set -g __devtools_latest '' # the number of the last command that was accepted: none runs twice

function __devtools_prompt --on-event fish_prompt
    builtin printf '\e]133;A;aid=@AID@\a\e]133;B;aid=@AID@\a'
end

function __devtools_start --on-event fish_preexec
    builtin printf '\e]133;C;aid=@AID@;r=%s%s\a' "$__devtools_run" (__devtools_typed $argv[1] | string collect)
end

# Prints a typed line as a parameter of the mark, if it is short. One that begins with a blank is to be in no history.
function __devtools_typed
    set -l line (string replace -a '\\' '\\\\' -- $argv[1] | string join '\\n')
    if test -z "$__devtools_run"; and not string match -qr '^\s|[[:cntrl:]]' -- $line; and test (string length -- $line) -le 900
        builtin printf ';c=%s' $line
    end
end

function __devtools_end --on-event fish_postexec
    set -l codes $status $pipestatus
    __devtools_restore
    builtin printf '\e]133;D;%s;aid=@AID@;r=%s;p=%s\a' $codes[1] "$__devtools_run" (string join , -- $codes[2..-1])
    set -g __devtools_run ''
end

# Takes the command of the file for the line, if that is empty.
function __devtools_load
    set -l id
    set -l how
    set -l text
    set -l reason
    if not begin
            read id
            read how
            read -z text
        end <@COMMAND@ 2>/dev/null
        set reason gone
    else if test "$id" = "$__devtools_latest"
        return # a key that was typed for another command has taken it
    else if not string match -q '*replace*' -- $how; and test -n (commandline | string collect)
        set reason line
    else
        commandline -r -- $text
        commandline --is-valid
        switch $status
            case 0
            case 2
                set reason incomplete
                commandline -r ''
            case '*'
                commandline -r -- 'eval '(string escape -- $text) # the shell says what is wrong
        end
    end
    if test -z "$reason"; and string match -q '*given*' -- $how
        __devtools_restore # the end of the last command may not have come
        if not source @GIVEN@ 2>/dev/null
            set reason $__devtools_reason
            __devtools_restore
            commandline -r ''
        end
    end
    if test -n "$reason"
        builtin printf '\e]133;X;aid=@AID@;r=%s;e=%s\a' "$id" $reason
    else
        set -g __devtools_run $id
        set -g __devtools_latest $id
        commandline -f execute
    end
end

# What --env and --cwd give to the command alone. A variable that is set only for other scopes comes back with
# the end of the global one.
function __devtools_set
    set -g __devtools_reason env:$argv[1]
    if set -qg $argv[1]
        set -l kind -gu
        set -qgx $argv[1]; and set kind -gx
        set -ga __devtools_kept $argv[1] $kind
        set -g __devtools_old_$argv[1] $$argv[1]
    else
        set -ga __devtools_kept $argv[1] -e
    end
    set -gx $argv[1] $argv[2]
    test "$$argv[1]" = "$argv[2]"
end

function __devtools_enter
    set -g __devtools_reason cwd
    set -g __devtools_folder $PWD
    builtin cd $argv[1]
end

# Brings back what was before the command.
function __devtools_restore
    while set -q __devtools_kept[1]
        set -l old __devtools_old_$__devtools_kept[1]
        if test $__devtools_kept[2] = -e
            set -eg $__devtools_kept[1]
        else
            set $__devtools_kept[2] $__devtools_kept[1] $$old
        end
        set -eg $old
        set -eg __devtools_kept[1..2]
    end
    if set -q __devtools_folder
        builtin cd $__devtools_folder 2>/dev/null
        set -eg __devtools_folder
    end
end

for __devtools_mode in default insert visual replace replace_one
    bind -M $__devtools_mode \e\[57501~ __devtools_load
end
set -e __devtools_mode
