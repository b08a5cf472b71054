# It reads files and sleeps for some time, throws away what came meanwhile, and then looks for input between its sleeps.
import os, select, sys, termios, time, tty
tty.setraw(0)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    open(__file__).read()
    time.sleep(0.03)
termios.tcflush(0, termios.TCIFLUSH)
got = b""
while not got.endswith(b"\r"):
    time.sleep(0.1)
    if select.select([0], [], [], 0)[0]:
        got += os.read(0, 4096)
open(sys.argv[2], "wb").write(got)
