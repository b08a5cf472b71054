#!/bin/sh
# Debugs a program with gdb, which reads the terminal itself.
. "$(dirname "$0")/workspace"
trap 'finish debugger' EXIT

cat >sum.c <<'END'
#include <stdio.h>
int main(void)
{
	int a, b, sum = 0;
	if (scanf("%d %d", &a, &b) == 2)
		sum = a + b;
	printf("sum %d\n", sum);
	return sum;
}
END
cc -g -O0 -o sum sum.c
devtools launch --name debugger -- gdb -q -nx sum
devtools send-keys debugger 'break 7' Enter --wait 'text:^Breakpoint 1 at'
devtools send-keys debugger 'run' Enter --wait input
devtools send-keys debugger '20 22' Enter --wait 'text:^Breakpoint 1, main'
devtools send-keys debugger 'print a' Enter 'print sum' Enter --wait 'text:^\$2 = 42$'
devtools screen debugger | grep -qx '$1 = 20'
devtools send-keys debugger 'set var sum = 7' Enter 'continue' Enter --wait 'text:exited with code 07'
devtools screen debugger | grep -qx 'sum 7'
devtools send-keys debugger 'quit' Enter --wait exit
