/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the kernel's tracer, from files in its place. What it traces is tested in test/netns/trace.sh. */
#include "trace/tracefs.c"

#include "tap.h"

static struct tracefs tracefs;
static struct ftrace_facts facts;
static struct err err;

static int take(int fd)
{
	tracefs.pipe_fd = fd;
	return tracefs_take(&tracefs, &facts, &err);
}

static void test_endless(void)
{
	const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	tap_is(take(zeros), 1, "where more is written than can be read, the caller gets its turn");
	tap_is(take(zeros), 1, "and again");
	close(zeros);
}

static void test_waiting(void)
{
	int ends[2];

	if (!tap_is(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0, "a pipe")) {
		return;
	}
	tracefs.length = 0;
	tap_is(take(ends[0]), 0, "what is not there yet is not waited for");
	tap_is(write(ends[1], "no event\nhal", 12), 12, "a line and a half");
	tap_is(take(ends[0]), 0, "are all that there is");
	tap_is((int64_t)tracefs.length, 3, "half a line is kept");
	close(ends[1]);
	tap_is(take(ends[0]), 0, "the end is no error");
	close(ends[0]);
	tap_ok(take(ends[0]) < 0 && err.text[0], "a descriptor that cannot be read is: %s", err.text);
}

int main(void)
{
	test_endless();
	test_waiting();
	return tap_done();
}
