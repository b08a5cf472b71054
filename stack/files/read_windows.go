package files

// nonBlock is nothing: there are no files here whose opening waits.
const nonBlock = 0

// noFollow is nothing: links are seen before a file is opened.
const noFollow = 0
