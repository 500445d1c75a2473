# A short way to the usual CMake commands; `make help` lists them. Everything is built in build/.
JOBS := $(shell nproc 2>/dev/null || echo 2)
INSTALL := scripts/install-packages
CMAKE := cmake -S . -B
FILES = $(shell find $(wildcard include src bindings problems examples tests bench paper completions amalgamation) -name '*.[ch]')

MAKEFLAGS += --no-print-directory

FUZZ_SECONDS := 600
WERROR ?= OFF
PREFIX ?= /usr/local

.PHONY: help build install uninstall demo test test-windows test-peers amalgamation deb test-deb python python-debug threads linkages piecewise contacts studies fuzz memory sanitize strict strict-clang format format-check \
  completions bench evaluations \
  tolerances mechanisms paper clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the library, the program and, if cmocka is there, the tests
	@$(INSTALL) build
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release -DDFL_WERROR=$(WERROR)
	@cmake --build build -j $(JOBS)

install: ## libraries, headers, program and bindings in PREFIX=/usr/local (DESTDIR is added in front)
	@$(MAKE) --no-print-directory build
	@cmake --install build --prefix $(PREFIX) >/dev/null

uninstall: ## removes what `make install` has installed
	@scripts/uninstall build

demo: ## build, then simulate a slider-crank from a short script
	@$(INSTALL) build
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target driftless_program
	@scripts/demo

test: ## build and run every test
	@$(INSTALL) build test
	@$(MAKE) --no-print-directory build
	@cd build && ctest --output-on-failure -j 2

test-windows: ## exported FMUs with a library for Windows, run by wine (installs mingw-w64 and wine, 0.8 GB; no part of `make test`)
	@$(INSTALL) build windows
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target driftless_program
	@/usr/bin/python3 tests/fmu/test_windows.py build/driftless .

test-peers: ## trees of bodies beside Simbody and DART (installs them; no part of `make test`)
	@$(INSTALL) build test peers
	@$(CMAKE) build/peers -DCMAKE_BUILD_TYPE=Release -DDFL_TEST_PEERS=ON -DDFL_BUILD_BENCH=OFF \
	  -DDFL_BUILD_FORTRAN=OFF -DDFL_BUILD_OCTAVE=OFF -DDFL_BUILD_VIEWER=OFF
	@cmake --build build/peers -j $(JOBS) --target peer_tests
	@cd build/peers && ctest --verbose --output-on-failure -L peers

linkages: ## 24 overconstrained linkages in 20 orientations, everywhere along their cycles (a minute)
	@$(INSTALL) build test
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target test_linkages
	@OPENBLAS_NUM_THREADS=1 build/test_linkages all

piecewise: ## 500 random models with switches against their exact motions (a few seconds)
	@$(INSTALL) build test
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target test_piecewise
	@OPENBLAS_NUM_THREADS=1 build/test_piecewise all

contacts: ## 300 random models with contacts, impacts and friction: none gains energy (a few minutes)
	@$(INSTALL) build test
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target driftless_program
	@OPENBLAS_NUM_THREADS=1 scripts/contact-models check build/driftless 100

mechanisms: ## 300 random mechanisms, run in random ways (some minutes)
	@$(INSTALL) build test
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target driftless_program
	@OPENBLAS_NUM_THREADS=1 /usr/bin/python3 tests/cli/random_mechanisms.py build/driftless 1 300

studies: ## studies killed at 20 random moments, and memory over a million cases (some minutes)
	@$(INSTALL) build test
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target driftless_program
	@/usr/bin/python3 tests/sweep/kill_studies.py build/driftless . 20
	@/usr/bin/python3 tests/sweep/million_cases.py build/driftless

sanitize: ## the C tests under the address and undefined-behaviour sanitizers
	@$(INSTALL) build test
	@$(CMAKE) build/sanitize -DCMAKE_BUILD_TYPE=Debug -DDFL_SANITIZE=ON -DDFL_BUILD_BENCH=OFF
	@cmake --build build/sanitize -j $(JOBS)
	@cd build/sanitize && ASAN_OPTIONS=halt_on_error=1:detect_leaks=1 \
	  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 OPENBLAS_NUM_THREADS=1 \
	  ctest --output-on-failure -j 2 -LE install

