// Package programtest runs programs that people use under devtools: a corpus of those that wait for input or seem to,
// dialogues that are answered, and editors, pagers and debuggers that are driven by keys.
package programtest
