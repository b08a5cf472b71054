package regular

// NoFollow has no effect. On Windows, a process needs a privilege to make a symbolic link.
const NoFollow = 0

// NonBlock has no effect, because Windows has no FIFOs among its files.
const NonBlock = 0

// directory has no effect: on Windows, nothing else in the place of a folder blocks.
const directory = 0
