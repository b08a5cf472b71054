package commands

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"devtools/runner/guard/isolation"
	"devtools/runner/runnertest"
	"devtools/runner/runnertest/leftover"
	"devtools/runner/track"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hold" && filepath.Base(os.Args[0]) != "devtools" {
		panic("a test has started a session from its own process: its holder would run all tests again")
	}
	_ = flag.Set("test.parallel", "4") // most of the tests wait for programs; -parallel on the command line counts more
	testscript.Main(runnertest.Covered(leftover.Checked(m)), map[string]func(){
		"older-holder": olderHolder,
		"box":          box,
		"facts":        facts,
		"devtools": func() {
			recordResults()
			os.Exit(Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScript runs testdata/script: what a user can observe. One script is run with
// -run Script/NAME.
func TestScript(t *testing.T) {
	params := scriptParams(watchResults(t))
	params.Dir = filepath.Join("testdata", "script")
	testscript.Run(t, params)
}

// scriptParams returns how scripts are run. The results that they print with --json go to the folder results.
func scriptParams(results string) testscript.Params {
	if signal.Ignored(os.Interrupt) { // a script ends its background programs by it, which would inherit this
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv(resultsFolder, results)
			return setUpScript(env)
		},
		Condition: scriptCondition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":     status,
			"eventually": eventually,
			"until":      until,
			"tmpfs":      tmpfs,
		},
	}
}

// longestRuntimeFolder is how long the path of a folder for sockets can be, in bytes (fits in runner/wire).
const longestRuntimeFolder = 71

// setUpScript gives a script a state folder of its own, and ends its sessions with it.
func setUpScript(env *testscript.Env) error {
	if len(env.Getenv("TMPDIR"))+len("/devtools-65536") > longestRuntimeFolder { // its sockets would be in /tmp, which sandboxes do not let write
		short, err := os.MkdirTemp("/tmp", "s")
		if err != nil {
			return err
		}
		env.Setenv("TMPDIR", short)
		env.Defer(func() { _ = os.RemoveAll(short) })
	}
	env.Setenv("DEVTOOLS_DIR", filepath.Join(env.WorkDir, ".devtools"))
	env.Setenv("WORK", env.WorkDir)
	env.Setenv(leftover.Variable, os.Getenv(leftover.Variable))
	env.Setenv("DEVTOOLS_REMINDER", "0")      // results are compared as a whole; the scripts about the reminder set it
	env.Setenv("GORACE", "atexit_sleep_ms=0") // else each devtools with the race detector waits for a second at its end
	env.Defer(func() { endSessions(env) })
	return nil
}

// endSessions ends the sessions of all state folders in the working folder of a script, also of one that the script has removed.
func endSessions(env *testscript.Env) {
	program, err := exec.LookPath(filepath.Join(filepath.SplitList(env.Getenv("PATH"))[0], "devtools"))
	if err != nil {
		env.T().Fatal(err)
	}
	end := func(folder string) {
		for _, call := range [][]string{{"ps"}, {"kill", "--all", "--signal", "KILL"}} { // ps adopts
			cmd := exec.Command(program, append([]string{"--dir", folder}, call...)...)
			cmd.Env = env.Vars
			_ = cmd.Run() // the script may have made the folder one that cannot be used
		}
	}
	end(filepath.Join(env.WorkDir, ".devtools"))
	_ = filepath.WalkDir(env.WorkDir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "active-processes.json" {
			end(filepath.Dir(path))
		}
		return nil
	})
}

// scriptCondition knows [program:NAME], which on CI every program fulfils: a missing one is a failure. [mount] means that a
// file system can be mounted, which root can on CI, [userns] that a user namespace can be made, which a chroot(2) does not allow,
// [isolation] that sessions can be isolated, [sandbox:SHAPE] that box works with the shape, [session] that the test itself runs in a
// session, and [covered] that go test -cover runs it.
func scriptCondition(condition string) (bool, error) {
	if condition == "mount" {
		return os.Geteuid() == 0 && os.Getenv("CI") == "true" || mountable(), nil
	}
	if condition == "userns" {
		return os.Getenv("CI") == "true" || exec.Command("unshare", "-Ur", "true").Run() == nil, nil
	}
	if condition == "isolation" {
		return isolable(), nil
	}
	if condition == "covered" {
		return testing.CoverMode() != "", nil
	}
	if condition == "session" {
		return os.Getenv(track.Variable) != "", nil
	}
	if shape, ok := strings.CutPrefix(condition, "sandbox:"); ok {
		return boxWorks(shape), nil
	}
	name, ok := strings.CutPrefix(condition, "program:")
	if !ok {
		return false, errors.New("unknown condition " + condition)
	}
	_, err := exec.LookPath(name)
	return err == nil || os.Getenv("CI") == "true", nil
}

// mountable reports whether a file system can be mounted here.
var mountable = sync.OnceValue(func() bool {
	folder, err := os.MkdirTemp("", "mount")
	if err != nil {
		return false
	}
	defer os.Remove(folder)
	return exec.Command("mount", "-t", "tmpfs", "tmpfs", folder).Run() == nil && exec.Command("umount", folder).Run() == nil
})

// isolable reports whether the level high works here.
var isolable = sync.OnceValue(func() bool { return isolation.Probe().High == nil })

// tmpfs FOLDER OPTIONS makes a folder with a file system of its own, and ends the sessions there with the script.
func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs FOLDER OPTIONS")
	}
	folder := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(folder, 0o700))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", args[1], "tmpfs", folder).Run())
	ts.Defer(func() {
		_ = ts.Exec("devtools", "--dir", filepath.Join(folder, ".devtools"), "kill", "--all", "--signal", "KILL")
		_ = exec.Command("umount", "-l", folder).Run()
	})
}

// status N COMMAND… runs a command and wants the exit code N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// eventually FILE waits until FILE exists, eventually ! FILE until it does not.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] eventually FILE")
	}
	path := ts.MkAbs(args[0])
	for deadline := time.Now().Add(time.Minute); ; {
		if _, err := os.Stat(path); (err == nil) != neg {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s: waited for a minute", args[0])
		}
		<-time.After(5 * time.Millisecond)
	}
}

// until PATTERN COMMAND… runs a command again and again until its standard output matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND…")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for deadline := time.Now().Add(time.Minute); ; {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%q: waited for a minute", args[0])
		}
		<-time.After(50 * time.Millisecond)
	}
}
