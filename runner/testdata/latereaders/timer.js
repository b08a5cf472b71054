// node: with one interface it asks for two lines, and waits for timers in between. A line that comes meanwhile is lost.
const rl = require('readline'), fs = require('fs')
const [, , delay, file] = process.argv
const i = rl.createInterface({input: process.stdin, output: process.stdout})
const ask = q => new Promise(done => i.question(q, done))
;(async () => {
  const first = await ask('first: ')
  setTimeout(() => {}, 100)
  await new Promise(done => setTimeout(done, 200 + delay * 2000))
  const second = await ask('second: ')
  fs.writeFileSync(file, first + ' ' + second)
  process.exit()
})()
