//go:build race && unix

package runnertest

// HolderPeak is the most memory that a holder may have, in bytes, with what the race detector adds.
const HolderPeak = 40 << 20
