/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workloads for --help: their keys with what they are when not given, then what each key takes. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "workload/workload.h"

static void print_kind(enum workload_kind kind, const struct workload_key_info *keys, unsigned count)
{
	char usual[WORKLOAD_DEFAULT_MAX];

	printf("  %-9s %s\n           ", workload_kind_name(kind), workload_kind_meaning(kind));
	for (unsigned i = 0; i < count; i++) {
		if (keys[i].kinds >> kind & 1) {
			workload_key_default(kind, i, usual);
			printf(" %s=%s", keys[i].name, usual[0] ? usual : "...");
		}
	}
	putchar('\n');
}

void cmd_print_workloads(void)
{
	unsigned count;
	const struct workload_key_info *keys = workload_keys(&count);

	printf("\nworkloads, with what their keys are when not given:\n");
	for (unsigned kind = 0; kind < WORKLOAD_KINDS; kind++) {
		print_kind((enum workload_kind)kind, keys, count);
	}
	printf("\nkeys of workloads:\n");
	for (unsigned i = 0; i < count; i++) {
		char left[48];

		snprintf(left, sizeof(left), "%s=%s", keys[i].name, keys[i].value);
		printf("  %-28s %s\n", left, keys[i].meaning);
	}
}
