# Completion of devtools for fish: put it into ~/.config/fish/completions.
function __devtools_complete
    set -l asked (commandline --tokenize --current-process --cut-at-cursor)
    contains -- -- $asked; and return # another program's words
    set -l current (commandline --current-token --cut-at-cursor)
    string match --quiet -- '-*' $current; and set -a asked $current
    for line in (DEVTOOLS_COMPLETE=1 $asked[1] $asked[2..] --generate-shell-completion 2>/dev/null </dev/null)
        string replace --regex -- '^((?:[^:\\\\]|\\\\.)+):' '$1\t' $line | string replace --all -- '\:' ':'
    end
end
complete --command devtools --arguments '(__devtools_complete)'
