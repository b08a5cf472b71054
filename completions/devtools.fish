# Completion of devtools for fish: put it into ~/.config/fish/completions.
function __devtools_complete
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -l typed (commandline --current-token --cut-at-cursor)
    set -l current (string unescape -- $typed; or string trim --left --chars '"\'' -- $typed)
    for line in (DEVTOOLS_COMPLETE=fish $words[1] $words[2..] "$current" 2>/dev/null </dev/null)
        set -l left (string match --regex --groups-only '^\t(\w+) (\d+)$' -- $line)
        or begin
            echo $line
            continue
        end
        set -l prefix (string sub --length $left[2] -- $current)
        set -l value (string sub --start (math $left[2] + 1) -- $current)
        switch $left[1]
            case files
                string join \n -- "$prefix"(complete --do-complete "'' "(string escape -- $value))
            case folders
                string join \n -- "$prefix"(__fish_complete_directories $value '')
            case command
                complete --do-complete (string join ' ' -- (string escape -- $words[(math $left[2] + 1)..]) $typed)
        end
    end
end
complete --command devtools --no-files --keep-order --arguments '(__devtools_complete)'
