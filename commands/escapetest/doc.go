// Package escapetest tests that devtools finds and ends what a session has started, in whatever way it got out of sight, and
// that it touches no stranger.
package escapetest
