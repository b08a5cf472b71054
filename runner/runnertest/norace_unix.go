//go:build !race && unix

package runnertest

// HolderPeak is the maximum memory of a holder, in bytes.
const HolderPeak = 24 << 20
