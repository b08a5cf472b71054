"Asks with prompt_toolkit, as questionary and others do: confirm takes one key."
import json
import sys

from prompt_toolkit import prompt
from prompt_toolkit.shortcuts import confirm

got = []
for question in json.loads(sys.argv[1]):
    text = question["text"] + " "
    if question["kind"] == "key":
        got.append("y" if confirm(text) else "n")
    else:
        got.append(prompt(text, is_password=question["kind"] == "password") or "default")
print("GOT " + json.dumps(got, ensure_ascii=False))
