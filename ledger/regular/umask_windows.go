package regular

// CloseUmask does nothing: Windows has access lists.
func CloseUmask() {}

// Umask returns nil.
func Umask() *int { return nil }
