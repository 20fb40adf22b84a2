# sinew. `make demo` and `make test` are all that a newcomer needs: they install missing packages
# (packages.txt), build, and run.

BUILD ?= build
PRESET ?= release

.PHONY: all demo studio test test-clang platforms fuzz attack bench pictures film sanitize format lint packages-% clean help

all: packages-build
	@cmake/build $(PRESET) "$(BUILD)" sinew_cli

help:
	@echo 'make           builds the library and the program build/sinew'
	@echo 'make demo      makes the shipped characters move: models, pictures, reports in build/demo'
	@echo 'make studio    opens the studio: prints its address, opens a browser where there is one'
	@echo 'make test      builds with gcc and runs the tests'
	@echo 'make test-clang builds with clang and runs the tests of what computes'
	@echo 'make sanitize  runs the tests under AddressSanitizer, UBSan and ThreadSanitizer'
	@echo 'make platforms builds the library for ARM and WebAssembly and runs what was built'
	@echo 'make fuzz      runs every fuzz target for 60 s (SECONDS=n)'
	@echo 'make attack    attacks program and studio: damaged files, messages, 200 kills (SECONDS=n, 300)'
	@echo 'make bench     runs the benchmarks (installs Blender to compare with)'
	@echo 'make pictures  takes the pictures of docs/studio.md anew, in a real browser (NAMES="draw pose")'
	@echo 'make film      makes the film of the README anew, with linear blending beside implicit muscles'
	@echo 'make format    rewrites the sources with clang-format'
	@echo 'make lint      checks the layout and looks for mistakes with clang-tidy (minutes)'
	@echo 'make clean     removes what was built'

demo: all
	@"$(BUILD)/sinew" demo -o "$(BUILD)/demo"

studio: packages-build-studio
	@cmake/build $(PRESET) "$(BUILD)" sinew_cli
	@cmake/studio "$(BUILD)"
	@"$(BUILD)/sinew" studio $(DOC)

test: packages-build-test
	@cmake/test

test-clang: packages-build-test
	@cmake/test 'clang:^(solver|skin|muscle|eval|render|scenes)/'

sanitize: packages-build-test
	@cmake/sanitize

platforms: packages-build-platforms
	@cmake/platforms

fuzz: packages-build-test
	@cmake/fuzz $(or $(SECONDS),60)

attack: packages-build-test
	@cmake/attack $(or $(SECONDS),300)

bench: packages-build-measure
	@cmake/build $(PRESET) "$(BUILD)" sinew_cli
	@"$(BUILD)/sinew" bench
	@tests/studio/run "$(BUILD)" bench/studio.mjs

pictures: packages-build-test-pictures
	@cmake/build $(PRESET) "$(BUILD)" sinew_cli
	@tests/studio/run "$(BUILD)" tests/studio/pictures.mjs $(NAMES)

film: all
	@cmake/film "$(BUILD)"

format: packages-lint
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

lint: packages-build-lint
	@cmake/lint $(PRESET) "$(BUILD)"

packages-%:
	@cmake/packages $(subst -, ,$*)

clean:
	rm -rf build build-*
