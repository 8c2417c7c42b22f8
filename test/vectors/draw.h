/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws lines of vectors: valid and invalid requests, values near the limits of registers and of 32 bits, fields that
 * the driver lacks, sequences in which the state is carried on, interfaces taken down and up, other link speeds. The
 * same seed gives the same lines.
 */
#ifndef HOLDOFF_TEST_VECTORS_DRAW_H
#define HOLDOFF_TEST_VECTORS_DRAW_H

#include <stdio.h>

#include "vectors/kind.h"

void vector_draw(const struct vector_kind *kind, uint64_t seed, unsigned count, FILE *out);

#endif
