#!/bin/sh
# Edits a file with vim, from the shell and as a session's own program.
. "$(dirname "$0")/workspace"
trap 'finish shell editor' EXIT

devtools launch --name shell -- bash --norc
devtools send-keys shell 'vim note.txt' Enter
devtools send-keys shell 'ihello' Escape ':wq' Enter --wait prompt
echo hello | cmp - note.txt

seq 1 100 >lines.txt
devtools launch --name editor -- vim lines.txt
devtools send-keys editor ':50' Enter 'ofifty and a half' Escape 'gg' 'dd' Down 'Aa' Left 'b' Escape
devtools send-keys editor '/and' Enter 'cwAND' Escape
devtools screen editor | grep -q 'fifty AND a half'
devtools send-keys editor ':%s/9$/nine/' Enter --wait 'text:^10 substitutions'
devtools send-keys editor 'Golast' Escape ':wq' Enter --wait exit
seq 1 100 | sed -e 1d -e 's/^3$/3ba/' -e '50a\
fifty AND a half' -e 's/9$/nine/' >want.txt
echo last >>want.txt
cmp want.txt lines.txt
