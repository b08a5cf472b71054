#!/bin/sh
# Chooses hunks with git add -p: splits, takes, leaves and edits them.
. "$(dirname "$0")/workspace"
trap 'finish shell' EXIT

git init -q -b main
git config user.name Ada
git config user.email ada@example.com
seq 1 60 >numbers
git add numbers
git commit -q -m start
sed -i -e s/^5$/five/ -e s/^9$/nine/ -e s/^30$/thirty/ -e s/^50$/fifty/ numbers
devtools launch --name shell -- bash --norc
devtools send-keys shell 'git add -p' Enter --wait 'text:Stage this hunk .*\? $'
devtools send-keys shell s Enter y Enter n Enter --wait 'text:^\(3/4\) Stage this hunk .*\? $'
devtools screen shell | grep -qx '+thirty'
devtools send-keys shell e Enter --wait 'text:^# Manual hunk edit mode'
devtools send-keys shell '/+thirty' Enter 'cc+dozens' Escape ':wq' Enter --wait 'text:^\(4/4\) Stage this hunk'
devtools send-keys shell n Enter --wait prompt
git diff --cached -U0 | grep '^[+-][^+-]' >staged
printf '%s\n' -5 +five -30 +dozens >want
cmp want staged
