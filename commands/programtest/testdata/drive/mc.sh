#!/bin/sh
# Makes, views, copies, renames and deletes files with the function keys of mc.
. "$(dirname "$0")/workspace"
trap 'finish files' EXIT

mkdir left right
echo some text >left/file
devtools launch --name files -- mc left right
devtools send-keys files F1 --wait 'text:Help'
devtools send-keys files F10 --wait 'gone:Contents'
devtools send-keys files F7 'new' Enter --wait 'file:left/new'
devtools send-keys files Home Down Down F3 --wait 'text:some text'
devtools send-keys files F3 --wait 'gone:some text'
devtools send-keys files F5 Enter --wait 'file:right/file'
cmp left/file right/file
devtools send-keys files F6 C-u "$work/left/other" Enter --wait 'file:left/other'
devtools send-keys files F8 --wait 'text:Delete'
devtools send-keys files Enter --wait 'gone:other'
test ! -e left/other
devtools send-keys files F9 Down --wait 'text:File listing'
devtools send-keys files Escape Escape
devtools send-keys files F10 --wait exit
