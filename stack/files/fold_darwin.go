package files

// foldsCase says that most file systems of macOS do not distinguish "A" and "a". A repository may
// say otherwise.
const foldsCase = true
