# It starts slowly, throws away what came before, and reads single keys in raw mode until Enter.
import os, sys, termios, time, tty
time.sleep(float(sys.argv[1]))
termios.tcflush(0, termios.TCIFLUSH)
tty.setraw(0)
got = b""
while not got.endswith(b"\r"):
    got += os.read(0, 1)
open(sys.argv[2], "wb").write(got)
