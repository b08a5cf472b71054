package stack

import "testing"

func TestLockedIn(t *testing.T) {
	for _, test := range []struct{ file, text, name, want string }{
		{"package-lock.json", "{\n \"packages\": {\n  \"node_modules/next\": {\n   \"version\": \"15.0.1\",\n", "next", "15.0.1"},
		{"package-lock.json", "{\n \"packages\": {\n  \"node_modules/next-auth\": {\n   \"version\": \"5.0.0\",\n", "next", ""},
		{"yarn.lock", "\nnext@^15.0.0:\n  version \"15.0.2\"\n", "next", "15.0.2"},
		{"yarn.lock", "\n\"@nestjs/core@npm:^10.0.0, @nestjs/core@npm:^10.1.0\":\n  version: 10.4.1\n", "@nestjs/core", "10.4.1"},
		{"pnpm-lock.yaml", "importers:\n\n  .:\n    dependencies:\n      next:\n        specifier: ^15\n        version: 15.0.3(react@19.0.0)\n", "next", "15.0.3"},
		{"pnpm-lock.yaml", "    dependencies:\n      '@sveltejs/kit':\n        specifier: ^2\n        version: 2.1.0\n", "@sveltejs/kit", "2.1.0"},
		{"bun.lock", "  \"hono\": [\"hono@4.6.1\", \"\", {}, \"sha\"],\n", "hono", "4.6.1"},
		{"uv.lock", "\n[[package]]\nname = \"django\"\nversion = \"5.1.2\"\n", "django", "5.1.2"},
		{"Cargo.lock", "\n[[package]]\nname = \"axum\"\nversion = \"0.7.9\"\n", "axum", "0.7.9"},
		{"Pipfile.lock", "  \"flask\": {\n   \"hashes\": [],\n   \"version\": \"==3.0.3\"\n", "flask", "3.0.3"},
		{"Gemfile.lock", "GEM\n  specs:\n    rails (7.1.3)\n      actioncable (= 7.1.3)\n", "rails", "7.1.3"},
		{"composer.lock", "  \"name\": \"laravel/framework\",\n   \"version\": \"v11.2.0\",\n", "laravel/framework", "11.2.0"},
		{"mix.lock", "  \"phoenix\": {:hex, :phoenix, \"1.7.14\", \"sha\"", "phoenix", "1.7.14"},
		{"mix.lock", "", "phoenix", ""},
		{"unknown.lock", "phoenix 1", "phoenix", ""},
	} {
		if got := lockedIn(test.file, []byte(test.text), test.name); got != test.want {
			t.Errorf("%s: %s is %q, not %q", test.file, test.name, got, test.want)
		}
	}
}
