# It sets raw mode for each key anew, which throws away what came before, and works in between.
import os, sys, termios, time, tty
time.sleep(float(sys.argv[1]))
got = b""
for i in range(4):
    old = termios.tcgetattr(0)
    tty.setraw(0)
    got += os.read(0, 8)
    termios.tcsetattr(0, termios.TCSADRAIN, old)
    end = time.monotonic() + float(sys.argv[1]) / 8
    while time.monotonic() < end: pass
open(sys.argv[2], "wb").write(got)
