package runner

// Lookup returns the absolute path of the executable that program names. It searches in the working directory cwd
// and with the PATH of env, as the command will have them. The error is ErrNotFound or ErrNotExecutable, and
// names the program.
func Lookup(program, cwd string, env []string) (string, error) { return lookup(program, cwd, env) }
