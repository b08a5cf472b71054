// Asks with prompts: confirm takes one key, the rest is drawn anew at each key.
const prompts = require("prompts");
const { questions, got } = require("./trace.js");

(async () => {
  for (const { kind, text, value } of questions) {
    const type = { key: "confirm", line: "text", password: "password" }[kind];
    const initial = { key: value !== "y", line: "default" }[kind];
    got((await prompts({ type, name: "answer", message: text, initial })).answer);
  }
})();
