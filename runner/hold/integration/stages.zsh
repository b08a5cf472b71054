# The .zshenv of zsh for a line that ends with a pipeline. zsh tells the exit codes of the stages when it ends. The user's own
# .zshenv comes last: what it does counts.
@RESTORE@
trap '{ builtin printf "%s," "${pipestatus[@]}" >|@FILE@; } 2>/dev/null' EXIT
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then builtin source "${ZDOTDIR-$HOME}/.zshenv"; fi
