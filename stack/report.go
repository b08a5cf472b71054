package stack

import "devtools/stack/files"

// A Report is what a workspace is made of and how it runs.
type Report struct {
	ProjectRoot       string          `json:"projectRoot"` // the top of the workspace, to which the paths of files are relative
	Folder            string          `json:"folder"`      // the folder that was looked at, in it
	MainStack         string          `json:"mainStack"`
	MainConfidence    string          `json:"mainConfidence,omitzero"` // high, medium or low; never high for one that was chosen among equals
	DetectedStacks    []string        `json:"detectedStacks"`          // the main one first
	ExpectedProcesses []string        `json:"expectedProcesses"`
	DevServerPatterns []string        `json:"devServerPatterns"`
	DevServerRules    []Rule          `json:"devServerRules"`
	Projects          []Project       `json:"projects"`
	Files             int             `json:"files"` // how many there are, those of tools left out
	Truncated         bool            `json:"truncated"`
	Problems          []files.Problem `json:"problems"`
}

// A Project is a folder with a manifest, and what is below it up to the next one.
type Project struct {
	Root              string    `json:"root"`
	Path              string    `json:"path"` // from the top of the workspace, with slashes
	Name              string    `json:"name,omitzero"`
	MainStack         string    `json:"mainStack"`
	MainConfidence    string    `json:"mainConfidence,omitzero"` // that this is the main one of its stacks: high, medium or low
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
	Ready             []string  `json:"ready,omitempty"` // expressions for the line with which the main stack says that it is ready
}

// A Rank is how much a piece of evidence proves.
type Rank int

// The ranks: somebody wrote it down, it is installed, it has a file of its own, it has a file that others
// use too, it is somewhere above.
const (
	Hoisted Rank = 1 + iota
	Shared
	Config
	Dependency
	Declared
)

// Evidence is where something is known from.
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
	Version    string     `json:"version,omitzero"`   // that is installed in the workspace, else that is locked, else that is asked for
	Installed  bool       `json:"installed,omitzero"` // the version is that which is installed
	Confidence string     `json:"confidence"`         // high, medium or low, by the best evidence
	Evidence   []Evidence `json:"evidence"`

	def *Definition
}

// Of reports whether the stack is made of a language, so that it says more than that.
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
	Ecosystem string     `json:"ecosystem"` // whose packages: npm, pypi, …
	Evidence  []Evidence `json:"evidence"`
	Conflict  bool       `json:"conflict,omitzero"` // the files of several are there
	Others    []string   `json:"others,omitempty"`  // which these are
}

// A Member says which declaration of a workspace of many projects has this one in it.
type Member struct {
	Kind string `json:"kind"`
	Path string `json:"path"` // of the project that declares it
}

// A Pattern is what a project declares to be members of its workspace.
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
	Path      string   `json:"path,omitzero"`      // of the tool on PATH
	Installed string   `json:"installed,omitzero"` // its version as its own files have it; nothing is run
}

// A Command is something that can be run in a project.
type Command struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`       // what it is for: dev, start, build, test, lint or other
	Class      Class    `json:"class"`      // what it does
	Confidence string   `json:"confidence"` // in the class: high, medium or low; never high for what nobody wrote down
	Argv       []string `json:"argv"`
	Cwd        string   `json:"cwd"`
	Line       string   `json:"line,omitzero"` // what it runs in the end, as far as that is written down
	Source     Evidence `json:"source"`

	runs    []string // what it comes to, scripts of the project followed
	written bool     // somebody wrote it down
	port    int      // on which it says that it listens, 0 where it does not
	named   bool     // its kind is that which its name says
	several bool     // there are others of its kind that are as good
}

// A Port is where something of a project is expected to listen.
type Port struct {
	Port     int      `json:"port"`
	Source   string   `json:"source"` // flag, env, config, code, declared or default
	Moves    bool     `json:"moves,omitzero"`
	Service  string   `json:"service,omitzero"`
	Evidence Evidence `json:"evidence"`
}

// A Service is what a file of compose starts.
type Service struct {
	Name     string   `json:"name"`
	Image    string   `json:"image,omitzero"`
	Build    bool     `json:"build,omitzero"`
	Evidence Evidence `json:"evidence"`

	optional bool // it has a profile, and is started only with that
}

// confidence says in a word what a rank proves.
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
