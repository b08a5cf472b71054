package ledger

// declaredFile has the sessions that people have declared for the workspace. maxDeclared is its maximum size in bytes.
const (
	declaredFile = "sessions.toml"
	maxDeclared  = 256 << 10
)

// Declared returns the sessions that the workspace declares, as people have written them, and the path of their file. data
// is nil if there are none.
func (d Dir) Declared() (data []byte, path string, err error) {
	return d.written(declaredFile, maxDeclared)
}
