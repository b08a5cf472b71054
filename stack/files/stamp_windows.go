package files

import "io/fs"

// deviceOf returns 0: on Windows, the stamp of a folder does not tell whether it has the same names.
func deviceOf(fs.FileInfo) uint64 { return 0 }

func stampOf(info fs.FileInfo) Stamp {
	return Stamp{Modified: info.ModTime().UnixNano(), Size: info.Size(), Mode: info.Mode()}
}
