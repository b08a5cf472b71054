package stack

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

func cargoToml(b *builder, f file) error {
	t, err := tomlTable(f.data)
	if t == nil {
		return err
	}
	name := textIn(t, "package", "name")
	b.setName(name)
	b.wantTool("rust", textIn(t, "package", "rust-version"), f.at(Declared, "package.rust-version", "rust-version"))
	for _, section := range [][]string{{"dependencies"}, {"dev-dependencies"}, {"build-dependencies"}, {"workspace", "dependencies"}} {
		for dep, value := range tableIn(t, section...) {
			version, _ := value.(string)
			if m, ok := value.(map[string]any); ok {
				version = textIn(m, "version")
			}
			key := strings.Join(section, ".")
			rank := Dependency
			if section[0] == "workspace" {
				rank = Hoisted
			}
			b.addDependency("cargo", dep, version, f.at(rank, key+"."+dep, "["+key, dep), section[0] == "dev-dependencies")
		}
	}
	for _, m := range textsIn(t, "workspace", "members") {
		b.addMember("cargo", m, f.at(Declared, "workspace.members", "members", `"`+m+`"`))
	}
	if _, text, ok := strings.Cut(textIn(t, "package", "metadata", "leptos", "site-addr"), ":"); ok {
		for _, port := range onePort(text) {
			b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, "package.metadata.leptos.site-addr", "site-addr")})
		}
	}
	b.cargo.manifest, b.cargo.workspace = f.path, tableIn(t, "workspace") != nil
	b.cargo.isPackage, b.cargo.defaultRun = tableIn(t, "package") != nil, textIn(t, "package", "default-run")
	if b.has("src/main.rs") {
		b.cargo.bins = append(b.cargo.bins, name)
	}
	bins, _ := in(t, "bin").([]any)
	for _, bin := range bins {
		if m, ok := bin.(map[string]any); ok && textIn(m, "name") != "" {
			b.cargo.bins = append(b.cargo.bins, textIn(m, "name"))
		}
	}
	if folder := b.d.folders[path.Join(b.path, "src/bin")]; folder != nil {
		for _, file := range folder.Files {
			if bin, ok := strings.CutSuffix(file, ".rs"); ok {
				b.cargo.bins = append(b.cargo.bins, bin)
			}
		}
	}
	return nil
}

func rustToolchain(b *builder, f file) error {
	t, err := tomlTable(f.data)
	b.wantTool("rust", textIn(t, "toolchain", "channel"), f.at(Declared, "toolchain.channel", "channel"))
	return err
}

func goMod(b *builder, f file) error {
	m, err := modfile.ParseLax(f.path, f.data, nil)
	if err != nil {
		return firstError(err)
	}
	if m.Module == nil {
		err = errors.New("it has no module line")
	} else {
		b.setName(m.Module.Mod.Path)
		b.goModule = m.Module.Mod.Path
	}
	if m.Go != nil {
		b.wantTool("go", m.Go.Version, Evidence{File: f.path, Line: m.Go.Syntax.Start.Line, Key: "go", Rank: Declared})
	}
	if m.Toolchain != nil {
		b.wantTool("go", strings.TrimPrefix(m.Toolchain.Name, "go"), Evidence{File: f.path, Line: m.Toolchain.Syntax.Start.Line, Key: "toolchain", Rank: Declared})
	}
	for _, r := range m.Require {
		if !r.Indirect {
			b.addDependency("go", r.Mod.Path, r.Mod.Version, Evidence{File: f.path, Line: r.Syntax.Start.Line, Key: "require", Rank: Dependency}, false)
		}
	}
	return err
}

func goWork(b *builder, f file) error {
	w, err := modfile.ParseWork(f.path, f.data, nil)
	if err != nil {
		return firstError(err)
	}
	for _, u := range w.Use {
		b.addMember("go", u.Path, Evidence{File: f.path, Line: u.Syntax.Start.Line, Key: "use", Rank: Declared})
	}
	if w.Go != nil {
		b.wantTool("go", w.Go.Version, Evidence{File: f.path, Line: w.Go.Syntax.Start.Line, Key: "go", Rank: Declared})
	}
	return nil
}

