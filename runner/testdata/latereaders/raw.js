// node: it registers the terminal early, sets raw mode late, and throws away the keys that came before.
const fs = require('fs')
const [, , delay, file] = process.argv
let got = '', ready = false
process.stdin.on('data', d => { if (ready) got += d; if (got.endsWith('\r')) { fs.writeFileSync(file, got); process.exit() } })
const end = Date.now() + delay * 1000
while (Date.now() < end);
process.stdin.setRawMode(true)
ready = true
