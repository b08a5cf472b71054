# It takes what comes in one read for one key, as some libraries do, and knows single letters only.
import os, sys, time, tty
time.sleep(float(sys.argv[1]))
tty.setraw(0)
got = b""
while not got.endswith(b"\r"):
    key = os.read(0, 100)
    if len(key) == 1:
        got += key
open(sys.argv[2], "wb").write(got)
