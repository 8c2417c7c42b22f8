# SPDX-License-Identifier: GPL-2.0-or-later
# For qemu/device/build, from the top of the tree: FOLDER/devices.so against HEADERS. Nothing of it is seen by QEMU but what
# it registers itself: hidden symbols, for those of a preloaded object would take the place of QEMU's own of the same name.

devices := $(wildcard qemu/device/*.c)
ours := $(filter-out %_test.c,$(wildcard src/chip/*.c src/base/*.c))
objects := $(patsubst %.c,$(FOLDER)/%.o,$(devices) $(ours))

flags := -O2 -g -fPIC -fvisibility=hidden -D_GNU_SOURCE -Wall -Wextra -Werror -MMD -MP -Isrc
qemu_flags := -std=gnu11 -Wno-unused-parameter -Iqemu -isystem $(HEADERS)/config -isystem $(HEADERS)/config/qapi \
	-isystem $(HEADERS)/private -isystem $(HEADERS)/include $(LIBRARY_CFLAGS)

$(FOLDER)/devices.so: $(objects)
	gcc -shared -o $@.new $(objects)
	mv $@.new $@

$(FOLDER)/qemu/%.o: qemu/%.c qemu/device/rules.mk
	@mkdir -p $(@D)
	gcc $(flags) $(qemu_flags) -c -o $@ $<

$(FOLDER)/src/%.o: src/%.c qemu/device/rules.mk
	@mkdir -p $(@D)
	gcc $(flags) -std=c11 -c -o $@ $<

-include $(objects:.o=.d)
