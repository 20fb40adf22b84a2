# sinew. `make demo` and `make test` are all that a newcomer needs: they install missing packages
# (packages.txt), build, and run.

BUILD ?= build
PRESET ?= release

.PHONY: all demo test fuzz bench sanitize format lint packages-% clean help

all: packages-build
	@cmake/build $(PRESET) $(BUILD)

help:
	@echo 'make        build the library and the program build/sinew'
	@echo 'make demo   make the shipped characters move: models, pictures, reports in build/demo'
	@echo 'make test   build with gcc and clang and run all tests'
	@echo 'make sanitize  the tests under AddressSanitizer, UBSan and ThreadSanitizer'
	@echo 'make fuzz   every fuzz target for 60 s (SECONDS=n)'
	@echo 'make bench  the benchmarks'
	@echo 'make format rewrites the sources with clang-format'
	@echo 'make lint   checks format and looks for mistakes with clang-tidy (minutes)'

demo: packages-build packages-demo
	@cmake/build $(PRESET) $(BUILD)
	@$(BUILD)/sinew demo -o $(BUILD)/demo

test: packages-build packages-test
	@cmake/test

sanitize: packages-build packages-test
	@cmake/sanitize

fuzz: packages-build packages-test
	@cmake/fuzz $(or $(SECONDS),60)

bench: packages-build packages-measure
	@cmake/build $(PRESET) $(BUILD)
	@$(BUILD)/sinew bench

format: packages-lint
	@git ls-files '*.c' '*.h' | xargs clang-format -i

lint: packages-build packages-lint
	@cmake/lint $(PRESET) $(BUILD)

packages-%:
	@cmake/packages $*

clean:
	rm -rf build build-*
