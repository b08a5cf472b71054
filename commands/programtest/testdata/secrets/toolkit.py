from prompt_toolkit import prompt

print("len=%d" % len(prompt("pin: ", is_password=True)))
