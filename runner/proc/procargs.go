package proc

import (
	"bytes"
	"encoding/binary"
)

// parseProcargs reads the arguments from the answer of sysctl kern.procargs2 on macOS. The answer has the number of
// arguments as a 32-bit integer, the path of the program, and padding of zero bytes. Then follow the arguments and the
// environment, each string with a zero byte at its end. parseProcargs returns nil for data in another form.
func parseProcargs(data []byte) []string {
	if len(data) < 4 {
		return nil
	}
	count := binary.LittleEndian.Uint32(data)
	_, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok {
		return nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	var args []string
	for ; count > 0; count-- {
		arg, more, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return nil
		}
		args, rest = append(args, string(arg)), more
	}
	return args
}
