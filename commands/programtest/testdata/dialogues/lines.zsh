# Asks with zsh: a line that its editor edits, a password, and a key with read -k.
while (($#)); do
	answer=
	case $1 in
	key) read -k 1 "answer?$2 "; echo ;;
	edit) vared -p "$2 " answer ;;
	password) read -r -s "answer?$2 "; echo ;;
	esac
	echo "\"${answer:-default}\"" >>$TRACE
	shift 2
done
