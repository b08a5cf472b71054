package stack

import (
	"strings"

	"devtools/stack/line"
)

// Helper is the class of a running process that a tool leaves behind to be faster the next time. It
// is neither a server of the user nor leaked. Only [ClassifyProcess] uses it.
const Helper Class = "helper" // a tool has left it behind to be faster the next time

// helpers are such processes. The command line has to contain all words of one.
var helpers = []struct {
	name  string
	words []string
}{
	{"the Gradle daemon", []string{"GradleDaemon"}},
	{"a Kotlin compiler daemon", []string{"KotlinCompileDaemon"}},
	{"the Maven daemon", []string{"mvnd", "daemon"}},
	{"the Bazel server", []string{"A-server.jar"}},
	{"the Bazel server", []string{"bazel(", ")"}},
	{"the Buck daemon", []string{"buck2d"}},
	{"the C# compiler server", []string{"VBCSCompiler"}},
	{"an MSBuild node", []string{"MSBuild", "nodemode"}},
	{"an MSBuild node", []string{"MSBuild", "nodeReuse"}},
	{"the nx daemon", []string{"nx/src/daemon/server"}},
	{"an nx plugin", []string{"nx/src/project-graph/plugins"}},
	{"the turbo daemon", []string{"turbo", "daemon"}},
	{"the TypeScript server", []string{"tsserver"}},
	{"the TypeScript server", []string{"typingsInstaller"}},
	{"a language server", []string{"language-server"}},
	{"a language server", []string{"langserver"}},
	{"gopls", []string{"gopls"}},
	{"rust-analyzer", []string{"rust-analyzer"}},
	{"clangd", []string{"clangd"}},
	{"the esbuild service", []string{"esbuild", "--service="}},
	{"watchman", []string{"watchman"}},
	{"the ESLint daemon", []string{"eslint_d"}},
	{"the Spring server of Rails", []string{"spring server"}},
	{"the git file system monitor", []string{"fsmonitor--daemon"}},
	{"the sccache server", []string{"sccache"}},
	{"the adb server", []string{"adb", "fork-server"}},
	{"gpg's agent", []string{"gpg-agent"}},
	{"the ssh agent", []string{"ssh-agent"}},
}

// ClassifyProcess says what a running process does. It uses the arguments, and whether the process
// listens on a socket or watches files.
func ClassifyProcess(argv []string, listens, watches bool) Verdict {
	text := strings.Join(argv, " ")
	for _, h := range helpers {
		fits := true
		for _, word := range h.words {
			fits = fits && strings.Contains(text, word)
		}
		if fits {
			return Verdict{Command: text, Class: Helper, Confidence: Medium, Reason: "It is " + h.name + ", which waits for the next call.", Launch: "ask"}
		}
	}
	if len(argv) == 1 && strings.Contains(argv[0], " ") { // the program has set a title
		argv = strings.Fields(strings.NewReplacer("master process", "", ": ", " ").Replace(argv[0]))
	}
	var words []line.Word
	for _, arg := range argv {
		words = append(words, line.Word{Text: arg})
	}
	cl := newClassifier("")
	f := cl.argv(words, 0, location{text: render(nil, words)})
	f.bounded, f.chain = "", nil
	switch {
	case listens:
		if f.class != Server {
			f = finding{class: Server, port: f.port}
		}
		f.confidence, f.reason = High, "it listens on a port"
	case watches && f.class != Server:
		f = finding{class: Watcher, confidence: Medium, reason: "it watches files"}
	}
	return f.verdict(text)
}
