# Asks for a name and a password in raw mode, echoes the name late, and the password never. When $DONE exists, it reads.
import os, sys, termios, time, tty

old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"name: ")
while not os.path.exists(os.environ["DONE"]):
    time.sleep(0.02)


def line(echo):
    while True:
        key = os.read(0, 1)
        if key == b"\r":
            return
        if echo:
            os.write(1, key)


line(True)
os.write(1, b"\r\npassword: ")
line(False)
termios.tcsetattr(0, termios.TCSADRAIN, old)
print("\nover")
