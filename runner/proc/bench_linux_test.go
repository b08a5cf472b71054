package proc

import (
	"os"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(os.Getppid()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIdentify(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Identify(os.Getppid()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAlive(b *testing.B) {
	id, err := Identify(os.Getppid())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !id.Alive() {
			b.Fatal("not alive")
		}
	}
}

func BenchmarkTree100(b *testing.B) {
	c := shell(b, `i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo up; wait`)
	c.expect("up", 1)
	b.ReportAllocs()
	for b.Loop() {
		if got := len(Tree(c.Process.Pid)); got != 100 {
			b.Fatalf("got %d processes", got)
		}
	}
}
