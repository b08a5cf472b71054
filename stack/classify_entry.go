package stack

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"devtools/stack/line"
)

// codeMarks are the signs in code that it serves, watches or talks to a person, by language.
var codeMarks = sync.OnceValue(func() map[string][3][]string {
	return map[string][3][]string{
		"js": {
			{
				".listen(", "createServer(", "Bun.serve(", "Deno.serve(", "serve({", "startStandaloneServer(", "new WebSocketServer(",
				"http.Server(", "createHttpServer(", "NestFactory.create", "new WebpackDevServer(", ".serve({",
			},
			{"chokidar.watch(", ".watch()", "fs.watch(", "watchFile("},
			{"inquirer", "readline.createInterface", "prompts(", "@clack/prompts", "enquirer"},
		},
		"py": {
			{
				"app.run(", "uvicorn.run(", "serve_forever(", ".run_server(", "HTTPServer(", "web.run_app(", "socketio.run(", ".launch(", "waitress.serve(",
				"serve(app", "run_simple(", ".start_polling(", "infinity_polling(", "run_polling(", "client.run(", "bot.run(", "execute_from_command_line",
			},
			{"observer.start(", "watchfiles", "watchdog.observers"},
			{"input(", "getpass.getpass(", "cmdloop(", "questionary"},
		},
		"go": {
			{"ListenAndServe", "http.Serve(", "net.Listen(", ".Serve(", "Listen(\"", ".Listen(", ".Start(\":", ".Run(\":", "r.Run()", "router.Run("},
			{"fsnotify.NewWatcher"},
			{"bufio.NewReader(os.Stdin)", "tea.NewProgram("},
		},
		"rust": {
			{"axum::serve", "HttpServer::new", "TcpListener::bind", "warp::serve", "rocket::build", "#[launch]", "Server::builder", ".serve(", "poem::Server", "tonic::transport::Server"},
			{"notify::", "RecommendedWatcher"},
			{"stdin().read_line", "dialoguer", "ratatui", "rustyline"},
		},
		"rb": {
			{"Sinatra", "run!", "WEBrick::HTTPServer", "TCPServer.new", "Rack::Handler", "run Rails", `rails", "server"`, "foreman"},
			{"Listen.to"},
			{"gets", "TTY::Prompt", "Reline", "Readline"},
		},
		"php": {
			{"Swoole", "ReactPHP", "React\\Http", "socket_listen", "stream_socket_server", "Workerman"},
			{"inotify_init"},
			{"readline(", "fgets(STDIN"},
		},
		"perl": {
			{"HTTP::Daemon", "HTTP::Server", "Mojolicious", "Dancer", "Listen=>", "Listen =>", "->listen("},
			{},
			{"<STDIN>", "ReadLine"},
		},
		"dart":   {{"HttpServer.bind", "shelf_io.serve", "runApp("}, {}, {"stdin.readLineSync"}},
		"swift":  {{".serve", "Application(", "app.run", "app.execute"}, {}, {"readLine("}},
		"dotnet": {{"app.Run(", "WebApplication", "Host.CreateDefaultBuilder", "CreateHostBuilder", "RunAsync("}, {}, {"Console.ReadLine", "Console.ReadKey"}},
		"other":  {{}, {}, {}},
	}
})

// entry classifies the file with code at args[index]. If the file belongs to a known program, it
// classifies that. Otherwise it decides by a short look into the file, or by its name alone.
func (cl *classifier) entry(kind string, args []line.Word, index int, at location) finding {
	cl.looked++
	name := ""
	switch {
	case index >= len(args) && !slices.Contains([]string{"go", "rust", "swift", "dotnet", "dart"}, kind):
		return unknown(quoted(at.text) + " names no file")
	case index < len(args) && args[index].Open:
		return unknown(quoted(at.text) + " runs a file whose name is a variable")
	case index < len(args):
		name = strings.ReplaceAll(args[index].Text, "\\", "/")
	}
	if f, ok := cl.entryProgram(kind, name, args, index, at); ok {
		return f
	}
	if f, ok := entryHelp(kind, args, index, at); ok {
		return f
	}
	in := (&program{name: path.Base(name)}).invoke(args[min(index+1, len(args)):], at.fed)
	file, text := cl.code(kind, name, at)
	switch {
	case text == nil:
		return cl.entryUnread(kind, name, in, at)
	case kind == "sh" || kind == "program":
		return cl.shellScript(file, text, at)
	}
	if f, ok := cl.byArguments(in, at); ok && f.confidence > Low {
		return f
	}
	if f, ok := findInCode(kind, codeOnly(text), at, cl.below(file)); ok {
		f.resolved = true
		return f
	}
	if class := fileClass(name); class != Unknown {
		return byName(class, at.text, "the name of the file "+path.Base(name))
	}
	return unknown(quoted(at.text) + ": a look into " + cl.below(file) + " does not tell")
}

// entryProgram classifies a file as a program of the table: a file of an installed package, or a
// file that a tool has put into the workspace.
func (cl *classifier) entryProgram(kind, name string, args []line.Word, index int, at location) (finding, bool) {
	if program := packageProgram(name); program != "" {
		words := slices.Clone(args)
		words[index].Text = program
		return cl.call(words, index, at, ""), true
	}
	base := path.Base(name)
	if name == "ace" || kind != "program" && kind != "sh" && isToolWrapper(base) && lookup(base) != nil {
		return cl.call(args, index, at, base), true
	}
	return finding{}, false
}

