package transcript

import (
	"os"
	"path/filepath"
	"testing"
)

// All output of a transcript is told once and in its order, whatever the files about its times say.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte("abcdef"), []byte(`[0.1,"o",0,3]`+"\n"+`[0.2,"i","x"]`+"\n"+`[0.3,"e",3,2]`+"\n"+`[0.3,"r","100x30",5,-1]`+"\n"), uint8(2))
	f.Add([]byte("abc"), []byte(`[9e99,"o",-5,9223372036854775807]`+"\n"+`[-1,"o",1,-1]`+"\n[}\n"+`[1,"r","x",2]`), uint8(1))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, output, timing []byte, piece uint8) {
		for name, data := range map[string][]byte{"output.0": output, timingFile(0): timing} {
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		times, err := NewTimeline(Folder(folder), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer times.Close()
		var told []byte
		add := func(e Event) error {
			if e.Kind != Output && e.Kind != Stderr {
				return nil
			}
			if e.Offset != int64(len(told)) || e.Bytes != int64(len(e.Data)) || len(e.Data) == 0 {
				t.Fatalf("%d bytes at %d, with %d of data; %d were told", e.Bytes, e.Offset, len(e.Data), len(told))
			}
			told = append(told, e.Data...)
			return nil
		}
		for at := 0; at < len(output); {
			n := min(1+int(piece), len(output)-at)
			if err := times.Split(output[at:at+n], int64(at), add); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		if err := times.Rest(func(Event) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if string(told) != string(output) {
			t.Errorf("%q is told as %q", output, told)
		}
	})
}
