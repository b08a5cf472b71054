#!/bin/sh
# Pages and searches with less.
. "$(dirname "$0")/workspace"
trap 'finish pager' EXIT

seq 1 1000 >numbers
devtools launch --name pager -- less numbers
devtools send-keys pager Space --wait 'text:^46$'
devtools screen pager | head -n 1 | grep -qx 24
devtools send-keys pager b --wait 'text:^1$'
devtools send-keys pager '/50[05]' Enter --wait 'text:^500$'
devtools screen pager | head -n 1 | grep -qx 500
devtools send-keys pager n
devtools screen pager | head -n 1 | grep -qx 505
devtools send-keys pager G
devtools screen pager | tail -n 2 | head -n 1 | grep -qx 1000
devtools send-keys pager PageUp Up Up
devtools screen pager | head -n 1 | grep -qx 953
devtools send-keys pager '?^^77$' Enter Down
devtools screen pager | head -n 1 | grep -qx 78
devtools send-keys pager g 10j
devtools screen pager | head -n 1 | grep -qx 11
devtools send-keys pager q --wait exit
