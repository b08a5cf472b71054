//go:build !linux

package proc

func exclusiveFlocks() map[Flock]bool { return nil }
