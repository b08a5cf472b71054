"Asks for lines in canonical mode, for passwords without echo, and for keys in raw mode."
import getpass
import json
import os
import sys
import termios
import tty


def key(text):
    before = termios.tcgetattr(0)
    tty.setraw(0)
    os.write(1, text.encode())
    got = os.read(0, 1).decode()
    termios.tcsetattr(0, termios.TCSADRAIN, before)
    print()
    return got


ask = {"key": key, "line": input, "password": getpass.getpass}
for question in json.loads(sys.argv[1]):
    got = ask[question["kind"]](question["text"] + " ") or "default"
    with open(os.environ["TRACE"], "a") as trace:
        print(json.dumps(got), file=trace)
