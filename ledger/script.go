package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// scriptsDir holds the code that came from standard input.
const scriptsDir = "scripts"

// SaveScript stores code in a file of the folder and returns the file's absolute path. The name ends with ext.
func (d Dir) SaveScript(code []byte, ext string) (path string, err error) {
	scripts, err := d.folder(scriptsDir)
	if err != nil {
		return "", err
	}
	for range 100 {
		path = filepath.Join(scripts, newID(time.Now())+ext)
		f, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(code)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path) // half a script is useless
			return "", err
		}
		return path, nil
	}
	return "", fs.ErrExist
}
