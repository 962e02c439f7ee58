# Two commands for a new user: `make demo` and `make test`.
PREFIX ?= /usr/local
BUILD := build

.PHONY: build demo test quick install clean setup

setup:
	@tools/setup

build: setup
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD) --quiet

demo: build
	@$(BUILD)/fathom --version

test: build
	@meson test -C $(BUILD) --print-errorlogs

quick: build
	@meson test -C $(BUILD) --print-errorlogs --suite quick

install: build
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD)
