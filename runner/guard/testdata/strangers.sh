#!/bin/bash
# Fills the folder $1 with the workspace ws that the lines of strangers.txt are about, and with what is beside it. It runs none of them.
set -eu
base=$1
umask 022
mkdir -p "$base"/{ws,home,outside,ws-old,victim}
mkdir -p "$base"/outside/a/{b,data} "$base"/home/{projects,.cache,.config}
cd "$base/ws"
mkdir -m 700 .devtools
mkdir -p src/inner docs vendor/lib tests web/{node_modules/x,dist} build/{alpha,beta,out,tmp} dist target/{debug,release}/incremental \
  tmp/cache coverage node_modules/left-pad scripts/hooks tools assets migrations cmd/app "src/old module" .venv/bin src/__pycache__ bin
# links made beforehand
ln -s .. up
ln -s /srv ext
ln -s ../outside/a/b deep                     # deep/../data is outside/a/data
ln -s /bin/rm tidy
if [ -b /dev/vda ]; then ln -s /dev/vda disk; else ln -s /dev/sda disk; fi
# scripts that do a ruled thing
printf '#!/bin/sh\nset -e\nrm -rf /srv/data\n' > scripts/clean.sh
printf '#!/bin/bash\necho start\nbash "scripts/clean.sh"\n' > scripts/outer.sh
printf '#!/bin/sh\nsudo id\n' > scripts/hooks/pre-commit
printf '#!/bin/sh\nsudo id\n' > tools/ls
printf 'import shutil, subprocess\nsubprocess.run(["rm", "-rf", "/srv/data"], check=True)\n' > scripts/wipe.py
# scripts that do not
cat > scripts/build.sh <<'S'
#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-}
mkdir -p dist
if [ "$mode" = --release ]; then
  go build -trimpath -o dist/app ./cmd/app
else
  go build -o dist/app ./cmd/app
fi
echo "built dist/app"
S
cat > scripts/smoke.sh <<'S'
#!/bin/sh
set -e
curl -sf http://localhost:8080/health > /dev/null
echo ok
S
chmod +x scripts/*.sh scripts/hooks/pre-commit tools/ls
cat > .venv/bin/activate <<'S'
# This file must be used with "source bin/activate" *from bash*
deactivate () {
    if [ -n "${_OLD_VIRTUAL_PATH:-}" ] ; then
        PATH="${_OLD_VIRTUAL_PATH:-}"
        export PATH
        unset _OLD_VIRTUAL_PATH
    fi
    hash -r 2> /dev/null
    unset VIRTUAL_ENV
    if [ ! "${1:-}" = "nondestructive" ] ; then
        unset -f deactivate
    fi
}
deactivate nondestructive
VIRTUAL_ENV="/w/.venv"
export VIRTUAL_ENV
_OLD_VIRTUAL_PATH="$PATH"
PATH="$VIRTUAL_ENV/bin:$PATH"
export PATH
hash -r 2> /dev/null
S
printf '.PHONY: all build test wipe\nall: build\nbuild:\n\tgo build ./...\ntest:\n\tgo test ./...\nwipe:\n\trm -rf /srv/data\n' > Makefile
printf 'html:\n\tmkdir -p _build\n\tcp index.md _build/\n' > docs/Makefile
cat > package.json <<'S'
{
  "name": "ws", "version": "1.2.3", "private": true,
  "scripts": {"build": "tsc -p .", "test": "jest", "wipe": "rm -rf /srv/data"},
  "dependencies": {"left-pad": "1.3.0"}
}
S
echo '{}' > package-lock.json
echo '# ws' > README.md; echo '# docs' > docs/index.md; echo 'package main' > src/main.go; cp src/main.go cmd/app/main.go
echo 'requests==2.32.0' > requirements.txt; printf 'a,b,c\n1,2,3\n' > data.csv; echo 'key: foo' > config.yaml
echo 'x 1.5' > times.txt; echo a > a.txt; echo b > b.txt; echo one.log > one.log; echo 'select 1;' > migrations/001.sql
echo '--force' > push-options.txt; echo img > disk.img; echo 'console.log(1)' > server.js; : > build/a.o; echo 'print(1)' > tests/test_api.py
echo x > assets/logo.svg; : > .envrc
if command -v git >/dev/null; then
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
  git init -q -b main . 2>/dev/null || git init -q .
  git config user.name t; git config user.email t@example.invalid
  git config remote.origin.url https://git.example/x.git
  git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
  git config alias.fp 'push --force'
  printf 'node_modules\n.venv\n.devtools\ndist\nbuild\n' > .gitignore
  git add -A && git commit -q -m first
fi
