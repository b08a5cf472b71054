# It asks for one letter after the other. Before each it throws away what came too early, and works in between.
import os, sys, termios, time, tty
time.sleep(float(sys.argv[1]))
got = b""
while not got.endswith(b"\r"):
    old = termios.tcgetattr(0)
    tty.setraw(0)
    got += os.read(0, 1)
    termios.tcsetattr(0, termios.TCSAFLUSH, old)
    time.sleep(0.02)
open(sys.argv[2], "wb").write(got)
