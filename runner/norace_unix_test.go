//go:build !race && unix

package runner

// holderPeak is the most memory that a holder may have, in bytes.
const holderPeak = 24 << 20
