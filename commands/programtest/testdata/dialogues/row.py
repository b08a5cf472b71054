"Asks as each three arguments say: the kind, the text and what is printed behind the answer."
import getpass
import os
import sys
import termios
import tty


def key(text, mode=tty.setcbreak):
    print(text, end="", flush=True)
    before = termios.tcgetattr(0)
    mode(0)
    got = os.read(0, 1).decode()
    termios.tcsetattr(0, termios.TCSADRAIN, before)
    return got


def password(text):
    print(text, end="", flush=True)
    before = termios.tcgetattr(0)
    after = termios.tcgetattr(0)
    after[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSADRAIN, after)
    got = sys.stdin.readline().rstrip("\n")
    termios.tcsetattr(0, termios.TCSADRAIN, before)
    return got


ask = {"key": key, "raw": lambda text: key(text, tty.setraw), "line": input, "password": password}
while len(sys.argv) > 1:
    kind, text, end = sys.argv[1:4]
    got = ask[kind](text + " ")
    print(end.replace("\\n", "\n"), end="", flush=True)
    with open(os.environ["TRACE"], "a") as trace:
        print(f'"{got}"', file=trace)
    del sys.argv[1:4]
