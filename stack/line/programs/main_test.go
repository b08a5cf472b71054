package main

import (
	"os"
	"strings"
	"testing"
)

// The table agrees with the file.
func TestTableIsCurrent(t *testing.T) {
	data, err := os.ReadFile("../programs.toml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := tableOf(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("programs.txt is not that of programs.toml: go generate ./stack/line")
	}
}

// A row becomes a line of the table; a mistake in it is an error.
func TestTableOf(t *testing.T) {
	const parent = "[[program]]\nnames = ['a', 'b']\nfront = true\nsubcommands = true\n[[program]]\n"
	got, err := tableOf([]byte(parent + "names = ['a c']\nas = ['d e', '-f']\ncommand = 0\nwrites = 'all'"))
	if _, got, _ = strings.Cut(got, "\n"); err != nil || got != "a: front subcommands\nb: front subcommands\na/c: as=d+e,-f command=0 writes=all\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, row := range []string{
		"front = true", "names = ['b']", "names = ['d e']", "names = ['d']\nshort = true", "names = ['d']\nfront = false",
		"names = ['d']\nwrites = 'some'", "names = ['d']\ncommand = '1'", "names = ['d']\nvalues = []", "names = ['d']\nvalues = [1]",
		"names = ['d']\nvalues = ['a,b']", "names = ['d']\nvalues = ['+o']", "names = ['d']\nvalues = '-a'",
	} {
		if table, err := tableOf([]byte(parent + row)); err == nil {
			t.Errorf("%s: no error, but %q", row, table)
		}
	}
}
