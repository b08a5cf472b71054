#!/bin/sh
# Answers npm init.
. "$(dirname "$0")/workspace"
trap 'finish npm' EXIT

mkdir package
export npm_config_update_notifier=false
devtools launch --name npm --cwd package -- npm init
devtools send-keys npm 'my-package' Enter --wait 'text:^version: '
devtools send-keys npm '2.1.0' Enter 'What it does' Enter 'main.js' Enter 'make test' Enter
devtools send-keys npm '' Enter 'first, second' Enter 'Ada' Enter 'MIT' Enter
devtools wait npm --until 'text:Is this OK|^type:'
if devtools screen npm | grep -q '^type:'; then # which npm asks since version 11
	devtools send-keys npm Enter --wait 'text:Is this OK'
fi
devtools send-keys npm Enter --wait exit
jq -e '.name == "my-package" and .version == "2.1.0" and .main == "main.js" and .scripts.test == "make test" and .author == "Ada" and .keywords == ["first", "second"]' package/package.json
