# Asks for a secret in raw mode, key by key. The argument is what a key is shown as: nothing, a star, or itself for 100 ms.
import os, select, sys, termios, tty

how = sys.argv[1]
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"pin: ")
text, shown = b"", False


def hide():
    global shown
    if shown:
        os.write(1, b"\b*")
    shown = False


while True:
    if shown and not select.select([0], [], [], 0.1)[0]:
        hide()
        continue
    key = os.read(0, 1)
    hide()
    if key == b"\r":
        break
    text += key
    if how == "star":
        os.write(1, b"*")
    if how == "last":
        os.write(1, key)
        shown = True
termios.tcsetattr(0, termios.TCSADRAIN, old)
print("\nlen=%d" % len(text))
