# SPDX-License-Identifier: GPL-2.0-or-later
# make: the program and the library.  make check: every test of one build.  make fuzz: fuzzers with libFuzzer.
# ./check tests everything with every compiler; ./demo shows what the program does.
# Build variants live side by side: make BUILD=build/asan CC=clang CFLAGS="-O1 -g -fsanitize=address,undefined"

BUILD ?= build
# make has a CC of its own, so ?= would not do.
ifeq ($(origin CC),default)
CC = gcc
endif
CFLAGS ?= -O2 -g
# Counting and tracing in the kernel: programs for it are compiled by clang, whatever CC is. BPF=no leaves them out.
BPF_CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
BPF ?= $(if $(and $(shell command -v $(BPF_CLANG)),$(shell command -v $(BPFTOOL)),$(wildcard /usr/include/bpf/libbpf.h)),yes,no)
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)

# The parts are those of the map: the pure ones, and those that touch the machine, with the command line above them.
PURE := $(shell sed -n '/^. outside/q; s/^\([a-z]*\) *:.*/\1/p' src/LAYERS)
OUTSIDE := $(filter-out cmd,$(shell sed -n '1,/^. outside/d; s/^\([a-z]*\) *:.*/\1/p' src/LAYERS))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith \
	-Wformat=2 -Wvla $(if $(WERROR),-Werror)
HOLDOFF_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARNINGS) -Iinclude -Isrc -Itest -isystem $(BUILD)/gen -DHOLDOFF_VERSION='"$(VERSION)"' -MMD -MP
LIBS := -ljansson -linih
OUTSIDE_LIBS := -lmnl -lsqlite3 -l:libgsl.a -l:libgslcblas.a -lm $(if $(filter yes,$(BPF)),-lbpf)

