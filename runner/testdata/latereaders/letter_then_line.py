# It asks for a letter, works, and asks for a line.
import os, sys, termios, time, tty
old = termios.tcgetattr(0)
time.sleep(float(sys.argv[1]))
tty.setcbreak(0)
got = os.read(0, 1)
time.sleep(0.1)
termios.tcsetattr(0, termios.TCSAFLUSH, old)
got += sys.stdin.readline().encode()
open(sys.argv[2], "wb").write(got)
