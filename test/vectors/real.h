/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network interface of the running kernel as a subject of vectors. For a guest: it is set, taken down and up. */
#ifndef HOLDOFF_TEST_VECTORS_REAL_H
#define HOLDOFF_TEST_VECTORS_REAL_H

#include "vectors/genetlink.h"
#include "vectors/subject.h"

struct vector_real {
	struct vector_subject subject;
	char device[16];
	struct genetlink genetlink;
	int socket_fd, log_fd;
	unsigned mbps;               /* that the link has when the interface is up */
	uint32_t dump_bytes;         /* of the driver's dump of its registers */
	const volatile uint8_t *bar; /* or the resource that is mapped */
};

/* The interface has to be up; it is set to the first speed of its kind. */
int vector_real_init(struct vector_real *real, const char *device, struct err *err);

#endif
