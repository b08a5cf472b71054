package wire

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// A Duplex is a connection that consists of two pipes or two FIFOs, each with one end here.
type Duplex struct{ In, Out *os.File }

func (d Duplex) Read(p []byte) (int, error)  { return d.In.Read(p) }
func (d Duplex) Write(p []byte) (int, error) { return d.Out.Write(p) }

// Close closes the writing end first. That ends the reading on the other side.
func (d Duplex) Close() error { return errors.Join(d.Out.Close(), d.In.Close()) }

// SetDeadline sets both deadlines. None can be set on Windows.
func (d Duplex) SetDeadline(t time.Time) error {
	return errors.Join(d.SetReadDeadline(t), d.SetWriteDeadline(t))
}

func (d Duplex) SetReadDeadline(t time.Time) error  { return d.In.SetReadDeadline(t) }
func (d Duplex) SetWriteDeadline(t time.Time) error { return d.Out.SetWriteDeadline(t) }

// SyscallConn returns the reading end, which tells when the other side is gone.
func (d Duplex) SyscallConn() (syscall.RawConn, error) { return d.In.SyscallConn() }

// LocalAddr and RemoteAddr make a Duplex a net.Conn. A pipe has no address.
func (d Duplex) LocalAddr() net.Addr  { return nil }
func (d Duplex) RemoteAddr() net.Addr { return nil }
