# sh: it reads away what came before with reads that end by themselves, and then asks for a line.
sleep "$1"
stty -icanon -echo min 0 time 1
while test -n "$(dd bs=100 count=1 2>/dev/null)"; do :; done
stty sane
printf 'line: '
read -r line
printf '%s' "$line" >"$2"
