# Two commands for a new user: `make demo` and `make test`. Running either again does no work twice.
PREFIX ?= /usr/local
SECONDS ?= 60
BUILD := build

.PHONY: demo test quick matrix build install coverage fuzz bench site gallery wheel dist sign testing deb format proof clean

demo: build
	@tools/demo $(BUILD)

build: $(BUILD)/.build
	@ninja -C $(BUILD) --quiet products

# The whole suite; the last line counts what passed, failed and was skipped.
test: $(BUILD)/.tests
	@tools/test $(BUILD)

# The subset that takes two minutes.
quick: $(BUILD)/.tests
	@tools/test $(BUILD) --suite quick

# Other systems, compilers, libraries and processors, long runs: what is new; the table is docs/measured/matrix.md. ROWS='arch/*'.
matrix: $(BUILD)/.tests
	@tests/matrix/matrix.py $(ROWS)

install: $(BUILD)/.build
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD) --quiet products
	@meson install -C $(BUILD) --quiet --no-rebuild

# Line and branch coverage of the unit tests: build/coverage/index.html.
coverage: $(BUILD)/.tests
	@tests/jobs/variant.py coverage
	@mkdir -p $(BUILD)/coverage
	@gcovr --root . --filter src/ --filter checker/ --html-details $(BUILD)/coverage/index.html --print-summary $(BUILD)/variants/coverage

# A long run of every fuzz harness: make fuzz SECONDS=600.
fuzz: $(BUILD)/.tests
	@tests/jobs/fuzz.py --seconds $(SECONDS)
	@PATH=$(CURDIR)/$(BUILD)/environment/bin:$$PATH tests/jobs/fuzz_python.py $(BUILD) --executions $$(($(SECONDS) * 500)) --seed $$(date +%s)

# Measured rates; what is compared with what stands in each benchmark.
bench: build
	@meson test -C $(BUILD) --benchmark --verbose

# The documentation as pages that need no network: build/site/index.html.
site: build $(BUILD)/.tests
	@$(BUILD)/environment/bin/python3 tools/site/make.py $(BUILD) $(BUILD)/site

# The pictures of docs/measured/gallery.md, anew; needs Chromium.
gallery: build
	@tools/gallery.py $(BUILD)

# One wheel for every Python 3 on Linux, all libraries inside, in dist/ (root and debootstrap; ARCH=arm64: cross-compiled).
ARCH ?= amd64
wheel:
	@tools/wheel/make $(ARCH)

# The release of the last commit, in dist/: source archive (also Python's sdist), SPDX list, checksums. The same bytes every time.
dist:
	@tools/dist.py

# Signs the checksums in dist/ with the release manager's key: make sign KEY=FINGERPRINT. Without KEY: checks signature and files.
sign:
	@tools/sign dist $(KEY)

# The figures of docs/measured/testing.md from the last logs of the tests and the matrix.
testing:
	@tools/testing.py $(BUILD)

# Debian packages of this tree, in build/: libfathom2, libfathom-dev, fathom, python3-fathom.
deb:
	@tools/deb $(BUILD)

# The proofs of docs/explanation/proof.md, and the checker extracted from them: installs Coq, compiles, prints what is assumed, checks all once more, extracts.
proof:
	@tools/setup proof
	@$(MAKE) --no-print-directory -C proof -j1 all assumptions recheck extract

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf $(BUILD)

# Configured once; ninja itself notices when a meson.build changes.
$(BUILD)/.build: tools/packages.txt
	@tools/setup build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX)
	@touch $@

# The tests need more packages than the programs, and a Python environment of their own.
$(BUILD)/.tests: tools/packages.txt tools/requirements.txt
	@tools/setup test
	@tools/environment $(BUILD)
	@$(MAKE) --no-print-directory $(BUILD)/.build
	@meson configure $(BUILD) -Dtests=all
	@touch $@
