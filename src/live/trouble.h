/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why probes did not get through, in words: errors that ICMP told (RFC 792, 1191, 1812, 4443), and errors of this host's
 * own kernel when sending. Equal ones are counted together. Pure.
 */
#ifndef HOLDOFF_LIVE_TROUBLE_H
#define HOLDOFF_LIVE_TROUBLE_H

#include <stdint.h>

enum trouble_origin {
	TROUBLE_SENDING, /* the kernel did not send it: error is its errno */
	TROUBLE_LOCAL,   /* the kernel gave it up later (no neighbour answered): error */
	TROUBLE_ICMP,    /* type and code */
	TROUBLE_ICMPV6
};

#define TROUBLE_FROM_MAX 64

struct trouble {
	enum trouble_origin origin;
	int error; /* errno, positive */
	uint8_t type, code;
	uint32_t mtu;                /* of "too big": what fits; else 0 */
	char from[TROUBLE_FROM_MAX]; /* address of who told it; "": this host */
	uint64_t count;
};

#define TROUBLES_MAX 16

struct troubles {
	unsigned count;
	struct trouble trouble[TROUBLES_MAX];
	uint64_t others; /* that found no place */
};

/* Adds one to those that are equal to it but for the count. */
void troubles_add(struct troubles *troubles, const struct trouble *trouble);

#define TROUBLE_TEXT_MAX 256

/* "host unreachable, says 10.0.0.1"; returns buffer. */
char *trouble_print(const struct trouble *trouble, char buffer[TROUBLE_TEXT_MAX]);

#endif
