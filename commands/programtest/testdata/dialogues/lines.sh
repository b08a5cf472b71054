# Asks with the read of bash: a line, a line that readline edits, a password and a key. The arguments are the kind and
# the text of each question.
while [ $# -gt 0 ]; do
	case $1 in
	key) read -r -n 1 -p "$2 " answer; echo ;;
	line) read -r -p "$2 " answer ;;
	edit) read -r -e -p "$2 " answer ;;
	password) read -r -s -p "$2 " answer; echo ;;
	esac
	echo "\"${answer:-default}\"" >>"$TRACE"
	shift 2
done