// firstError returns the first of the errors in a file of Go modules.
func firstError(err error) error {
	if all, ok := errors.AsType[modfile.ErrorList](err); ok && len(all) > 0 {
		first := all[0]
		first.Filename = "line"
		return &first
	}
	return err
}

// pomXML reads the dependencies of a Maven project. The parent and the plug-ins count too.
func pomXML(b *builder, f file) error {
	reader := newXMLReader(f.data)
	group, artifact, version, depth := "", "", "", 0
	for {
		kind, text, err := reader.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		names := reader.open
		switch kind {
		case xmlStart:
			if len(names) > mostNesting {
				return errors.New("its elements are nested too deeply")
			}
			switch text {
			case "dependency", "parent", "plugin":
				group, artifact, version, depth = "", "", "", len(names)
			}
		case xmlText:
			value := strings.TrimSpace(text)
			if value == "" || len(names) == 0 {
				continue
			}
			b.pomValue(f, reader.line, names, value)
			if len(names) != depth+1 {
				continue
			}
			switch names[len(names)-1] {
			case "groupId":
				group = value
			case "artifactId":
				artifact = value
			case "version":
				version = value
			}
		case xmlEnd:
			if len(names)+1 == depth && artifact != "" {
				key := strings.Join(append(names, text), ".")
				b.addDependency("maven", group+":"+artifact, version, Evidence{File: f.path, Line: reader.line, Key: key, Rank: Dependency}, false)
				group, artifact, version, depth = "", "", "", 0
			}
		}
	}
}

// pomValue reads the text of an element, which is the last of names.
func (b *builder) pomValue(f file, line int, names []string, value string) {
	path, last := strings.Join(names, "/"), names[len(names)-1]
	source := Evidence{File: f.path, Line: line, Key: strings.ReplaceAll(path, "/", "."), Rank: Declared}
	switch {
	case path == "project/artifactId":
		b.setName(value)
	case strings.HasSuffix(path, "modules/module"):
		b.addMember("maven", value, source)
	case last == "java.version", last == "maven.compiler.release", last == "maven.compiler.source":
		if !strings.HasPrefix(value, "$") {
			b.wantTool("java", value, source)
		}
	}
}

var (
	coordinates  = expression{text: `["']([\w.-]+):([\w.-]+)(?::(?:([\w.+-]+)|[^"'\s:]*))?(?:@\w+)?["']`}
	pluginID     = expression{text: `id\s*\(?\s*["']([\w.-]+)["']\s*\)?(?:\s*version\s*\(?["']([\w.-]+)["'])?`}
	catalogue    = expression{text: `(?:id|module|group)\s*=\s*["']([\w.-]+)(?::([\w.-]+))?["']`}
	kotlinPlugin = expression{text: `kotlin\(\s*["']([\w.-]+)["']\s*\)`}
	sbtDep       = expression{text: `["']([\w.-]+)["']\s*%%?%?\s*["']([\w.-]+)["']`}
	// application finds what gives a build the task run: the application plug-in, a plug-in for a server
	// that brings it, or a task in the file.
	application = expression{text: `(?m)["']application["']|["'](?:io\.ktor\.plugin|io\.ratpack\.[\w-]+|io\.micronaut\.application)["']|` +
		"^\\s*`?application`?\\s*(?:\\{|$)" + `|register<JavaExec>\(["']run["']|^\s*task\s+run\b`}
	toolchainOf = expression{text: `JavaLanguageVersion\.of\((\d+)\)|jvmToolchain\((\d+)\)`}
)

