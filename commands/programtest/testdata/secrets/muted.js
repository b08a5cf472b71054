// Asks for a secret with a readline whose output is muted, or shows stars.
const readline = require('readline')
const { Writable } = require('stream')
let muted = false
const output = new Writable({ write: (chunk, encoding, done) => {
	if (!muted) process.stdout.write(chunk)
	else if (process.argv[2] === 'star') process.stdout.write('*')
	done()
} })
const rl = readline.createInterface({ input: process.stdin, output, terminal: true })
rl.question('pin: ', answer => { rl.close(); console.log('\nlen=' + answer.length) })
muted = true
