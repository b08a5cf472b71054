//go:build race && unix

package runner

// holderPeak is the most memory that a holder may have, in bytes, with what the race detector adds.
const holderPeak = 40 << 20
