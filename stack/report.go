package stack

import "devtools/stack/files"

// A Report says what a workspace is made of, and how to run it.
type Report struct {
	ProjectRoot       string          `json:"projectRoot"`             // the top of the workspace; paths of files are relative to it
	Folder            string          `json:"folder"`                  // the folder that was looked at, in the workspace
	MainStack         string          `json:"mainStack"`               // id of the main stack; "" if there is none
	MainConfidence    string          `json:"mainConfidence,omitzero"` // how sure the main stack is: high, medium or low; never high for a choice among equals
	DetectedStacks    []string        `json:"detectedStacks"`          // ids of all stacks, the main one first
	ExpectedProcesses []string        `json:"expectedProcesses"`       // names of programs that run while people work here
	DevServerPatterns []string        `json:"devServerPatterns"`       // expressions that match the command lines of servers and watchers
	DevServerRules    []Rule          `json:"devServerRules"`          // the same patterns with their exceptions
	Projects          []Project       `json:"projects"`                // the projects of the workspace
	Files             int             `json:"files"`                   // the number of files, without those of tools
	Truncated         bool            `json:"truncated"`               // there are too many files: deeper folders were not examined
	Problems          []files.Problem `json:"problems"`                // files that could not be read
}

// A Project is a folder with a manifest, and all below it up to the next project.
type Project struct {
	Root              string    `json:"root"`                     // its folder
	Path              string    `json:"path"`                     // its folder from the top of the workspace, with slashes
	Name              string    `json:"name,omitzero"`            // its name, if a manifest has one
	MainStack         string    `json:"mainStack"`                // id of its main stack
	MainConfidence    string    `json:"mainConfidence,omitzero"`  // how sure it is that this stack is the main one: high, medium or low
	Stacks            []Found   `json:"stacks"`                   // its stacks, the main one first
	Superseded        []Found   `json:"superseded,omitzero"`      // with --all: stacks that are parts of a listed one
	PackageManager    *Manager  `json:"packageManager,omitempty"` // package manager of the main stack
	PackageManagers   []Manager `json:"packageManagers"`          // all package managers
	Workspace         *Member   `json:"workspace,omitempty"`      // the workspace that includes this project
	Members           []Pattern `json:"members"`                  // what it declares as members of its own workspace
	Toolchain         []Tool    `json:"toolchain"`                // versions of tools that it asks for
	Commands          []Command `json:"commands"`                 // commands that people can run in it
	DevCommand        *Command  `json:"devCommand,omitempty"`     // the command to develop with
	Ports             []Port    `json:"ports"`                    // ports on which its programs will listen, the one to expect first
	Services          []Service `json:"services"`                 // services of its compose files
	ExpectedProcesses []string  `json:"expectedProcesses"`        // names of programs that run while people work on it
	Ready             []string  `json:"readyPatterns"`            // expressions for the line that the main stack prints when it is ready

	builds []string // names of the programs that it builds
}

// A Rank says how much a source proves.
type Rank int

// The ranks.
const (
	Hoisted    Rank = 1 + iota // it is in a folder above
	Shared                     // it is a file that other stacks use too
	Config                     // it is a file of the stack
	Dependency                 // it declares a dependency
	Declared                   // a person wrote the fact down
)

// Evidence is the place from which a fact is known.
type Evidence struct {
	File string `json:"file"`          // the file, from the top of the workspace, with slashes
	Line int    `json:"line,omitzero"` // the line, from 1
	Key  string `json:"key,omitzero"`  // the key in the file
	Rank Rank   `json:"rank"`          // how much it proves: 5 a person wrote it down, 4 it is a dependency, 3 it is a file of the stack, 2 other stacks use the file too, 1 it is in a folder above
}

// A Found is a stack of a project.
type Found struct {
	ID         string     `json:"id"`                 // its id, such as vite
	Name       string     `json:"name"`               // its name, such as Vite
	Kind       Kind       `json:"kind"`               // what it is, such as language, framework, bundler or package-manager
	Version    string     `json:"version,omitzero"`   // the installed version, otherwise the locked or the requested one
	Installed  bool       `json:"installed,omitzero"` // the version is the installed one
	Confidence string     `json:"confidence"`         // how sure it is, by the best of its sources: high, medium or low
	Evidence   []Evidence `json:"sources"`            // the places from which it is known

	def *Definition
}

