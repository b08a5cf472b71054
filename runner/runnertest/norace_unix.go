//go:build !race && unix

package runnertest

// HolderPeak is the most memory that a holder may have, in bytes.
const HolderPeak = 24 << 20
