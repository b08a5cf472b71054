// Package bench compares the program with other programs for the same tasks. It has only benchmarks and
// long tests: make bench, make peers and make stress run them.
package bench
