#!/bin/sh
# Rebases with git rebase -i: the order, a squash and a new message, in vim.
. "$(dirname "$0")/workspace"
trap 'finish shell' EXIT

git init -q -b main
git config user.name Ada
git config user.email ada@example.com
for name in one two three four; do
	echo $name >$name
	git add $name
	git commit -q -m "add $name"
done
devtools launch --name shell -- bash --norc
devtools send-keys shell 'git rebase -i HEAD~3' Enter --wait 'text:^pick .* add two'
devtools send-keys shell 'ddp' 'jcwsquash' Escape 'k0cwreword' Escape ':wq' Enter --wait 'text:^add two'
devtools send-keys shell 'ccadd number two' Escape ':wq' Enter --wait 'text:^# This is a combination of 2 commits'
devtools send-keys shell ':%d' Enter 'iadd two and four' Escape ':wq' Enter --wait prompt
git log --format=%s --reverse >log
printf '%s\n' 'add one' 'add three' 'add two and four' >want
cmp want log
git status --porcelain --untracked-files=no | cmp - /dev/null
