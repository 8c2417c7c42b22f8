/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Just enough netlink for a static program in a guest: Debian has no static libmnl, and the program is built for
 * machines whose libraries are not here. Messages look as those of ethtool, byte for byte where an offset depends
 * on it: the device by its name, attributes in the order of the words.
 */
#ifndef HOLDOFF_TEST_VECTORS_GENETLINK_H
#define HOLDOFF_TEST_VECTORS_GENETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "base/err.h"

#define GENETLINK_BYTES_MAX 4096

struct genetlink {
	int fd;
	uint16_t family;
	uint32_t sequence;
};

struct genetlink_message {
	uint32_t bytes;
	_Alignas(struct nlmsghdr) uint8_t data[GENETLINK_BYTES_MAX];
};

/*
 * What the kernel says of a request: 0 or the negative errno, its words, and the offset that they point at (0:
 * none).
 */
struct genetlink_answer {
	int error;
	char text[128];
	uint32_t offset;
};

/* A socket to the family of this name. */
int genetlink_open(struct genetlink *genetlink, const char *family, struct err *err);

/* A request about a device of the ethtool family. */
void genetlink_begin(struct genetlink *genetlink, struct genetlink_message *message, uint8_t command,
		     const char *device);
void genetlink_put(struct genetlink_message *message, uint16_t type, const void *value, uint16_t bytes);

/* Sends it and waits for the acknowledgement; `reply` gets the message that came before that, or is NULL. */
int genetlink_exchange(struct genetlink *genetlink, struct genetlink_message *message, struct genetlink_message *reply,
		       struct genetlink_answer *answer, struct err *err);

/* The value of an attribute of a reply, NULL if it is not there. */
const void *genetlink_find(const struct genetlink_message *reply, uint16_t type, uint16_t bytes);

#endif
