// Asks with prompts: confirm takes one key, the rest is drawn anew at each key.
const prompts = require("prompts");

(async () => {
  const got = [];
  for (const { kind, text, value } of JSON.parse(process.argv[2])) {
    const type = { key: "confirm", line: "text", password: "password" }[kind];
    const initial = { key: value !== "y", line: "default" }[kind];
    const { answer } = await prompts({ type, name: "answer", message: text, initial });
    got.push(answer === true ? "y" : answer === false ? "n" : answer);
  }
  console.log("GOT " + JSON.stringify(got));
})();
