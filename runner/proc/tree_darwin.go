package proc

import "golang.org/x/sys/unix"

func children(pid int) ([]int, error) {
	if _, err := read(pid); err != nil {
		return nil, err
	}
	return tableOf(everyone()).children(pid), nil
}

func tree(root int) []Info { return tableOf(everyone()).tree(root) }

// everyone describes all processes, none if the system refuses.
func everyone() []Info {
	kinfos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]Info, len(kinfos))
	for i := range kinfos {
		all[i] = describe(&kinfos[i])
	}
	return all
}
