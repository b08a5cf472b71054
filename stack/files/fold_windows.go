package files

// foldsCase says that file systems here commonly take "A" and "a" for the same, where no repository says.
const foldsCase = true
