#!/bin/sh
# Pastes 1 MiB into cat, and a line of 20,000 characters into a program that reads bytes.
. "$(dirname "$0")/workspace"
trap 'finish cat raw' EXIT

head -c 786432 /dev/urandom | base64 >text
devtools launch --name cat -- sh -c 'cat >pasted'
devtools send-keys cat --paste - <text
devtools send-keys cat C-d --wait exit
cmp text pasted

head -c 15000 /dev/urandom | base64 -w 0 >line
test "$(wc -c <line)" = 20000
devtools launch --name raw -- sh -c 'stty raw -echo; head -c 20000 >typed'
devtools send-keys raw - --wait exit <line
cmp line typed
