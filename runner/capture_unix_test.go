//go:build unix

package runner_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// capture begins a capture of the feeder's session.
func (f *feeder) capture(t testing.TB, format transcript.Format, file string) ledger.Capture {
	t.Helper()
	_, c, err := runner.StartCapture(runnertest.WithPatience(t), f.dir, f.client.Session.ID, runner.CaptureSpec{Format: format, File: file})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *feeder) stop(t testing.TB, id string) ledger.Capture {
	t.Helper()
	_, c, err := runner.StopCapture(runnertest.WithPatience(t), f.dir, f.client.Session.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// playedBack returns the output in a capture's file.
func playedBack(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	recording, err := transcript.ReadRecording(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for {
		e, data, err := recording.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == transcript.Output {
			all = append(all, data...)
		}
	}
}

// A capture has exactly the bytes printed between its start and its stop. A character whose bytes come apart is in one
// line.
func TestCaptureBounds(t *testing.T) {
	f := feedSession(t, ledger.Size{Cols: 40, Rows: 10})
	f.write(t, []byte("before"))
	lines, raw := f.capture(t, transcript.JSONL, ""), f.capture(t, transcript.Raw, "")
	cast := f.capture(t, transcript.Asciicast, filepath.Join(t.TempDir(), "a.cast"))
	f.write(t, []byte("one \xf0\x9f"))
	f.write(t, []byte("\x98\x80 two\r\n"))
	if _, err := runner.Resize(runnertest.WithPatience(t), f.dir, f.client.Session.ID, ledger.Size{Cols: 50, Rows: 12}, nil); err != nil {
		t.Fatal(err)
	}
	f.write(t, []byte("bad \xff\x00 <&>\u2028"))
	want := "one 😀 two\r\nbad \xff\x00 <&>\u2028"
	for _, c := range []ledger.Capture{lines, raw, cast} {
		ended := f.stop(t, c.ID)
		if ended.Bytes != int64(len(want)) || ended.Reason != wire.CaptureStopped || ended.Failed || ended.Offset != 6 {
			t.Errorf("%s: %+v", c.Format, ended)
		}
	}
	f.write(t, []byte("after"))
	if got, err := os.ReadFile(raw.File); err != nil || string(got) != want {
		t.Errorf("raw: %q, %v", got, err)
	}
	if got := playedBack(t, lines.File); string(got) != want {
		t.Errorf("lines: %q", got)
	}
	if got := playedBack(t, cast.File); string(got) != strings.Replace(want, "\xff", "\ufffd", 1) {
		t.Errorf("cast: %q", got)
	}
	text, err := os.ReadFile(lines.File)
	if err != nil {
		t.Fatal(err)
	}
	var sizes, data []string
	for line := range strings.Lines(string(text)) {
		var l struct {
			Timestamp      time.Time
			Data, Encoding string
			Size           *ledger.Size
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Timestamp.IsZero() {
			t.Errorf("%s: %v", line, err)
		}
		if l.Size != nil {
			sizes = append(sizes, fmt.Sprint(l.Size.Cols, l.Size.Rows))
		}
		if l.Encoding == "base64" {
			decoded, err := base64.StdEncoding.DecodeString(l.Data)
			if err != nil {
				t.Error(err)
			}
			l.Data = string(decoded)
		}
		data = append(data, l.Data)
	}
	if strings.Join(sizes, ",") != "40 10,50 12" || strings.Join(data, "") != want {
		t.Errorf("sizes %v, data %q of\n%s", sizes, data, text)
	}
	if cast, err := os.ReadFile(cast.File); err != nil || !strings.Contains(string(cast), `, "r", "50x12"]`) || strings.Contains(string(cast), `before`) {
		t.Errorf("cast: %v\n%s", err, cast)
	}
	if _, _, err := runner.StopCapture(runnertest.WithPatience(t), f.dir, f.client.Session.ID, ""); !errors.Is(err, wire.ErrNoCapture) {
		t.Errorf("stop without a capture: %v", err)
	}
	if _, _, err := runner.StartCapture(runnertest.WithPatience(t), f.dir, f.client.Session.ID, runner.CaptureSpec{Format: transcript.Raw, File: raw.File}); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a file that is there: %v", err)
	}
}

// Every capture has the whole of a long output, also at the end of the session, even if the transcript keeps little.
func TestStressCapture(t *testing.T) {
	runnertest.Need(t, "perl")
	size := int64(runnertest.Rounds(50, 500)) << 20
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, fmt.Sprintf(`stty raw; read line <%s; exec perl -e 'my $b = join "", map { chr($_ %% 256) } 0..65520; $b .= "\xe2\x82\xac" x 5 . "x"; $n = shift; while ($n > 0) { print $b; $n -= length $b }' %d`, gate, size))
	spec.MaxLog, spec.Foreground = 2*transcript.MinMax, false
	begun := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	id := begun.Session.ID
	files := map[transcript.Format]string{}
	for _, format := range []transcript.Format{transcript.Raw, transcript.JSONL, transcript.AsciicastV3} {
		_, c, err := runner.StartCapture(runnertest.WithPatience(t), dir, id, runner.CaptureSpec{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		files[format] = c.File
	}
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := runner.WaitFor(runnertest.WithPatienceOf(t, 5*time.Minute), dir, id, runner.Wait{Until: []condition.Condition{condition.Exit()}}); err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 0, 65537)
	for i := range 65521 {
		block = append(block, byte(i))
	}
	block = append(block, strings.Repeat("€", 5)+"x"...)
	total, want := int64(0), crc32.NewIEEE()
	for ; total < size; total += int64(len(block)) {
		_, _ = want.Write(block) // a hash takes everything
	}
	_, list, err := runner.Captures(runnertest.WithPatience(t), dir, id)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, c := range list {
		if c.Bytes != total || c.Gap != 0 || c.Reason != wire.CaptureClosed || c.Failed {
			t.Errorf("%d bytes printed, captured: %+v", total, c)
		}
	}
	for _, format := range []transcript.Format{transcript.Raw, transcript.JSONL} {
		file, err := os.Open(files[format])
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		got, n := crc32.NewIEEE(), int64(0)
		if format == transcript.Raw {
			n, err = io.Copy(got, file)
		} else {
			var recording *transcript.Recording
			recording, err = transcript.ReadRecording(file)
			for err == nil {
				var data []byte
				_, data, err = recording.Next()
				_, _ = got.Write(data)
				n += int64(len(data))
			}
		}
		if err != nil && err != io.EOF || n != total || got.Sum32() != want.Sum32() {
			t.Errorf("%s: %v, %d bytes of %d, checksum %x, want %x", format, err, n, total, got.Sum32(), want.Sum32())
		}
	}
}

// A full disk ends only the capture. Its file has whole lines.
func TestCaptureFullDisk(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	f := feedSession(t, ledger.Size{Cols: 80, Rows: 24})
	c := f.capture(t, transcript.JSONL, filepath.Join(disk, "small.jsonl"))
	other := f.capture(t, transcript.Raw, "")
	all := lines(400_000)
	f.write(t, all)
	ended := f.stop(t, c.ID)
	if !ended.Failed || !strings.Contains(ended.Reason, "no space left") || ended.Bytes == 0 || ended.Bytes >= int64(len(all)) {
		t.Errorf("%+v", ended)
	}
	if got := playedBack(t, c.File); int64(len(got)) != ended.Bytes || !bytes.HasPrefix(all, got) {
		t.Errorf("its file has %d bytes of output, it says %d", len(got), ended.Bytes)
	}
	f.write(t, []byte("goes on"))
	if ended := f.stop(t, other.ID); ended.Bytes != f.sent || ended.Failed {
		t.Errorf("the other one: %+v", ended)
	}
}

// The record of a capture whose holder was killed has the bytes of the file and the reason.
func TestCaptureHolderKilled(t *testing.T) {
	f := feedSession(t, ledger.Size{Cols: 80, Rows: 24})
	c := f.capture(t, transcript.JSONL, "")
	f.write(t, []byte("hello\r\n"))
	ctx := runnertest.WithPatience(t)
	for {
		_, list, err := runner.Captures(ctx, f.dir, f.client.Session.ID)
		if err != nil {
			t.Fatal(err)
		}
		if list[0].Bytes == 7 {
			break
		}
	}
	holder := track.Identity(f.client.Session.Holder)
	if err := holder.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := proc.Await(ctx, holder); err != nil {
		t.Fatal(err)
	}
	ended := f.stop(t, c.ID)
	if ended.Running() || !ended.Failed || ended.Reason != census.UnknownEnd(f.client.Session) || ended.Bytes != 7 {
		t.Errorf("%+v", ended)
	}
	if _, _, err := runner.StartCapture(ctx, f.dir, f.client.Session.ID, runner.CaptureSpec{Format: transcript.Raw}); !errors.Is(err, wire.ErrEnded) {
		t.Errorf("a capture of what has ended: %v", err)
	}
}

// A capture writes only to regular files.
func TestCaptureRefuses(t *testing.T) {
	f := feedSession(t, ledger.Size{Cols: 80, Rows: 24})
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []runner.CaptureSpec{
		{Format: transcript.Raw, File: fifo, Force: true},
		{Format: transcript.Raw, File: "/dev/null", Force: true},
		{Format: transcript.Raw, File: t.TempDir(), Force: true},
		{Format: transcript.Raw, File: filepath.Join(t.TempDir(), "no", "such"), Force: true},
		{Format: transcript.Raw, File: "relative"},
		{Format: "vhs"},
	} {
		if _, c, err := runner.StartCapture(runnertest.WithPatience(t), f.dir, f.client.Session.ID, spec); err == nil {
			t.Errorf("%+v: %+v", spec, c)
		}
	}
	if _, list, err := runner.Captures(runnertest.WithPatience(t), f.dir, f.client.Session.ID); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// The events of a session are complete and in order, also for a reader that begins in the middle.
func TestEvents(t *testing.T) {
	f := feedSession(t, ledger.Size{Cols: 80, Rows: 24})
	ctx := runnertest.WithPatience(t)
	f.write(t, []byte("one"))
	if _, err := f.client.Call(ctx, wire.Request{Op: wire.OpInput, Data: []byte("secret")}); err != nil {
		t.Fatal(err)
	}
	f.write(t, []byte("two"))
	if _, err := runner.Resize(ctx, f.dir, f.client.Session.ID, ledger.Size{Cols: 100, Rows: 30}, nil); err != nil {
		t.Fatal(err)
	}
	f.write(t, []byte("three"))
	for _, test := range []struct {
		since int64
		want  string
	}{
		{0, "o0 one,i3 6,o3 two,r6 100x30,o6 three"},
		{3, "i3 6,o3 two,r6 100x30,o6 three"},
		{8, "i3 6,r6 100x30,o8 ree"},
		{11, "i3 6,r6 100x30"},
	} {
		log, err := runner.OpenLog(f.dir, f.client.Session.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		last := time.Duration(0)
		err = log.Events(ctx, test.since, false, func(e transcript.Event) error {
			if e.At < last {
				t.Errorf("%v after %v", e.At, last)
			}
			last = e.At
			detail := string(e.Data) + e.Text
			if e.Kind == transcript.Input {
				detail = fmt.Sprint(e.Bytes)
			}
			got = append(got, fmt.Sprintf("%s%d %s", e.Kind, e.Offset, detail))
			return nil
		})
		_ = log.Close()
		if err != nil || strings.Join(got, ",") != test.want {
			t.Errorf("since %d: %v, %v, want %v", test.since, got, err, test.want)
		}
	}
}

// smallDisk returns the folder of a file system of 1 MiB, which lasts as long as the test.
func smallDisk(t *testing.T) string {
	t.Helper()
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	return disk
}

// An offset from a holder is never beyond the end of the log, even if the disk did not take the output before it.
func TestSeekUnsaved(t *testing.T) {
	runnertest.Need(t, "seq")
	state := filepath.Join(smallDisk(t), ledger.FolderName)
	t.Cleanup(func() { runnertest.EndAll(t, state) })
	spec := runnertest.Shell(t, state, "seq 1 300000; echo printed; read line")
	spec.Foreground = false
	begun := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	printed, err := condition.ParseCondition("text:^printed$", "")
	if err != nil {
		t.Fatal(err)
	}
	if w, err := runner.WaitFor(runnertest.WithPatience(t), dir, begun.Session.ID, runner.Wait{Until: []condition.Condition{printed}}); err != nil || len(w.Met) != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	log, err := runner.OpenLog(dir, begun.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	told := int64(len(lines(300000)) + len("printed\r\n"))
	stored := transcript.Open(transcript.Folder(dir.SessionFolder(begun.Session.ID)))
	defer stored.Close()
	if _, end, err := stored.Bounds(); err != nil || end >= told {
		t.Fatalf("%d bytes are on disk, %v", end, err)
	}
	if end, err := log.End(); err != nil || end != told {
		t.Errorf("the log has %d bytes, %v, want %d", end, err, told)
	}
	for offset, want := range map[int64]error{told: nil, told + 1: runner.ErrBeyondEnd} {
		if got, _, err := log.Seek(runnertest.WithPatience(t), ledger.Position{Offset: offset}); got != offset || !errors.Is(err, want) {
			t.Errorf("%d: %d, %v", offset, got, err)
		}
	}
}

// While the disk of the transcript is full, a capture on another disk still gets every byte: the terminal waits for it.
func TestCaptureOfUnsaved(t *testing.T) {
	runnertest.Need(t, "seq")
	state := filepath.Join(smallDisk(t), ledger.FolderName)
	t.Cleanup(func() { runnertest.EndAll(t, state) })
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := runnertest.Shell(t, state, "read line <"+gate+"; seq 1 600000")
	spec.Foreground = false
	begun := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	file := filepath.Join(t.TempDir(), "whole.raw")
	if _, _, err := runner.StartCapture(runnertest.WithPatience(t), dir, begun.Session.ID, runner.CaptureSpec{Format: transcript.Raw, File: file}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := runnertest.WaitEnd(t, dir, begun.Session.ID); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := lines(600000); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, %d bytes, want %d", err, len(got), len(want))
	}
	_, list, err := runner.Captures(runnertest.WithPatience(t), dir, begun.Session.ID)
	if err != nil || len(list) != 1 || list[0].Bytes != int64(len(got)) || list[0].Reason != wire.CaptureClosed {
		t.Errorf("%+v, %v", list, err)
	}
}

// The events have the typed text while the terminal echoes it, and only its length otherwise.
func TestEventsOfInput(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, "echo ready; read a; stty -echo; echo hidden; read b; echo end"))
	ctx := runnertest.WithPatience(t)
	log, err := runner.OpenLog(runnertest.OpenState(t, state), c.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var got []string
	printed := ""
	err = log.Events(ctx, 0, true, func(e transcript.Event) error {
		if e.Kind == transcript.Input {
			got = append(got, fmt.Sprintf("%q %d", e.Text, e.Bytes))
			return nil
		}
		before := printed
		printed += string(e.Data)
		for prompt, typed := range map[string]string{"ready": "seen\n", "hidden": "secret\n"} {
			if strings.Contains(printed, prompt) && !strings.Contains(before, prompt) {
				if _, err := c.Call(ctx, wire.Request{Op: wire.OpInput, Data: []byte(typed)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if want := `"seen\n" 0,"" 7`; err != nil || strings.Join(got, ",") != want || strings.Contains(printed, "secret") {
		t.Errorf("%v, %v, want %s; printed %q", err, got, want, printed)
	}
}
