// The questions of a dialogue, and a file with what was answered, one JSON text a line.
const fs = require("fs");

exports.questions = JSON.parse(process.argv[2]);
exports.got = (answer) => {
  const text = answer === true ? "y" : answer === false ? "n" : answer;
  fs.appendFileSync(process.env.TRACE, JSON.stringify(text) + "\n");
};
