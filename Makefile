# The words people and CI use. Each line is a command that could be typed by hand.
# `make run` and `make test` install what is missing by themselves, once.

SHELL := /bin/bash
export CARGO_TARGET_DIR ?= $(CURDIR)/target
export POSTERN_BIN_DIR ?= $(CARGO_TARGET_DIR)/debug

.PHONY: help run test check build release bundle image gen pictures bench fuzz fuzz-corpus clean ui programs test-rust test-three-nodes test-ui test-load test-budgets test-clients test-browser test-logins test-desktop

help:            ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

run: .ci/installed-run ui/dist/index.html ## open the desktop app, or start server and agent where there is no display
	@echo "== building the programs (the first time takes ten to twelve minutes on two cores)"
	cargo build --workspace --bins
	@.ci/start

test: .ci/installed-test programs test-rust test-ui test-clients test-load test-budgets test-browser test-logins test-desktop ## every test there is
	@echo "== all tests passed"

test-rust:       ## unit tests and specifications against the real programs
	@echo "== Rust tests and specifications"
	cargo nextest run --workspace --lib --bins --tests --no-fail-fast
	cargo test --workspace --doc --quiet

test-three-nodes: programs ## by hand, about ten minutes: the specifications of one server, on three nodes that share an etcd
	tests/three-nodes

test-ui: ui/node_modules ## types, lint and unit tests of the web app
	@echo "== web app: types, lint, unit tests"
	npm --prefix ui run check
	npm --prefix ui test

test-clients:    ## clients that others wrote, and schemathesis, against the real programs
	@echo "== clients of others, against the real programs"
	tests/clients/run

test-load:       ## h2load and slowhttptest against the real programs
	@echo "== load and slow visitors, against the real programs"
	tests/load/run

test-budgets:    ## what a request, a visitor and a MiB cost server and agent, against bench/budgets.json
	@echo "== costs of server and agent, against their budgets"
	bench/budgets --check bench/budgets.json

test-browser: ui/dist/index.html tests/browser/node_modules ## the pages in a real browser, against the real agent
	@echo "== pages in Chromium, against the real programs"
	npm --prefix tests/browser run check
	npm --prefix tests/browser test

test-logins: tests/logins/node_modules tests/browser/node_modules ## logins of visitors: real and hostile identity providers, a real browser
	@echo "== logins of visitors, against the real programs"
	tests/logins/venv "$(CARGO_TARGET_DIR)/logins-venv"
	npm --prefix tests/logins run check
	POSTERN_PYSAML2="$(CARGO_TARGET_DIR)/logins-venv/bin/python" npm --prefix tests/logins test

test-desktop: node_modules ## packages and images of the built programs, and what they install, under Xvfb
	@echo "== packages, and the installed app under Xvfb"
	tests/desktop/run

pictures: programs tests/browser/node_modules ## docs/screenshots anew, each page judged by axe and for its width; needs ImageMagick
	npm --prefix tests/browser run pictures
	mogrify -strip +dither -colors 96 -define png:compression-level=9 docs/screenshots/*.png

programs: ui/dist/index.html
	@echo "== building the programs and their tests (the first time takes about 17 minutes on two cores)"
	cargo build --workspace --lib --bins --tests

build: ui/dist/index.html ## release builds of all three programs, pages included
	cargo build --release --workspace --bins

release: ui/dist/index.html node_modules ## the packages that are published: optimized as a whole and by profiles of traffic, in about an hour
	packaging/release

image: ui/dist/index.html ## container images of release builds, in target/release/image
	cargo build --release -p postern-server -p postern-agent --bins
	packaging/image release

bundle: build node_modules ## .deb and .rpm of release builds, in target/release/bundle
	packaging/bundle release

ui: ui/dist/index.html

# Not `npm ci`: a mirror may lack optional packages of other platforms, and then it refuses the lock file.
node_modules: package-lock.json
	@echo "== fetching the bundler"
	npm install --no-save --no-audit --no-fund
	@touch $@

%/node_modules: %/package-lock.json
	@echo "== fetching the packages of $*"
	npm --prefix $* install --no-save --no-audit --no-fund
	@touch $@

ui/dist/index.html: ui/node_modules $(shell find ui -path ui/node_modules -prune -o -path ui/dist -prune -o -type f -print 2>/dev/null)
	@echo "== building the pages"
	npm --prefix ui run build
	@touch ui/dist/index.html

check: ui/node_modules ## format, lints, licences, types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	npm --prefix ui run check
	cargo deny check licenses bans sources || { command -v cargo-deny >/dev/null || echo "cargo-deny is not installed: cargo install cargo-deny --locked"; exit 1; }

gen: ui/node_modules ## what is made from the code and committed: the descriptions of both APIs and of the desktop's commands, then the web app's types
	POSTERN_WRITE_DESCRIPTION=1 cargo test -p postern-control --test api openapi::the_committed_description
	POSTERN_WRITE_DESCRIPTION=1 cargo test -p postern-agent --test agent openapi::the_committed_description
	POSTERN_WRITE_DESCRIPTION=1 cargo test -p postern-desktop --bin postern-desktop description::the_committed_description
	npm --prefix ui run gen

bench:           ## micro-benchmarks of the tunnel
	cargo bench -p postern-tunnel

# cargo-fuzz, libFuzzer and the stable compiler: see fuzz/README.md.
FUZZ = CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/fuzzing RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none $(TARGET)
LONGEST ?= 4096
DURATION ?= 600

fuzz:            ## strangers' bytes for ten minutes: make fuzz TARGET=edge_head (fuzz/README.md)
	mkdir -p fuzz/found/$(TARGET)
	$(FUZZ) fuzz/found/$(TARGET) fuzz/corpus/$(TARGET) -- -max_total_time=$(DURATION) -max_len=$(LONGEST) -rss_limit_mb=2048

fuzz-corpus:     ## what the last run of TARGET found, as few files as reach the same code, for make test
	$(FUZZ) fuzz/corpus/$(TARGET) fuzz/found/$(TARGET) -- -set_cover_merge=1 -max_len=512

.ci/installed-%: .ci/install
	@.ci/install $*
	@touch $@

clean:
	rm -rf target node_modules ui/dist ui/node_modules tests/browser/node_modules tests/logins/node_modules tests/clients/node/node_modules tests/clients/har/node_modules artifacts .ci/installed-*
