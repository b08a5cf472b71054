package files

import "io/fs"

func stampOf(info fs.FileInfo) Stamp {
	return Stamp{Modified: info.ModTime().UnixNano(), Size: info.Size(), Mode: info.Mode()}
}