// gradleFile reads the coordinates and plug-ins in a build file. The file is a program, which is not
// run.
func gradleFile(b *builder, f file) error {
	found := func(at []int, group, artifact, version string) {
		line := 1 + bytes.Count(f.data[:at[0]], []byte("\n"))
		b.addDependency("maven", group+":"+artifact, version, Evidence{File: f.path, Line: line, Rank: Dependency}, false)
	}
	part := func(at []int, i int) string {
		if at[2*i] < 0 {
			return ""
		}
		return string(f.data[at[2*i]:at[2*i+1]])
	}
	for _, at := range coordinates.get().FindAllSubmatchIndex(f.data, -1) {
		found(at, part(at, 1), part(at, 2), part(at, 3))
	}
	for _, at := range pluginID.get().FindAllSubmatchIndex(f.data, -1) {
		found(at, part(at, 1), "plugin", part(at, 2))
	}
	for _, at := range kotlinPlugin.get().FindAllSubmatchIndex(f.data, -1) {
		found(at, "org.jetbrains.kotlin", part(at, 1), "")
	}
	for _, at := range sbtDep.get().FindAllSubmatchIndex(f.data, -1) {
		found(at, part(at, 1), part(at, 2), "")
	}
	if strings.HasSuffix(f.base, ".toml") {
		for _, at := range catalogue.get().FindAllSubmatchIndex(f.data, -1) {
			found(at, part(at, 1), part(at, 2), "")
		}
	}
	if strings.HasPrefix(f.base, "build.gradle") && application.get().Match(f.data) {
		b.gradleRuns = true
	}
	if f.base == "project.clj" {
		b.manager("maven", "leiningen", "", f.at(Config, ""))
	}
	if m := toolchainOf.get().FindSubmatchIndex(f.data); m != nil {
		b.wantTool("java", part(m, 1)+part(m, 2), f.at(Declared, "toolchain", string(f.data[m[0]:m[1]])))
	}
	return nil
}

var includes = expression{text: `(?m)^\s*include\s*\(?((?:\s*["'][^"']+["']\s*,?)+)`}

// gradleSettings reads the projects of a build.
func gradleSettings(b *builder, f file) error {
	for _, m := range includes.get().FindAllSubmatch(f.data, -1) {
		for _, word := range strings.FieldsFunc(string(m[1]), func(r rune) bool { return strings.ContainsRune("\"', \t\r\n", r) }) {
			b.addMember("gradle", strings.ReplaceAll(strings.TrimPrefix(word, ":"), ":", "/"), f.at(Declared, "include", word))
		}
	}
	return gradleFile(b, f)
}

func sdkmanrc(b *builder, f file) error {
	for line := range strings.Lines(string(f.data)) {
		if tool, version, ok := strings.Cut(strings.TrimSpace(line), "="); ok && tool[:1] != "#" {
			b.wantTool(tool, version, f.at(Declared, tool, tool+"="))
		}
	}
	return nil
}

var (
	packageReference = expression{text: `<(?:PackageReference|FrameworkReference)\s[^>]*Include="([^"]+)"(?:\s+Version="([^"]*)")?`}
	targetFramework  = expression{text: `<TargetFrameworks?>([^<]+)<`}
	solutionProject  = expression{text: `"([^"]+)[\\/][^"\\/]+\.(?:cs|fs|vb)proj"`}
)

func csproj(b *builder, f file) error {
	b.setName(strings.TrimSuffix(f.base, path.Ext(f.base)))
	for _, m := range packageReference.get().FindAllSubmatch(f.data, -1) {
		b.addDependency("nuget", string(m[1]), string(m[2]), f.at(Dependency, "PackageReference", string(m[0])), false)
	}
	if m := targetFramework.get().FindSubmatch(f.data); m != nil {
		b.wantTool("dotnet", string(m[1]), f.at(Declared, "TargetFramework", string(m[0])))
	}
	b.dotnetRuns = b.dotnetRuns || bytes.Contains(f.data, []byte("<OutputType>Exe")) || bytes.Contains(f.data, []byte("Sdk.Web")) || bytes.Contains(f.data, []byte("WinExe"))
	return nil
}

func solution(b *builder, f file) error {
	for _, m := range solutionProject.get().FindAllSubmatch(f.data, -1) {
		b.addMember("dotnet", strings.ReplaceAll(string(m[1]), `\`, "/"), f.at(Declared, "Project", string(m[1])))
	}
	return nil
}

func globalJSON(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	b.wantTool("dotnet", text(object(o["sdk"])["version"]), f.at(Declared, "sdk.version", `"version"`))
	return err
}
