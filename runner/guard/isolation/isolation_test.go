package isolation

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWithoutSecrets(t *testing.T) {
	secret := []string{
		"OPENAI_API_KEY=1", "GITHUB_TOKEN=1", "AWS_SECRET_ACCESS_KEY=1", "AWS_ACCESS_KEY_ID=1", "PGPASSWORD=1", "MY_DB_PASSWORD_FILE=1", "npm_config_auth_token=1",
		"SECRET_KEY_BASE=1", "DATABASE_URL=postgres://u:p@h/d", "DATABASE_URL=jdbc:postgresql://db/x?user=u&password=p", "APP_DSN=root:p@tcp(127.0.0.1:3306)/db", "TOKEN=1", "API_KEY=1", "APIKEY=1", "SECRET=1", "PASSWORD=1", "MYSQL_PWD=p", "DB_PASS=1",
		"GITHUB_PAT=1", "RAILS_MASTER_KEY=1", "STRIPE_KEY=1", "ENCRYPTION_KEY=1", "REDIS_URL=redis://:pw@h", "MONGODB_URI=mongodb://u:p%2Fw@h/d", "DOCKER_AUTH_CONFIG=1",
		"npm_config__authToken=1", "npm_config_//registry.npmjs.org/:_authToken=1", "ACCESS_KEY=1", "ADMIN_PW=1", "BASIC_AUTH=1", "SLACK_WEBHOOK_URL=https://h/x", "DISCORD_WEBHOOK=1",
		"HTTPS_PROXY=http://u:p@h:3128", "all_proxy=u:p@h:1080", "GOPROXY=https://proxy.golang.org,https://u:p@h", "AMQP=amqp://u:p@h", "BROKER=amqps://u:p@h/v", "ELASTIC_HOST=https://u:p@h", "PIP_EXTRA_INDEX_URL=https://h/x https://u:p@h/y",
	}
	agent := []string{"CLAUDECODE=1", "CODEX_HOME=/x"}
	plain := []string{
		"PATH=/bin", "HOME=/h", "TOKENIZERS_PARALLELISM=false", "SSH_AUTH_SOCK=/s", "KEYBOARD=us", "AUTHOR=me", "GIT_AUTHOR_NAME=me", "MONKEY=1", "XDG_RUNTIME_DIR=/r",
		"PASS=1", "AWS_REGION=eu", "NODE_ENV=test", "DATABASE_URL=postgres://localhost/dev", "OTHER_DATABASE_URL=sqlite:x", "API_URL=https://u@h/a:b@c", "PASSWORD_STORE_DIR=/p", "MAX_TOKEN_COUNT=5",
		"AWS_WEB_IDENTITY_TOKEN_FILE=/var/token", "DISABLE_AUTH=1", "PWD=/w", "OLDPWD=/w", "START_PWD=/w", "HTTP_PROXY=http://h:3128", "HTTPS_PROXY=http://u@h:3128", "NO_PROXY=localhost,.local", "GOPROXY=https://proxy.golang.org,direct",
		"AUTHORITY=1", "XAUTHORITY=/h/.Xauthority", "REGISTRY_AUTH_FILE=/h/auth.json", "WEBHOOK_PORT=8080", "WEBHOOK_ENABLED=true", "WEBHOOK_HOST=localhost", "SMTP_AUTH=plain", "ENABLE_AUTH=true",
		"GIT_SSH_COMMAND=ssh -p 22", "PS1=\\u@\\h:\\w$ ", "LS_COLORS=di=01;34:*.tar=01;31", "LANG=C.UTF-8", "TERM=xterm", "EDITOR=vi", "PWDEBUG=1", "AWS_PROFILE=dev",
		"NPM_CONFIG_REGISTRY=https://registry.npmjs.org/", "CARGO_HOME=/h/.cargo", "VIRTUAL_ENV=/v", "DOCKER_HOST=ssh://me@h:22", "MAILTO=me@h:x", "API_TOKEN_TIMEOUT=5", "KUBECONFIG=/h/.kube/config",
	}
	rest, left := WithoutSecrets(slices.Concat(secret, plain, agent, []string{"KEPT_TOKEN=1"}), []string{"KEPT_TOKEN"})
	if want := append(slices.Clone(plain), "KEPT_TOKEN=1"); !slices.Equal(rest, want) {
		t.Errorf("got %q, want %q", rest, want)
	}
	if len(left) != len(secret) || !slices.IsSorted(left) {
		t.Errorf("left out: %q", left)
	}
	for _, row := range rows(secretTable) {
		if _, err := path.Match(row[0], "X"); err != nil || row[0] != strings.ToUpper(row[0]) || len(row) > 2 || len(row) == 2 && !slices.Contains([]string{"keep", "path", "login", "url", "agent"}, row[1]) {
			t.Errorf("pattern %q: %v", row, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "go", "pkg", "mod", "cache", "download"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := Surroundings{Temp: "/t", Caches: "/c"}
	env := []string{"HOME=" + home, "GOCACHE=/mine", "GOENV=off", "A=b", "TMPDIR=/tmp", "npm_config_cache=/npm"}
	download := "GOPROXY=file://" + filepath.Join(home, "go", "pkg", "mod", "cache", "download") + ",https://proxy.golang.org,direct"
	for net, want := range map[string][]string{
		NetNone: {"TMPDIR=/t", "GOCACHE=/c/go-build", "npm_config_cache=/c/npm", "CARGO_HOME=/c/cargo", "GOPATH=/c/go", "npm_config_offline=true", "A=b", download},
		NetAll:  {"TMPDIR=/t", "GOCACHE=/c/go-build", "npm_config_cache=/c/npm", "CARGO_HOME=/c/cargo", "A=b", download},
	} {
		got := (&Rules{Level: High, Net: net}).Environment(env, p)
		for _, pair := range want {
			if !slices.Contains(got, pair) {
				t.Errorf("--net %s: %q has no %s", net, got, pair)
			}
		}
		if slices.Contains(got, "GOCACHE=/mine") || slices.Contains(got, "TMPDIR=/tmp") {
			t.Errorf("--net %s: %q has a variable twice", net, got)
		}
	}
	if got := (&Rules{Level: High, Net: NetAll, KeptVariables: []string{"GOCACHE"}}).Environment(env, p); !slices.Contains(got, "GOCACHE=/mine") {
		t.Errorf("a variable of --env was replaced: %q", got)
	}
	for _, row := range rows(cacheTable) {
		if len(row) < 3 || len(row) == 4 || !slices.Contains([]string{"always", "online", "offline"}, row[1]) {
			t.Errorf("row %q", row)
		}
	}
}

func TestAgent(t *testing.T) {
	for _, row := range rows(agentTable) {
		if got := Agent([]string{"A=b", row[0] + "=1"}); len(row) != 1 || got != row[0] {
			t.Errorf("%q: %q", row, got)
		}
		if got := Agent([]string{row[0] + "=", row[0] + "_X=1"}); got != "" {
			t.Errorf("%q: %q", row, got)
		}
	}
}

// What the user has is linked into the caches, or is a layer without a network; a link there leads no holder out of them.
func TestOwn(t *testing.T) {
	home, caches, other := t.TempDir(), t.TempDir(), t.TempDir()
	config := filepath.Join(home, ".cargo", "config.toml")
	if err := errors.Join(os.MkdirAll(filepath.Join(home, ".cargo", "git"), 0o700), os.WriteFile(config, nil, 0o600),
		os.Mkdir(filepath.Join(caches, "cargo"), 0o700), os.Symlink(other, filepath.Join(caches, "cargo", "config.toml"))); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home}
	for net, want := range map[string][]Layer{NetAll: nil, NetNone: {{filepath.Join(home, ".cargo", "git"), filepath.Join(caches, "cargo", "git")}}} {
		layers, err := (&Rules{Level: High, Net: net}).Own(env, caches)
		if err != nil || !slices.Equal(layers, want) {
			t.Errorf("--net %s: %q, %v, want %q", net, layers, err, want)
		}
		if at, _ := os.Readlink(filepath.Join(caches, "cargo", "config.toml")); at != config {
			t.Errorf("--net %s: config.toml leads to %q", net, at)
		}
	}
	own := filepath.Join(caches, "cargo", "config.toml") // as a program leaves it there
	if err := errors.Join(os.Remove(own), os.WriteFile(own, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Rules{Level: High}).Own(env, caches); err != nil {
		t.Error(err)
	}
	if at, _ := os.Readlink(own); at != config {
		t.Errorf("a program's own config.toml is left: %q", at)
	}
	if layers, err := (&Rules{Level: High, Net: NetNone}).Own(append(env, "CARGO_HOME="+filepath.Join(caches, "cargo")), caches); err != nil || layers != nil {
		t.Errorf("the caches as the user's own: %q, %v", layers, err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(caches, "cargo")), os.Symlink(other, filepath.Join(caches, "cargo"))); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Rules{Level: High, Net: NetNone}).Own(env, caches); err == nil {
		t.Error("it has followed a link out of the caches")
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) > 0 {
		t.Errorf("outside of the caches: %q, %v", entries, err)
	}
}

func TestWithin(t *testing.T) {
	dir := Resolve(t.TempDir())
	for _, folder := range []string{"w/a", "o", "www"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../o", filepath.Join(dir, "w", "link")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{
		"w": true, "w/a": true, "w/a/..": true, "w/new/er": true, "w/..": false, "o": false, "www": false, "w/link": false, "w/link/x": false, "w/a/../../o": false,
	} {
		if got := Within(filepath.Join(dir, name), filepath.Join(dir, "w")); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	got := outermost([]string{filepath.Join(dir, "w", "a"), filepath.Join(dir, "w"), filepath.Join(dir, "www"), "", filepath.Join(dir, "w", "link")})
	if want := []string{filepath.Join(dir, "o"), filepath.Join(dir, "w"), filepath.Join(dir, "www")}; !slices.Equal(got, want) {
		t.Errorf("outermost: %q, want %q", got, want)
	}
}

// Only a folder with the name of the session's own is removed, and what a link in it leads to stays.
func TestRemoveTemp(t *testing.T) {
	dir := t.TempDir()
	path, err := MakeTemp([]string{"TMPDIR=" + dir}, "abc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MakeTemp([]string{"TMPDIR=" + dir}, "abc"); err == nil {
		t.Error("it was made twice")
	}
	outside := filepath.Join(dir, "outside")
	for _, folder := range []string{outside, filepath.Join(outside, "sub"), filepath.Join(path, "locked"), filepath.Join(path, "locked", "deep")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink(outside, filepath.Join(path, "link"))
	_ = os.Chmod(filepath.Join(path, "locked"), 0o500)
	_ = os.Chmod(path, 0)
	for wrong, id := range map[string]string{outside: "abc", path: "abd"} {
		if RemoveTemp(wrong, id) == nil {
			t.Errorf("%s was removed for %q", wrong, id)
		}
	}
	if err := RemoveTemp(path, "abc"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it is still there")
	}
	if _, err := os.Stat(filepath.Join(outside, "sub")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(RemoveTemp(path, "abc"), RemoveTemp("", "abc")); err != nil {
		t.Errorf("nothing to remove: %v", err)
	}
}
