package runner

// Lookup returns the absolute path of the executable that program names in the working directory cwd
// with the PATH of env, both as the command will have them. The error is ErrNotFound or
// ErrNotExecutable, and says of what.
func Lookup(program, cwd string, env []string) (string, error) { return lookup(program, cwd, env) }
