# Asks for a secret in raw mode, key by key. The argument is what a key is shown as: nothing, a star, itself for 100 ms (last), or
# itself until the next key (kept). A second argument, screen, asks on the alternate screen.
import os, select, sys, termios, tty

how = sys.argv[1]
old = termios.tcgetattr(0)
tty.setraw(0)
if sys.argv[2:] == ["screen"]:
    os.write(1, b"\x1b[?1049h\x1b[H")
os.write(1, b"pin: ")
text, shown = b"", False


def hide():
    global shown
    if shown:
        os.write(1, b"\b*")
    shown = False


while True:
    if shown and how == "last" and not select.select([0], [], [], 0.1)[0]:
        hide()
        continue
    key = os.read(0, 1)
    hide()
    if key == b"\r":
        break
    text += key
    if how == "star":
        os.write(1, b"*")
    if how in ("last", "kept"):
        os.write(1, key)
        shown = True
termios.tcsetattr(0, termios.TCSADRAIN, old)
print("\nlen=%d" % len(text))
