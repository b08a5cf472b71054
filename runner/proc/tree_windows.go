package proc

func children(pid int) ([]int, error) {
	all := tableOf(everyone())
	if _, err := identify(pid); err != nil {
		return nil, err
	}
	return all.children(pid), nil
}

func tree(root int) []Info { return tableOf(everyone()).tree(root) }
