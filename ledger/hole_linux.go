package ledger

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// skipHole moves the offset of a file out of a hole, lseek(2): to the next data, or to the end. A file with a hole may seem larger than
// the disk. Where the file system does not tell, the offset stays.
func skipHole(f *os.File) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return
	}
	if _, err := f.Seek(at, unix.SEEK_DATA); errors.Is(err, unix.ENXIO) {
		_, _ = f.Seek(0, io.SeekEnd) // otherwise the hole is read
	}
}
