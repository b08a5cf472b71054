# bash reads this before a line that ends with a pipeline (BASH_ENV), and tells the exit codes of the stages when it ends.
@RESTORE@
trap '{ builtin printf "%s," "${PIPESTATUS[@]}" >|@FILE@; } 2>/dev/null' EXIT
