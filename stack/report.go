package stack

import "devtools/stack/files"

// A Report says what a workspace is made of, and how to run it.
type Report struct {
	ProjectRoot       string          `json:"projectRoot"` // the top of the workspace; paths of files are relative to it
	Folder            string          `json:"folder"`      // the folder that was looked at, in the workspace
	MainStack         string          `json:"mainStack"`
	MainConfidence    string          `json:"mainConfidence,omitzero"` // high, medium or low; never high for a choice among equals
	DetectedStacks    []string        `json:"detectedStacks"`          // the main one first
	ExpectedProcesses []string        `json:"expectedProcesses"`
	DevServerPatterns []string        `json:"devServerPatterns"`
	DevServerRules    []Rule          `json:"devServerRules"`
	Projects          []Project       `json:"projects"`
	Files             int             `json:"files"` // the number of files, without those of tools
	Truncated         bool            `json:"truncated"`
	Problems          []files.Problem `json:"problems"`
}

// A Project is a folder with a manifest, and all below it up to the next project.
type Project struct {
	Root              string    `json:"root"`
	Path              string    `json:"path"` // from the top of the workspace, with slashes
	Name              string    `json:"name,omitzero"`
	MainStack         string    `json:"mainStack"`
	MainConfidence    string    `json:"mainConfidence,omitzero"` // how sure it is that this stack is the main one: high, medium or low
	Stacks            []Found   `json:"stacks"`                  // the main one first
	Superseded        []Found   `json:"superseded,omitempty"`
	PackageManager    *Manager  `json:"packageManager,omitempty"` // of the main stack
	PackageManagers   []Manager `json:"packageManagers"`
	Workspace         *Member   `json:"workspace,omitempty"`
	Members           []Pattern `json:"members,omitempty"`
	Toolchain         []Tool    `json:"toolchain"`
	Commands          []Command `json:"commands"`
	DevCommand        *Command  `json:"devCommand,omitempty"`
	Ports             []Port    `json:"ports"` // the one to expect first
	Services          []Service `json:"services,omitempty"`
	ExpectedProcesses []string  `json:"expectedProcesses"`
	Ready             []string  `json:"ready,omitempty"` // expressions for the line that the main stack prints when it is ready
}

// A Rank says how much a piece of evidence proves.
type Rank int

// The ranks: a person wrote it down; it is installed; it has a file of its own; it has a file that
// other stacks use too; it is in a folder above.
const (
	Hoisted Rank = 1 + iota
	Shared
	Config
	Dependency
	Declared
)

// Evidence is the place from which a fact is known.
type Evidence struct {
	File string `json:"file"` // from the top of the workspace, with slashes
	Line int    `json:"line,omitzero"`
	Key  string `json:"key,omitzero"`
	Rank Rank   `json:"rank"`
}

// A Found is a stack of a project.
type Found struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Kind       Kind       `json:"kind"`
	Version    string     `json:"version,omitzero"`   // the installed version, otherwise the locked or the requested one
	Installed  bool       `json:"installed,omitzero"` // the version is the installed one
	Confidence string     `json:"confidence"`         // high, medium or low, by the best evidence
	Evidence   []Evidence `json:"evidence"`

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
	Name      string     `json:"name"`
	Version   string     `json:"version,omitzero"`
	Ecosystem string     `json:"ecosystem"` // the kind of its packages: npm, pypi, …
	Evidence  []Evidence `json:"evidence"`
	Conflict  bool       `json:"conflict,omitzero"` // there are files of several package managers
	Others    []string   `json:"others,omitempty"`  // the other package managers
}

// A Member is the declaration of a workspace that includes this project.
type Member struct {
	Kind string `json:"kind"`
	Path string `json:"path"` // the project that declares it
}

// A Pattern is a declaration of members of a workspace.
type Pattern struct {
	Kind     string   `json:"kind"`
	Pattern  string   `json:"pattern"`
	Evidence Evidence `json:"evidence"`
}

// A Tool is a version of a tool that a project asks for.
type Tool struct {
	Tool      string   `json:"tool"`
	Wanted    string   `json:"wanted"`
	Evidence  Evidence `json:"evidence"`
	Path      string   `json:"path,omitzero"`      // the path of the tool on PATH
	Installed string   `json:"installed,omitzero"` // its version by its own files; nothing is run
}

// A Command is a command that people can run in a project.
type Command struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`       // its purpose: dev, start, build, test, lint or other
	Class      Class    `json:"class"`      // what it does
	Confidence string   `json:"confidence"` // how sure the class is: high, medium or low; never high for a usual command
	Argv       []string `json:"argv"`
	Cwd        string   `json:"cwd"`
	Line       string   `json:"line,omitzero"` // the line that it runs in the end, if a file has it
	Source     Evidence `json:"source"`

	runs    []string // the command lines that it runs in the end; scripts of the project are followed
	written bool     // a person wrote it down
	port    int      // the port in it, 0 if there is none
	named   bool     // its name gives its kind
	several bool     // there are others of its kind that are as good
}

// A Port is a port on which a program of a project is expected to listen.
type Port struct {
	Port     int      `json:"port"`
	Source   string   `json:"source"` // flag, env, config, code, declared or default
	Moves    bool     `json:"moves,omitzero"`
	Service  string   `json:"service,omitzero"`
	Evidence Evidence `json:"evidence"`
}

// A Service is a service of a compose file.
type Service struct {
	Name     string   `json:"name"`
	Image    string   `json:"image,omitzero"`
	Build    bool     `json:"build,omitzero"`
	Evidence Evidence `json:"evidence"`

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
