#!/bin/sh
# Types at the very moment after launch.
. "$(dirname "$0")/workspace"
trap 'finish bash zsh fish dash python3' EXIT

mkdir -p fish/generated_completions # or fish makes them, in the background

for shell in bash zsh fish dash; do
	devtools launch --name $shell -- $shell
	# fish throws input away when it runs a command: on a busy machine nobody may be able to tell what it had read. That is said.
	devtools send-keys $shell "echo from $shell >$shell.out; exit 7" Enter 2>answer ||
		{ test $shell = fish && grep 'does not tell whether it had read the keys' answer; }
	code=0
	devtools wait $shell || code=$?
	test $code = 7
	echo from $shell | cmp - $shell.out
done
devtools launch --name python3 -- python3
devtools send-keys python3 'print("from python3", file=open("python3.out", "w"))' Enter 'exit(7)' Enter
code=0
devtools wait python3 || code=$?
test $code = 7
echo from python3 | cmp - python3.out
