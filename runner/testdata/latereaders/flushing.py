# It looks for keys with a time limit, and throws away what comes while it works. Then it reads until Enter.
import os, select, sys, termios, time, tty
tty.setraw(0)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    time.sleep(0.05)
    termios.tcflush(0, termios.TCIFLUSH)
got = b""
while not got.endswith(b"\r"):
    if select.select([0], [], [], 0.3)[0]:
        got += os.read(0, 100)
    else:
        time.sleep(0.01)
open(sys.argv[2], "wb").write(got)
