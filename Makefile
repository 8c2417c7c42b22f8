# SPDX-License-Identifier: GPL-2.0-or-later
# make: the program and the library.  make check: every test.  See README.md for ./demo and ./check.
# Build variants live side by side: make BUILD=build/asan CC=clang CFLAGS="-O1 -g -fsanitize=address,undefined"

BUILD ?= build
CC ?= gcc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)

PURE := base ini coalesce chip stats workload driver host run sim report
OUTSIDE := cmd

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith \
	-Wformat=2 -Wvla $(if $(WERROR),-Werror)
HOLDOFF_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARNINGS) -Isrc -Itest -DHOLDOFF_VERSION='"$(VERSION)"' -MMD -MP
LIBS := -ljansson -linih

lib_sources := $(filter-out %_test.c %_fuzz.c,$(foreach part,$(PURE),$(wildcard src/$(part)/*.c)))
cmd_sources := $(filter-out %_test.c %_fuzz.c,$(foreach part,$(OUTSIDE),$(wildcard src/$(part)/*.c)))
test_sources := $(wildcard src/*/*_test.c) $(wildcard test/law/*.c) $(wildcard test/unit/*.c)
fuzz_sources := $(wildcard test/fuzz/*_fuzz.c)
embedded := $(sort $(wildcard profiles/*/*.ini))

lib_objects := $(lib_sources:%.c=$(BUILD)/%.o) $(BUILD)/gen/embedded.o
cmd_objects := $(cmd_sources:%.c=$(BUILD)/%.o)
tests := $(test_sources:%.c=$(BUILD)/%)
fuzzers := $(fuzz_sources:%.c=$(BUILD)/%)

.PHONY: all check tests fuzzers clean install
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/holdoff $(BUILD)/libholdoff.a

$(BUILD)/holdoff: $(cmd_objects) $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libholdoff.a: $(lib_objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/gen/embedded.c: tools/embed $(embedded)
	@mkdir -p $(@D)
	tools/embed profiles > $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOLDOFF_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(CC) $(HOLDOFF_CFLAGS) $(CFLAGS) -c -o $@ $<

tests: $(tests)

fuzzers: $(fuzzers)

# A test may include the .c file that it tests: the archive member is then not pulled in.
$(tests) $(fuzzers): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/test/tap.o $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

check: all tests fuzzers
	tools/run-tests $(BUILD)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
