package main

import (
	"bytes"
	"os"
	"testing"
)

// The table agrees with the files.
func TestTableIsCurrent(t *testing.T) {
	want, err := tableOf(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../definition_table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("definition_table.go is not that of these files: go generate ./stack")
	}
}
