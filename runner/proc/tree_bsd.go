//go:build darwin || freebsd

package proc

func children(pid int) ([]int, error) {
	if _, err := read(pid); err != nil {
		return nil, err
	}
	return tableOf(everyone()).children(pid), nil
}

func tree(root int) []Info { return tableOf(everyone()).tree(root) }
