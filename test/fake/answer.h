/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host behind the fake NIC answers: ARP and neighbour discovery for every address, ICMP and ICMPv6 echo. Pure. */
#ifndef HOLDOFF_TEST_FAKE_ANSWER_H
#define HOLDOFF_TEST_FAKE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX 65600

struct frame {
	size_t bytes;
	uint8_t data[FRAME_MAX];
};

/* Makes the answer to a question about an address; false when it is none. */
bool answer_neighbour(const struct frame *question, struct frame *answer);
bool answer_is_echo(const struct frame *frame);
/* Makes the reply to an echo request. */
void answer_echo(const struct frame *request, struct frame *reply);

/* What may be done to a reply. Checksums are right afterwards, unless it says otherwise. */
void answer_corrupt(struct frame *reply, bool keep_checksum); /* one byte of the payload is another */
void answer_from_elsewhere(struct frame *reply);              /* the last byte of the source address is another */
void answer_other_identifier(struct frame *reply);
void answer_never_asked(struct frame *reply); /* a sequence far ahead */
void answer_longer(struct frame *reply, size_t bytes);
void answer_cut(struct frame *reply, size_t message_bytes);
/* An error about the request, from another address; mtu: 0, or that of "too big". */
void answer_error(const struct frame *request, struct frame *error, unsigned mtu);

#endif