// Of reports whether the stack is written in a language, so that it says more than the language.
func (f Found) Of(language Found) bool {
	if language.ID == "node" || language.ID == "typescript" || language.ID == "bun" {
		return language.ID == "node" && (f.Kind != "language" || f.ID == "typescript" || f.ID == "bun") && f.def != nil && ecosystem(f.def) == "npm"
	}
	return f.def != nil && language.def != nil && f.Kind != "language" && ecosystem(f.def) != "" && ecosystem(f.def) == ecosystem(language.def)
}

// A Manager is a package manager.
type Manager struct {
	Name      string     `json:"name"`              // its name, such as pnpm
	Version   string     `json:"version,omitzero"`  // its version, if a file has it
	Ecosystem string     `json:"ecosystem"`         // the kind of its packages, such as npm or pypi
	Evidence  []Evidence `json:"sources"`           // the places from which it is known
	Conflict  bool       `json:"conflict,omitzero"` // there are files of several package managers
	Others    []string   `json:"others"`            // the other package managers
}

// A Member is the declaration of a workspace that includes this project.
type Member struct {
	Kind string `json:"kind"` // kind of the workspace, such as npm, pnpm, cargo, go, maven or gradle
	Path string `json:"path"` // the project that declares it
}

// A Pattern is a declaration of members of a workspace.
type Pattern struct {
	Kind     string   `json:"kind"`    // kind of the workspace, such as npm, pnpm, cargo, go, maven or gradle
	Pattern  string   `json:"pattern"` // pattern for the folders of members
	Evidence Evidence `json:"source"`  // the place of the declaration
}

// A Tool is a version of a tool that a project asks for.
type Tool struct {
	Tool      string   `json:"tool"`                      // name of the tool
	Wanted    string   `json:"wanted"`                    // the version that is asked for
	Evidence  Evidence `json:"source"`                    // the place that asks for it
	Path      string   `json:"path,omitzero"`             // the path of the tool on PATH
	Installed string   `json:"installedVersion,omitzero"` // its version by its own files; nothing is run
}

// A Command is a command that people can run in a project.
type Command struct {
	Name       string   `json:"name"`                 // its name, such as that of a script
	Kind       string   `json:"kind"`                 // its purpose: dev, start, build, test, lint or other
	Class      Class    `json:"class"`                // what it does: server, watcher, watch-if-tty, build, test, oneshot, interactive or unknown
	Confidence string   `json:"confidence"`           // how sure the class is: high, medium or low; never high for a usual command
	Argv       []string `json:"command"`              // its arguments
	Cwd        string   `json:"cwd"`                  // the folder in which it runs
	Line       string   `json:"commandLine,omitzero"` // the line that it runs in the end, if a file has it
	Source     Evidence `json:"source"`               // the place from which it is known

	runs    []string // the command lines that it runs in the end; scripts of the project are followed
	written bool     // a person wrote it down
	port    int      // the port in it, 0 if there is none
	named   bool     // its name gives its kind
	several bool     // there are others of its kind that are as good
}

// A Port is a port on which a program of a project is expected to listen.
type Port struct {
	Port     int      `json:"port"`             // number of the port
	Source   string   `json:"from"`             // where the number comes from: flag, env, config, code, declared or default
	Moves    bool     `json:"moves,omitzero"`   // another port is taken if this one is in use
	Service  string   `json:"service,omitzero"` // the service that listens on it, if it is not the project's own program
	Evidence Evidence `json:"source"`           // the place from which it is known
}

// A Service is a service of a compose file.
type Service struct {
	Name     string   `json:"name"`           // its name
	Image    string   `json:"image,omitzero"` // its image
	Build    bool     `json:"build,omitzero"` // its image is built here
	Evidence Evidence `json:"source"`         // the place of its declaration

	optional bool // it starts only with its profile
}

// confidence returns the word for how much a rank proves.
func (r Rank) confidence() string {
	switch {
	case r >= Dependency:
		return "high"
	case r == Config:
		return "high"
	case r == Shared:
		return "medium"
	}
	return "low"
}
