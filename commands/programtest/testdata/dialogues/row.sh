# Asks as each three arguments say: the kind, the text and what is printed behind the answer.
while [[ $# -gt 0 ]]; do
	case $1 in
	key) read -rn1 -p "$2 " got ;;
	unseen) read -rsn1 -p "$2 " got ;;
	line) read -rp "$2 " got ;;
	edit) read -rep "$2 " got ;;
	password) read -rsp "$2 " got ;;
	esac
	printf '%b' "$3"
	printf '"%s"\n' "$got" >>"$TRACE"
	shift 3
done