// entryHelp classifies a program of the workspace whose own arguments ask for help.
func entryHelp(kind string, args []line.Word, index int, at location) (finding, bool) {
	own := index + 1 // the first argument that is for the program
	if kind == "rust" || kind == "dotnet" {
		own = index // no file names the program
	}
	for _, arg := range args[min(own, len(args)):] {
		if arg.Text == "--help" || arg.Text == "--version" {
			return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " prints and ends, as most programs with " + arg.Text + " do"}, true
		}
	}
	return finding{}, false
}

// entryUnread classifies a file that cannot be read, by its arguments or its name.
func (cl *classifier) entryUnread(kind, name string, in *invocation, at location) finding {
	if f, ok := cl.byArguments(in, at); ok && kind != "go" && kind != "rust" {
		return f
	}
	if name == "" || name == "." {
		return unknown(quoted(at.text) + ": there is no code to look at")
	}
	if class := fileClass(name); class != Unknown {
		f := byName(class, at.text, "the name of the file "+shorten(path.Base(name)))
		f.reason += ", which cannot be read"
		return f
	}
	return unknown(quoted(at.text) + ": the file " + shorten(name) + " cannot be read")
}

// packageProgram returns the program to which a file of an installed package belongs, "" for other files.
func packageProgram(name string) string {
	at := strings.LastIndex(name, "node_modules/")
	if at < 0 {
		return ""
	}
	below := strings.Split(name[at+len("node_modules/"):], "/")
	base := path.Base(name)
	base = strings.TrimSuffix(base, path.Ext(base))
	if below[0] == ".bin" || lookup(base) != nil && base != "index" && base != "start" && base != "server" && base != "serve" {
		return base
	}
	for cut, ok := base, true; ok; { // npm-cli, webpack-cli
		if cut, ok = strings.CutSuffix(cut, "-cli"); ok && lookup(cut) != nil {
			return cut
		}
	}
	if strings.HasPrefix(below[0], "@") && len(below) > 1 {
		return below[1]
	}
	return below[0]
}

// code finds the text of an entry file, nil if it cannot be read.
func (cl *classifier) code(kind, name string, at location) (file string, text []byte) {
	if at.dir == "" {
		return "", nil
	}
	var names []string
	switch kind {
	case "js":
		if path.Ext(name) == "" || cl.text(filepath.Join(at.dir, name), mostCode) == nil {
			for _, end := range []string{".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts", "/index.mjs"} {
				names = append(names, strings.TrimSuffix(name, "/")+end)
			}
		}
	case "go":
		folder := strings.TrimSuffix(name, "/")
		if strings.HasSuffix(name, ".go") {
			break
		}
		for _, file := range []string{"main.go", "server.go", "app.go", path.Base(folder) + ".go"} {
			names = append(names, path.Join(folder, file))
		}
	case "rust":
		names = []string{"src/main.rs"}
	case "swift":
		names = []string{"Sources/App/entrypoint.swift", "Sources/App/main.swift", "Sources/main.swift"}
	case "dotnet":
		names = []string{"Program.cs"}
	case "dart":
		names = []string{"lib/main.dart", "bin/server.dart"}
	case "py":
		names = []string{path.Join(name, "__main__.py")}
	}
	for _, one := range append([]string{name}, names...) {
		if one == "" {
			continue
		}
		file := one
		if !filepath.IsAbs(file) {
			file = filepath.Join(at.dir, filepath.FromSlash(one))
		}
		if text := cl.text(file, mostCode); text != nil {
			return file, text
		}
	}
	return "", nil
}

// codeOnly leaves out comment lines.
func codeOnly(text []byte) []byte {
	var code []byte
	for l := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(l)
		if bytes.HasPrefix(trimmed, []byte("//")) || bytes.HasPrefix(trimmed, []byte("*")) ||
			bytes.HasPrefix(trimmed, []byte("#")) && !bytes.HasPrefix(trimmed, []byte("#[")) {
			continue
		}
		code = append(code, l...)
	}
	return code
}

// shellScript classifies a script of the workspace by its lines.
func (cl *classifier) shellScript(file string, text []byte, at location) finding {
	if len(bytes.TrimSpace(text)) == 0 {
		return named(unknown(quoted(at.text)+": "+cl.below(file)+" is empty"), filepath.Base(file), at)
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	isShell := languageOf(file) == "sh" || bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte("sh"))
	if !isShell {
		for kind, name := range map[string]string{"js": "node", "py": "python", "rb": "ruby", "php": "php"} {
			if bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte(name)) {
				return cl.entry(kind, []line.Word{{Text: file}}, 0, at)
			}
		}
		if bytes.HasPrefix(first, []byte("#!")) || bytes.IndexByte(text, 0) >= 0 {
			return named(unknown(quoted(at.text)+": "+cl.below(file)+" is no script of a known kind"), filepath.Base(file), at)
		}
	}
	f := cl.followScript(file, string(text), at.dir, at)
	f.bounded = ""
	f.confidence = min(f.confidence, Medium)
	return named(f, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), at)
}
