package bench

import (
	"os/exec"
	"strings"
)

// peerTools are the watchers that are compared, each with the flags that are best for a server. In a command line
// COMMAND is the server's with its arguments, LINE the same as one argument, PORT its port and FILE the file with the
// config. Those that end a server by force wait for 3 s before, longer than the slow server takes; entr, nodemon and wgo
// never do.
var peerTools = []struct {
	name    string
	command string
	config  string
	list    bool   // it reads the names of the files from its standard input
	version string // a command line that tells it
	twin    bool   // is the one before with another time to wait, which matters only to the times
}{
	{
		name: "devtools", command: "devtools watch --on-busy restart --ready port:PORT --kill-after 3s -- COMMAND",
		version: "devtools --version",
	},
	{
		name: "devtools-10ms", twin: true, command: "devtools watch --on-busy restart --ready port:PORT --kill-after 3s --debounce 10ms -- COMMAND",
	},
	{
		name: "watchexec", command: "watchexec --restart --shell=none --stop-timeout 3s --quiet -- COMMAND",
		version: "watchexec --version",
	},
	{
		name: "watchexec-10ms", twin: true, command: "watchexec --restart --shell=none --stop-timeout 3s --quiet --debounce 10ms -- COMMAND",
	},
	{
		name: "entr", command: "entr -n -r COMMAND", list: true,
		version: "entr",
	},
	{
		name: "nodemon", command: "nodemon --quiet --no-stdin --signal SIGTERM --ext ts --exec LINE",
		version: "nodemon --version",
	},
	{ // as it comes: a delay of a second, SIGKILL at once
		name: "air", command: "air -c FILE", config: airConfig,
		version: "air -v",
	},
	{
		name: "air-10ms", twin: true, command: "air -c FILE", config: airConfig + "delay = 10\n",
	},
	{ // SIGINT first
		name: "air-10ms-gentle", command: "air -c FILE", config: airConfig + "delay = 10\nsend_interrupt = true\nkill_delay = '3s'\n",
	},
	{
		name: "wgo", command: "wgo -file .ts COMMAND", // waits for 300 ms
	},
	{
		name: "wgo-10ms", twin: true, command: "wgo -debounce 10ms -file .ts COMMAND",
	},
}

// airConfig has no build, as the others have none.
const airConfig = `root = "."
tmp_dir = "tmp"
[build]
cmd = "true"
full_bin = "exec LINE"
include_ext = ["ts"]
exclude_dir = ["tmp", "node_modules", ".git"]
`

// peerVersions asks those that are installed for their versions.
func peerVersions(devtools string) string {
	var all []string
	for _, tool := range peerTools {
		if tool.version == "" {
			continue
		}
		args := strings.Fields(tool.version)
		if args[0] == "devtools" {
			args[0] = devtools
		}
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		out, _ := exec.Command(args[0], args[1:]...).CombinedOutput() // entr tells it and fails
		for line := range strings.Lines(string(out)) {
			if strings.ContainsAny(line, "0123456789") || strings.Contains(line, " version ") {
				all = append(all, tool.name+": "+strings.TrimSpace(line))
				break
			}
		}
	}
	return strings.Join(all, "\n")
}
