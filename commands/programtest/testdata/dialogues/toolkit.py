"Asks with prompt_toolkit, as questionary and others do: confirm takes one key."
import json
import os
import sys

from prompt_toolkit import prompt
from prompt_toolkit.shortcuts import confirm

for question in json.loads(sys.argv[1]):
    text = question["text"] + " "
    if question["kind"] == "key":
        got = "y" if confirm(text) else "n"
    else:
        got = prompt(text, is_password=question["kind"] == "password") or "default"
    with open(os.environ["TRACE"], "a") as trace:
        print(json.dumps(got), file=trace)
