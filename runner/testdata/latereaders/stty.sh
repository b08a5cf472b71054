# sh: it changes the modes by stty, which throws away what came before, and reads in each.
sleep "$1"
read -r line
stty raw -echo
sleep "$1"
key=$(dd bs=1 count=1 2>/dev/null)
stty sane
sleep "$1"
read -r end
printf '%s %s %s' "$line" "$key" "$end" >"$2"
