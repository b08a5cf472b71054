# It reads without ever waiting for input, and sleeps in between. What came before is thrown away.
import os, sys, termios, time, tty
time.sleep(float(sys.argv[1]))
tty.setraw(0)
os.set_blocking(0, False)
got = b""
while not got.endswith(b"\r"):
    try: got += os.read(0, 100)
    except BlockingIOError: time.sleep(0.05)
open(sys.argv[2], "wb").write(got)
