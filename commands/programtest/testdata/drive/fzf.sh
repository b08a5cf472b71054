#!/bin/sh
# Picks with fzf.
. "$(dirname "$0")/workspace"
trap 'finish shell' EXIT

devtools launch --name shell -- bash --norc
devtools send-keys shell 'seq 1 1000 | fzf >picked' Enter
devtools send-keys shell '42' --wait 'text: 28/1000'
devtools send-keys shell Up Enter --wait prompt
echo 420 | cmp - picked
devtools send-keys shell 'seq 1 1000 | fzf --multi >picked' Enter
devtools send-keys shell '^^99' --wait 'text: 11/1000'
devtools send-keys shell BTab BTab Enter --wait prompt
printf '%s\n' 99 990 | cmp - picked
devtools send-keys shell 'seq 1 1000 | fzf >picked; echo code $?' Enter
devtools send-keys shell 'nothing' Escape --wait 'text:^code 130'
