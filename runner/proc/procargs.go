package proc

import (
	"bytes"
	"encoding/binary"
)

// parseProcargs reads the arguments from what sysctl kern.procargs2 of macOS
// returns: their number as a 32 bit integer, the path of the program, padding of
// zero bytes, then the arguments and the environment, each with a zero byte at its
// end. It returns nil for anything else.
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
