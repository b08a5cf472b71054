package files

// nonBlock is 0: on Windows no file makes its opening wait.
const nonBlock = 0

// noFollow is 0: on Windows links are found before a file is opened.
const noFollow = 0
