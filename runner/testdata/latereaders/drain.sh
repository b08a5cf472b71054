# bash: it reads away what came before, then asks for a line, works, and asks for a key.
sleep "$1"
while read -r -t 0.02 -n 1000 rest; do :; done
read -r -p "line: " line
sleep "$1"
while read -r -t 0.02 -n 1000 rest; do :; done
read -r -n 1 -p "key: " key
printf '%s %s' "$line" "$key" >"$2"
