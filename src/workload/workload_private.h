/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kinds and keys, for those who parse and print workloads. */
#ifndef HOLDOFF_WORKLOAD_WORKLOAD_PRIVATE_H
#define HOLDOFF_WORKLOAD_WORKLOAD_PRIVATE_H

#include <stddef.h>

#include "workload/workload.h"

#define WORKLOAD_RATE_MAX UINT64_C(1000000000)

struct workload_kind_info {
	const char *name, *meaning;
	unsigned overhead_bytes; /* of a frame around its payload, address to FCS */
	unsigned header_bytes;   /* of the application's own in each payload, not counted in size */
	struct workload defaults;
};

enum workload_key {
	WORKLOAD_KEY_SIZE,
	WORKLOAD_KEY_BLKSIZE,
	WORKLOAD_KEY_INTERVAL,
	WORKLOAD_KEY_RATE,
	WORKLOAD_KEY_PATTERN,
	WORKLOAD_KEY_COUNT,
	WORKLOAD_KEY_EVERY,
	WORKLOAD_KEY_CONNECTIONS,
	WORKLOAD_KEY_WINDOW,
	WORKLOAD_KEY_MSS,
	WORKLOAD_KEY_DELACK,
	WORKLOAD_KEY_GRO,
	WORKLOAD_KEY_BYTES,
	WORKLOAD_KEY_DIR,
	WORKLOAD_KEY_XDP,
	WORKLOAD_KEY_MTU,
	WORKLOAD_KEYS
};

enum workload_key_type {
	WORKLOAD_TYPE_U32,
	WORKLOAD_TYPE_U64,
	WORKLOAD_TYPE_DURATION,
	WORKLOAD_TYPE_RATE,
	WORKLOAD_TYPE_BOOL, /* from here on: one of some names */
	WORKLOAD_TYPE_PATTERN,
	WORKLOAD_TYPE_DIRECTION
};

struct workload_member {
	enum workload_key_type type;
	size_t offset;
	uint64_t min, max;
	bool is_payload; /* the largest depends on the kind */
};

extern const struct workload_kind_info workload_kinds[WORKLOAD_KINDS];
extern const struct workload_key_info workload_key_infos[WORKLOAD_KEYS];
extern const struct workload_member workload_members[WORKLOAD_KEYS];
extern const char *const workload_pattern_names[3], *const workload_direction_names[2];

static inline bool workload_takes(enum workload_kind kind, enum workload_key key)
{
	return workload_key_infos[key].kinds >> kind & 1;
}

#endif
