#!/bin/sh
# Talks to the REPL of Python.
. "$(dirname "$0")/workspace"
trap 'finish repl' EXIT

devtools launch --name repl -- python3 -q
devtools send-keys repl 'x = 6 * 7' Enter 'print(f"x is {x}")' Enter --wait 'text:^x is 42$'
devtools send-keys repl 'def double(n):' Enter '    return 2 * n' Enter Enter 'double(x)' Enter --wait 'text:^84$'
devtools send-keys repl 'name = input("Name? ")' Enter 'Ada' Enter '"hello " + name' Enter --wait "text:^'hello Ada'"
devtools send-keys repl 'import time; time.sleep(100)' Enter
devtools send-keys repl C-c --wait 'text:^KeyboardInterrupt'
devtools send-keys repl 'for i in range(3): print(i * "ab")' Enter Enter --wait 'text:^abab$'
devtools send-keys repl C-d --wait exit
