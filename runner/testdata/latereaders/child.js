// node: with one interface it asks for two lines, and waits for a child in between. A line that comes meanwhile is lost.
const rl = require('readline'), fs = require('fs'), cp = require('child_process')
const [, , delay, file] = process.argv
const i = rl.createInterface({input: process.stdin, output: process.stdout})
const ask = q => new Promise(done => i.question(q, done))
;(async () => {
  const first = await ask('first: ')
  await new Promise(done => cp.exec('sleep ' + delay, done))
  const second = await ask('second: ')
  fs.writeFileSync(file, first + ' ' + second)
  process.exit()
})()
