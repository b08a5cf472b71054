# Runs a command of bash where there is a user "asked" with a password whose hash is $1, who may use sudo. Only this command sees the user: the
# files of /etc are replaced in a mount namespace of its own.
set -eu
files=$(mktemp -d)
for name in passwd shadow group; do cp "/etc/$name" "$files"; done
echo "asked:x:4242:4242::$files:/bin/bash" >>"$files/passwd"
echo "asked:$1:19000:0:99999:7:::" >>"$files/shadow"
echo 'asked:x:4242:' >>"$files/group"
printf 'asked ALL=(ALL) ALL\nDefaults pwfeedback, passprompt="pin: "\nDefaults:asked !lecture, verifypw=always\n' >"$files/sudoers"
chmod 440 "$files/sudoers"
chmod 755 "$files"
for name in passwd shadow group sudoers; do
	test ! -e "/etc/$name" || mount --bind "$files/$name" "/etc/$name" # sudo may not be installed
done
as_user() { setpriv --reuid 4242 --regid 4242 --clear-groups "$@"; }
# connect logs in at a server for ssh that serves this connection alone, without a port.
connect() {
	mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$files/host"
	printf 'UsePAM yes\nPasswordAuthentication yes\nKbdInteractiveAuthentication no\n' >"$files/sshd"
	server="$(PATH=$PATH:/usr/sbin command -v sshd) -i -f $files/sshd -h $files/host 2>/dev/null"
	ssh -o ProxyCommand="$server" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
		-o PubkeyAuthentication=no "$@"
}
eval "$2"