fuzz: ## search for inputs that make the program fail, FUZZ_SECONDS=600 for each of eight targets
	@$(INSTALL) build strict
	@$(CMAKE) build/fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None -DDFL_FUZZ=ON \
	  -DDFL_BUILD_TESTS=OFF -DDFL_BUILD_BENCH=OFF -DDFL_BUILD_FORTRAN=OFF -DDFL_BUILD_OCTAVE=OFF \
	  -DDFL_BUILD_VIEWER=OFF
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_targets
	@tests/fuzz/run build/fuzz $(FUZZ_SECONDS)

memory: ## let every allocation of the program fail in turn (about an hour)
	@$(INSTALL) build test
	@$(MAKE) --no-print-directory build
	@tests/memory/run build --all

amalgamation: ## the solver in one file, build/driftless.c and build/driftless.h: cc -O2 driftless.c -lm
	@$(INSTALL) build
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target amalgamation

deb: ## Debian packages of the libraries and of the program, in build/
	@$(INSTALL) build test
	@$(MAKE) --no-print-directory build
	@cd build && cpack -B $(CURDIR)/build >/dev/null && ls *.deb

test-deb: ## the Debian packages, installed, used and removed in a fresh Debian
	@$(INSTALL) build test deb
	@$(MAKE) --no-print-directory build
	@tests/install/debian build

python: ## the package driftless for Python, in build/python, and its wheel, in build/
	@$(INSTALL) build test
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target python_wheel && ls build/*.whl

python-debug: ## methods of the package for Python in any order, under the address sanitizer
	@$(INSTALL) build test
	@$(CMAKE) build/python-debug -DCMAKE_BUILD_TYPE=Debug -DDFL_BUILD_TESTS=OFF -DDFL_BUILD_BENCH=OFF -DDFL_BUILD_FORTRAN=OFF \
	  -DDFL_BUILD_OCTAVE=OFF -DDFL_BUILD_VIEWER=OFF \
	  -DCMAKE_C_FLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined" >/dev/null
	@cmake --build build/python-debug -j $(JOBS) --target driftless_python
	@LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	  PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=build/python-debug/python \
	  /usr/bin/python3 tests/python/test_orders.py none . 20000

threads: ## runs of one model, studies and searches in several threads, under the thread sanitizer (some minutes)
	@$(INSTALL) build test
	@$(CMAKE) build/threads -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g -fsanitize=thread" \
	  -DDFL_BUILD_BENCH=OFF -DDFL_BUILD_FORTRAN=OFF -DDFL_BUILD_OCTAVE=OFF -DDFL_BUILD_VIEWER=OFF >/dev/null
	@cmake --build build/threads -j $(JOBS) --target test_run_threads driftless_program
	@TSAN_OPTIONS=halt_on_error=1 OPENBLAS_NUM_THREADS=1 build/threads/test_run_threads
	@/usr/bin/python3 tests/sweep/thread_races.py build/threads/driftless .

strict: ## everything with gcc and with clang, warnings as errors
	@$(MAKE) build WERROR=ON
	@$(MAKE) strict-clang

strict-clang: # clang warns alike at every level of optimization: the fastest will do
	@$(INSTALL) build test strict
	@$(CMAKE) build/strict-clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None -DDFL_WERROR=ON
	@cmake --build build/strict-clang -j $(JOBS)

format: ## rewrite the sources with clang-format
	@$(INSTALL) format
	@clang-format -i $(FILES)

format-check: ## fail if clang-format would change a file
	@$(INSTALL) format
	@clang-format --dry-run -Werror $(FILES) 2>/dev/null || { for file in $(FILES); do \
	  clang-format --dry-run -Werror $$file 2>/dev/null || echo "not formatted: $$file"; done; \
	  echo "run: make format"; exit 1; }

completions: ## write the completions and the options of the manual page from the tables of options
	@$(INSTALL) build
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target completions

bench: build ## measure Driftless and its peers; tables in build/bench/table.md
	@bench/run

tolerances: build ## steps and evaluations of the automatic order over tolerances; build/bench/tolerances.txt
	@mkdir -p build/bench
	@build/bench_tolerances examples | tee build/bench/tolerances.txt

OLD ?= ../old/build/driftless
evaluations: build ## evaluations of the examples by two builds: make evaluations OLD=.../driftless
	@bench/evaluations.py $(OLD) build/driftless

paper: ## the tables and figures of the papers, computed again: docs/paper (some minutes)
	@$(INSTALL) build
	@$(INSTALL) paper || echo "paper: only the solvers that are installed" >&2
	@$(CMAKE) build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build -j $(JOBS) --target paper driftless_program
	@scripts/paper build

clean: ## remove build/
	@rm -rf build
