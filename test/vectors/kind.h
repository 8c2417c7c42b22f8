/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is particular about a driver in a file of vectors: the state that lines start from, how its answers are
 * spelled, which registers are written down and where a running driver shows them, and near which values its
 * answers change.
 */
#ifndef HOLDOFF_TEST_VECTORS_KIND_H
#define HOLDOFF_TEST_VECTORS_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "coalesce/settings.h"

#define VECTOR_FIELDS_MAX 4
#define VECTOR_REGISTERS_MAX 4
#define VECTOR_SPEEDS_MAX 4
#define VECTOR_MODES_MAX 4
#define VECTOR_BORDERS_MAX 48

struct vector_register {
	const char *name; /* as the files spell it */
	uint32_t offset;
	unsigned bytes; /* 1, 2 or 4 */
};

struct vector_kind {
	const char *driver; /* as ETHTOOL_GDRVINFO says it */
	const char *board;  /* of the model, below profiles/boards */
	const char *start;  /* the request that brings the driver to its default */
	unsigned field_count;
	enum coalesce_field fields[VECTOR_FIELDS_MAX]; /* that the driver supports, in the order of the files */
	const char *head;                              /* before what is reported; NULL: each number has its name */
	const char *complaint;                         /* what ethtool's complaints begin with in these files */
	bool has_log;                                  /* with a column for the kernel's log */
	/* Where the registers are: in the driver's dump (ethtool -d), or in this resource of the PCI device. */
	int resource;
	unsigned register_count;
	struct vector_register registers[VECTOR_REGISTERS_MAX];
	/* Values of the first field with which the driver moves the registers by itself, by traffic; ends in 0. */
	uint32_t modes[VECTOR_MODES_MAX];
	unsigned queues;                    /* that have settings of their own, as far as lines are drawn */
	unsigned speeds[VECTOR_SPEEDS_MAX]; /* that the link can be given, the first to start with; ends in 0 */
	uint32_t usecs_borders[VECTOR_BORDERS_MAX], frames_borders[VECTOR_BORDERS_MAX]; /* each ends in 0 */
};

#define VECTOR_IN_DUMP (-1)

/* By the driver's name, or NULL. */
const struct vector_kind *vector_kind_find(const char *driver);

#endif
