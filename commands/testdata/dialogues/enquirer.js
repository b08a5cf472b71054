// Asks with enquirer: Confirm takes one key, and all hide the cursor and draw their own.
const { Confirm, Input, Password } = require("enquirer");

(async () => {
  const got = [];
  for (const { kind, text, value } of JSON.parse(process.argv[2])) {
    const Prompt = { key: Confirm, line: Input, password: Password }[kind];
    const initial = { key: value !== "y", line: "default" }[kind];
    const answer = await new Prompt({ message: text, initial }).run();
    got.push(answer === true ? "y" : answer === false ? "n" : answer);
  }
  console.log("GOT " + JSON.stringify(got));
})();
