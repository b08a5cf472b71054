//go:build !linux

package proc

import "errors"

func listeners(int) ([]Listener, error) { return nil, errors.ErrUnsupported }

func heldSockets(int, map[uint64]bool) []uint64 { return nil }

func everyPID() []int { return nil }

func ephemeralPorts() (low, high int) { return 49152, 65535 } // RFC 6335