lib_sources := $(filter-out %_test.c %_fuzz.c,$(foreach part,$(PURE),$(wildcard src/$(part)/*.c)))
bpf_sources := $(wildcard src/trace/*.bpf.c)
# What stands in without BPF is no_NAME.c beside NAME.c.
bpf_only := $(bpf_sources:%.bpf.c=%.c) src/trace/loading.c
without_bpf := $(wildcard src/trace/no_*.c)
outside_sources := $(filter-out %_test.c %_fuzz.c %.bpf.c $(if $(filter yes,$(BPF)),$(without_bpf),$(bpf_only)),\
	$(foreach part,$(OUTSIDE),$(wildcard src/$(part)/*.c)))
cmd_sources := $(filter-out %_test.c %_fuzz.c,$(wildcard src/cmd/*.c))
test_sources := $(wildcard src/*/*_test.c) $(wildcard test/law/*.c) $(wildcard test/unit/*.c) $(wildcard test/netns/*.c) $(wildcard test/change/*.c)
fuzz_sources := $(wildcard test/fuzz/*_fuzz.c)
peer_sources := $(filter-out test/peer/peer.c,$(wildcard test/peer/*.c))
guest_sources := $(wildcard test/guest/*.c)
fake_sources := $(wildcard test/fake/*.c)
vector_sources := $(filter-out test/vectors/vectors.c,$(wildcard test/vectors/*.c))
embedded := $(sort $(wildcard profiles/*/*.ini))

lib_objects := $(lib_sources:%.c=$(BUILD)/%.o) $(BUILD)/gen/embedded.o
outside_objects := $(outside_sources:%.c=$(BUILD)/%.o)
cmd_objects := $(cmd_sources:%.c=$(BUILD)/%.o)
peer_objects := $(peer_sources:%.c=$(BUILD)/%.o)
fake_objects := $(fake_sources:%.c=$(BUILD)/%.o)
vector_objects := $(vector_sources:%.c=$(BUILD)/%.o)
tests := $(test_sources:%.c=$(BUILD)/%)
fuzzers := $(fuzz_sources:%.c=$(BUILD)/%)
guest_programs := $(guest_sources:%.c=$(BUILD)/%)
linked_guest_programs := $(filter-out $(BUILD)/test/guest/vectors,$(guest_programs))

# What drives the fuzz targets: a replay of their corpora, or (make fuzz) libFuzzer.
FUZZ_MAIN = $(BUILD)/test/fuzz/replay.o

.PHONY: all arm bench-trace check validate guest guest-programs guest-shell real-drivers real-trace real-tsnep tests fuzzers fuzz soak stress clean install
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/holdoff $(BUILD)/libholdoff.a

$(BUILD)/holdoff: $(cmd_objects) $(BUILD)/liboutside.a $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(OUTSIDE_LIBS)

# For the program and for tests only; never installed.
$(BUILD)/liboutside.a: $(outside_objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libholdoff.a: $(lib_objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/gen/embedded.c: tools/embed $(embedded)
	@mkdir -p $(@D)
	tools/embed profiles > $@

# A program for the kernel, and the header through which ours loads it.
$(BUILD)/gen/%.bpf.o: src/trace/%.bpf.c $(wildcard src/trace/*.h) src/stats/histogram_bucket.h
	@mkdir -p $(@D)
	$(BPF_CLANG) -O2 -g -Wall -Werror -target bpf -Isrc $(addprefix -I,$(wildcard /usr/include/$(shell uname -m)-linux-gnu)) -c -o $@ $<

$(BUILD)/gen/%.skel.h: $(BUILD)/gen/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(bpf_sources:src/trace/%.bpf.c=$(BUILD)/src/trace/%.o): $(BUILD)/src/trace/%.o: $(BUILD)/gen/%.skel.h

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOLDOFF_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(CC) $(HOLDOFF_CFLAGS) $(CFLAGS) -c -o $@ $<

tests: $(tests) $(guest_programs) $(BUILD)/test/peer/peer $(BUILD)/test/vectors/vectors $(BUILD)/test/fake/nic

# The kernel's part in tests of what goes over netlink: as a library for tests and as a program for scripts.
$(BUILD)/libpeer.a: $(peer_objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/test/peer/peer: $(BUILD)/test/peer/peer.o $(BUILD)/libpeer.a $(BUILD)/liboutside.a $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(OUTSIDE_LIBS)

# What drivers do with settings, line by line: of the models here, of the real ones in a guest.
$(BUILD)/libvectors.a: $(vector_objects)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/test/vectors/vectors: $(BUILD)/test/vectors/vectors.o $(BUILD)/libvectors.a $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# A sanitizer cannot be linked statically.
$(BUILD)/test/guest/vectors: $(BUILD)/test/guest/vectors.o $(BUILD)/libvectors.a $(BUILD)/src/nic/old_settings.o $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(if $(findstring sanitize,$(CFLAGS)),,-static) -o $@ $^

# A NIC with a host behind it, at the other end of a TAP device.
$(BUILD)/test/fake/nic: $(fake_objects) $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

fuzzers: $(fuzzers)

$(BUILD)/test/unit/offload.o: HOLDOFF_CFLAGS += -Iqemu

# A test may include the .c file that it tests: the archive member is then not pulled in.
$(tests) $(linked_guest_programs): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/test/tap.o $(BUILD)/libvectors.a $(BUILD)/libpeer.a $(BUILD)/liboutside.a $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(OUTSIDE_LIBS)

$(fuzzers): $(BUILD)/%: $(BUILD)/%.o $(FUZZ_MAIN) $(BUILD)/test/tap.o $(BUILD)/libpeer.a $(BUILD)/liboutside.a $(BUILD)/libholdoff.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(OUTSIDE_LIBS)

# Then for instance: build/fuzz/test/fuzz/ini_fuzz -max_total_time=60 test/fuzz/corpus/ini
fuzz:
	$(MAKE) BUILD=build/fuzz CC=clang CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" \
		LDFLAGS=-fsanitize=fuzzer FUZZ_MAIN= fuzzers

check: all tests fuzzers
	tools/run-tests $(BUILD)

# A thousand kills at other moments each time.
soak: all $(BUILD)/test/change/kill
	KILLS=1000 SEED=$$(date +%s) HOLDOFF=$(abspath $(BUILD)/holdoff) $(BUILD)/test/change/kill

# Tests again and again beside load, to find those that do not always pass: make stress ROUNDS=30 KINDS="netns cli"
stress: all tests fuzzers
	tools/repeat-tests $(or $(ROUNDS),14) $(BUILD) $(KINDS)

# How fast the simulator is: beside ns-3, over boards, workloads, lengths, cores and shards, and beside the real kernel in its guest; then what
# trace costs, and ping beside its like. Some ten minutes; what is not installed (tools/install-deps bench) says so. docs/performance.md.
.PHONY: bench
bench: all guest-programs
	bench/run --holdoff $(abspath $(BUILD)/holdoff) || [ $$? -eq 77 ]
	bench/speed --holdoff $(abspath $(BUILD)/holdoff) --build $(BUILD)
	bench/trace --holdoff $(abspath $(BUILD)/holdoff) || [ $$? -eq 77 ]
	HOLDOFF=$(abspath $(BUILD)/holdoff) BUILD=$(BUILD) test/netns/ping_speed.sh
	HOLDOFF=$(abspath $(BUILD)/holdoff) BUILD=$(BUILD) test/netns/load_iperf3.sh

# What tracing costs, beside programs that do nothing and beside bpftrace.
bench-trace: all
	bench/trace --holdoff $(abspath $(BUILD)/holdoff)

# A Linux guest with two NICs, in virtual time (qemu/README.md): its tests, and a shell in it: make guest-shell NIC=vmxnet3
guest: all $(guest_programs)
	tools/run-tests $(BUILD) guest

# holdoff and the programs of test/guest for the ARM board of the bench: BUILD/armhf.
arm:
	+tools/make-arm $(BUILD) all guest-programs

guest-programs: $(guest_programs)

# The unmodified tsnep driver on our chip; its kernel, its headers and its source are 275 MB to download at first.
real-tsnep: all $(guest_programs)
	qemu/run --build $(BUILD) --nic tsnep --fetch
	BUILD=$(BUILD) test/real/tsnep.sh
	BUILD=$(BUILD) test/real/vectors.sh tsnep

# What holdoff trace says against the chips' own event logs, at length.
real-trace: all guest-programs
	+tools/make-arm $(BUILD) all guest-programs || [ $$? -eq 77 ]
	for nic in rtl8168 fec; do qemu/run --build $(BUILD) --nic $$nic --fetch || [ $$? -eq 77 ] || exit; done
	BUILD=$(BUILD) test/trace/long.sh

# What holdoff infer finds out about the unmodified drivers of the bench: r8169 at each speed, fec, tsnep, and the emulated e1000e.
.PHONY: real-infer
real-infer: all $(guest_programs)
	+tools/make-arm $(BUILD) all guest-programs || [ $$? -eq 77 ]
	for nic in rtl8168 fec; do qemu/run --build $(BUILD) --nic $$nic --fetch || [ $$? -eq 77 ] || exit; done
	BUILD=$(BUILD) test/infer/infer.sh

# What holdoff load and measure find on the unmodified drivers of the bench, repeated and held against ping and /proc/interrupts: two minutes.
.PHONY: real-measure
real-measure: all guest-programs
	+tools/make-arm $(BUILD) all guest-programs || [ $$? -eq 77 ]
	for nic in rtl8168 fec; do qemu/run --build $(BUILD) --nic $$nic --fetch || [ $$? -eq 77 ] || exit; done
	tools/run-tests $(BUILD) measure

# Measure once, predict the sweep: models fitted to the unmodified drivers of the bench at one setting, held against others. Four minutes.
.PHONY: real-calibrate
real-calibrate: all $(guest_programs)
	qemu/run --build $(BUILD) --nic rtl8168 --fetch || [ $$? -eq 77 ]
	BUILD=$(BUILD) test/calibrate/calibrate.sh

# From a sweep of the real r8169 at both ends to a decision, and one that is killed twenty times: three minutes.
.PHONY: real-sweep
real-sweep: all $(guest_programs)
	qemu/run --build $(BUILD) --nic rtl8168 --fetch || [ $$? -eq 77 ]
	BUILD=$(BUILD) test/sweep/end_to_end.sh

guest-shell: all $(guest_programs)
	qemu/run --build $(BUILD) $(if $(NIC),--nic $(NIC)) --shell

# What the model makes of everything that others measured, and that a wrong model is noticed: two minutes.
validate: all
	tools/run-tests $(BUILD) seed refdata mutants

# All that is recorded of real drivers, once more: test/data/vectors and docs/driver-findings.md. What cannot be had
# (tools/install-deps real) is skipped and says why.
real-drivers: all guest-programs
	+tools/make-arm $(BUILD) all guest-programs || [ $$? -eq 77 ]
	for nic in rtl8168 fec; do qemu/run --build $(BUILD) --nic $$nic --fetch || [ $$? -eq 77 ] || exit; done
	tools/run-tests $(BUILD) real

# What holdoff bench runs, and what the devices of qemu/device are compiled from.
harness_files := $(shell find qemu -type f) tools/install-deps \
	$(filter-out %_test.c,$(wildcard src/chip/*.[ch] src/base/*.[ch]))

# Into $(DESTDIR)$(PREFIX); boards, profiles, scenarios and plans are in the program and in the library.
install: all $(BUILD)/gen/holdoff.pc
	install -D -m 755 $(BUILD)/holdoff $(DESTDIR)$(PREFIX)/bin/holdoff
	install -D -m 644 $(BUILD)/libholdoff.a $(DESTDIR)$(PREFIX)/lib/libholdoff.a
	install -D -m 644 $(BUILD)/gen/holdoff.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig/holdoff.pc
	install -D -m 644 include/holdoff.h $(DESTDIR)$(PREFIX)/include/holdoff.h
	for page in $(notdir $(wildcard man/*.[1-9])); do \
		install -D -m 644 man/$$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$$page || exit 1; \
	done
	for file in $(harness_files); do \
		install -D -m $$([ -x $$file ] && echo 755 || echo 644) $$file $(DESTDIR)$(PREFIX)/share/holdoff/$$file || exit 1; \
	done
	install -D -m 644 completion/holdoff.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/holdoff

# Written anew each time: PREFIX may be another one.
.PHONY: $(BUILD)/gen/holdoff.pc
$(BUILD)/gen/holdoff.pc:
	@mkdir -p $(@D)
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: holdoff' 'Description: what NIC interrupt coalescing does, computed' \
		'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lholdoff $(LIBS)' > $@

clean:
	rm -rf $(BUILD)

-include $(patsubst %.o,%.d,$(lib_objects) $(outside_objects) $(cmd_objects) $(peer_objects) $(fake_objects) $(BUILD)/test/peer/peer.o $(vector_objects) $(BUILD)/test/vectors/vectors.o $(tests:=.o) $(fuzzers:=.o) $(guest_programs:=.o))
