# It works in small steps and looks for keys in between, as games and agents do.
import os, select, sys, termios, time, tty
time.sleep(float(sys.argv[1]))
tty.setraw(0)
got = b""
while not got.endswith(b"\r"):
    if select.select([0], [], [], 0.02)[0]:
        got += os.read(0, 100)
    end = time.monotonic() + 0.005
    while time.monotonic() < end: pass
open(sys.argv[2], "wb").write(got)
