package files

// nonBlock is nothing: there are no files here whose opening waits.
const nonBlock = 0
