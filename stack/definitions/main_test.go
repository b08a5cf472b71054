package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"devtools/stack"
)

// The table agrees with the files.
func TestTableIsCurrent(t *testing.T) {
	want, err := tableOf(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../definitions.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("definitions.txt is not that of these files: go generate ./stack")
	}
}

// The table has all that is in the files.
func TestTableIsWhole(t *testing.T) {
	names, err := filepath.Glob("*.toml")
	if err != nil {
		t.Fatal(err)
	}
	var want []stack.Definition
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all, err := stack.ParseDefinitions(data)
		if err != nil {
			t.Fatal(err)
		}
		want = slices.Concat(want, all)
	}
	got := stack.Definitions()
	if len(got) != len(want) {
		t.Fatalf("%d definitions, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}
