const { Password } = require('enquirer')
new Password({ message: 'pin:' }).run().then(answer => console.log('len=' + answer.length))
