// Asks with enquirer: Confirm takes one key, and all hide the cursor and draw their own.
const { Confirm, Input, Password } = require("enquirer");
const { questions, got } = require("./trace.js");

(async () => {
  for (const { kind, text, value } of questions) {
    const Prompt = { key: Confirm, line: Input, password: Password }[kind];
    const initial = { key: value !== "y", line: "default" }[kind];
    got(await new Prompt({ message: text, initial }).run());
  }
})();
