/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hangs a program that does nothing on each of the tracepoints that are named, until its standard input ends: what a
 * tracer costs before it does anything. Prints "ready" when all of them are there.
 *
 *	empty_probes net_dev_queue softirq_entry ...
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* One program each, as a tracer has. */
static int hang(const char *tracepoint)
{
	const int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "nothing", "GPL", nothing,
					  sizeof(nothing) / sizeof(nothing[0]), NULL);

	return program < 0 ? -errno : bpf_raw_tracepoint_open(tracepoint, program) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	char byte;

	for (int i = 1; i < argc; i++) {
		const int ret = hang(argv[i]);

		if (ret < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-ret));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0) {
	}
	return 0;
}
