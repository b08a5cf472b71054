// node: it asks for two lines with readline, and works before each.
const rl = require('readline'), fs = require('fs')
const [, , delay, file] = process.argv
const work = s => { const end = Date.now() + s * 1000; while (Date.now() < end); }
const ask = q => new Promise(done => { const i = rl.createInterface({input: process.stdin, output: process.stdout}); i.question(q, a => { i.close(); done(a) }) })
;(async () => {
  work(delay)
  const first = await ask('first: ')
  work(delay)
  const second = await ask('second: ')
  fs.writeFileSync(file, first + ' ' + second)
  process.exit()
})()
