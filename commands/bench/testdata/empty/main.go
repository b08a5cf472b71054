// A Go program that does nothing: the least that any call costs.
package main

func main() {}
