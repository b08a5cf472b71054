//go:build !linux

package proc

func children(pid int) ([]int, error) {
	all := tableOf(allProcesses())
	if _, err := identify(pid); err != nil {
		return nil, err
	}
	return all.children(pid), nil
}

func tree(root int) []Info { return tableOf(allProcesses()).tree(root) }
