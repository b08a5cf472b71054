# Sourced by fish after the files of the user. It tells the holder of the session, by marks that no
# terminal shows (OSC 133 with aid), when the prompt is there, and when a command begins and ends.

set -g __devtools_run ''

function __devtools_prompt --on-event fish_prompt
    printf '\e]133;A;aid=@AID@\a\e]133;B;aid=@AID@\a'
end

function __devtools_start --on-event fish_preexec
    printf '\e]133;C;aid=@AID@;r=%s\a' "$__devtools_run"
end

function __devtools_end --on-event fish_postexec
    set -l codes $status $pipestatus
    printf '\e]133;D;%s;aid=@AID@;r=%s;p=%s\a' $codes[1] "$__devtools_run" (string join , -- $codes[2..-1])
    set -g __devtools_run ''
end

# Takes the command of the file for the line, if that is empty.
function __devtools_load
    set -l id
    set -l text
    set -l reason
    if not begin
            read id
            read -z text
        end <@COMMAND@ 2>/dev/null
        set reason gone
    else if test -n (commandline | string collect)
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
    if test -n "$reason"
        printf '\e]133;X;aid=@AID@;r=%s;e=%s\a' "$id" $reason
    else
        set -g __devtools_run $id
        commandline -f execute
    end
end

for __devtools_mode in default insert visual replace replace_one
    bind -M $__devtools_mode \e\[57501~ __devtools_load
end
set -e __devtools_mode
