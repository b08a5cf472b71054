// Asks with the readline of Node, which edits lines in raw mode, and for keys by reading them.
const readline = require("node:readline/promises");
const { questions, got } = require("./trace.js");

const key = (text) =>
  new Promise((resolve) => {
    process.stdout.write(text + " ");
    process.stdin.setRawMode(true).once("data", (data) => {
      process.stdin.setRawMode(false).pause();
      process.stdout.write("\n");
      resolve(data.toString());
    });
    process.stdin.resume();
  });

const line = async (text) => {
  const asker = readline.createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asker.question(text + " ");
  asker.close();
  return answer || "default";
};

(async () => {
  for (const { kind, text } of questions) got(await { key, line }[kind](text));
})();
