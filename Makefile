PREFIX   ?= /usr/local
FUZZTIME ?= 30s
BENCH    ?= .
RESULTS  ?= bench.txt

share = $(DESTDIR)$(PREFIX)/share

.DEFAULT_GOAL := help
.PHONY: help test check cover fuzz stress corpus bench peers docs build install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: check ## the same as check

check: ## everything that CI checks: modules, format, vet, lint, tests with the race detector
	go mod tidy -diff
	@files=$$(go tool gofumpt -l .) && test -z "$$files" || { echo "go tool gofumpt -w . formats: $$files"; exit 1; }
	go vet ./...
	GOOS=darwin go vet ./...
	GOOS=freebsd go vet ./...
	GOOS=windows go vet ./...
	go tool staticcheck ./...
	GORACE=atexit_sleep_ms=0 go test -race -timeout 30m ./...

cover: ## tests, with the share of each package's code that they run
	go test -cover ./...

fuzz: ## each fuzz target for FUZZTIME (30s)
	@go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | while read -r package; do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

stress: ## the tests TestStress*, each at its full length, which go test shortens or leaves out
	DEVTOOLS_STRESS=1 go test -run ^TestStress -timeout 60m -v ./...

corpus: ## all programs of the corpus that wait for input, or seem to, with a table; as root, takes minutes
	DEVTOOLS_CORPUS=all go test -C commands/programtest -run '^TestCorpus$$' -count 1 -timeout 60m

bench: ## the benchmarks BENCH (all), ten times, into RESULTS (bench.txt), and their table
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count 10 ./... > $(RESULTS)
	go tool benchstat $(RESULTS)

peers: ## watch beside watchexec, entr, nodemon, air and wgo, those that are installed: restarts, times, idle load; half an hour
	DEVTOOLS_STRESS=1 go test -run '^TestStressRestartLab$$' -count 1 -timeout 60m -v ./commands/bench
	DEVTOOLS_STRESS=1 go test -run '^$$' -bench '^BenchmarkWatchPeers$$' -benchtime 30x -timeout 0 ./commands/bench

docs: ## rewrite the golden parts of the scripts, and the text of the manual in the program
	go test ./commands -update

# The tag leaves text/template out, which no help of ours uses: with it the linker must keep every
# exported method, a tenth of the binary.
build: ## a static binary
	CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_template -ldflags='-s -w' -o devtools .

install: build ## binary, manual and completions, into PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(share)/man/man1 $(share)/man/man5 $(share)/man/man7 \
		$(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	install -m 755 devtools $(DESTDIR)$(PREFIX)/bin/devtools
	install -m 644 man/*.1 $(share)/man/man1
	install -m 644 man/*.5 $(share)/man/man5
	install -m 644 man/*.7 $(share)/man/man7
	install -m 644 completions/devtools.bash $(share)/bash-completion/completions/devtools
	install -m 644 completions/devtools.zsh $(share)/zsh/site-functions/_devtools
	install -m 644 completions/devtools.fish $(share)/fish/vendor_completions.d/devtools.fish
	install -d $(share)/doc/devtools
	install -m 644 LICENSE screen/LICENSE-Unicode.txt screen/render/glyph/data/LICENSE-* $(share)/doc/devtools

clean: ## what build and bench have made
	rm -f devtools $(RESULTS)
