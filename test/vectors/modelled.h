/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our driver model on our chip, as a subject of vectors. */
#ifndef HOLDOFF_TEST_VECTORS_MODELLED_H
#define HOLDOFF_TEST_VECTORS_MODELLED_H

#include "sim/board.h"
#include "vectors/subject.h"

struct vector_modelled {
	struct vector_subject subject;
	struct driver driver;
	struct chip chip;
	unsigned mbps; /* of the link when the interface is up */
};

/*
 * Up, the link at the first speed of the kind. `driver` as ETHTOOL_GDRVINFO says it; the board with driver variant
 * and clock as wanted. -EINVAL when they do not fit.
 */
int vector_modelled_init(struct vector_modelled *modelled, const char *driver, const struct board *board,
			 struct err *err);

#endif
