/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/parts.h"

#include <errno.h>
#include <string.h>

#define BIT(kind) (1u << PATH_EVENT_##kind)
#define POLLS (BIT(SOFTIRQ) | BIT(SOFTIRQ_DONE) | BIT(POLL))
#define IRQS (BIT(IRQ) | BIT(IRQ_DONE) | BIT(RAISE))

static const struct {
	const char *word;
	uint32_t kinds;
	enum path_stage first, last;
} parts_table[PARTS] = {
	[PART_TRANSMIT] = { "tx", BIT(QUEUE) | BIT(XMIT) | BIT(XMIT_DONE) | BIT(FREE) | BIT(RECEIVE) | IRQS | POLLS,
			    PATH_QDISC, PATH_XMIT_TO_COMPLETION },
	[PART_RECEIVE] = { "rx", BIT(XMIT) | BIT(RECEIVE) | BIT(FREE) | BIT(COPY) | BIT(WAKE) | BIT(RUN) | IRQS | POLLS,
			   PATH_IRQ_TO_RAISE, PATH_IRQ_TO_COPY },
	[PART_ANSWERS] = { "echo", BIT(XMIT) | BIT(RECEIVE) | POLLS, PATH_ECHO, PATH_ECHO },
	[PART_INTERRUPTS] = { "irq", IRQS | POLLS, PATH_IRQ_GAP, PATH_IRQ_GAP },
};

static uint32_t part_of(const char *word, size_t length)
{
	for (enum trace_part part = 0; part < PARTS; part++) {
		if (strlen(parts_table[part].word) == length && strncmp(word, parts_table[part].word, length) == 0) {
			return 1u << part;
		}
	}
	return 0;
}

int parts_parse(uint32_t *parts, const char *text, struct err *err)
{
	*parts = 0;
	for (const char *word = text;; word++) {
		const size_t length = strcspn(word, ",");
		const uint32_t part = part_of(word, length);

		if (!part) {
			return err_set(err, -EINVAL, "only: \"%.*s\" is no part, expected some of tx, rx, echo, irq",
				       (int)length, word);
		}
		*parts |= part;
		word += length;
		if (*word == '\0') {
			return 0;
		}
	}
}

uint32_t parts_kinds(uint32_t parts)
{
	uint32_t kinds = 0;

	for (enum trace_part part = 0; part < PARTS; part++) {
		kinds |= parts & 1u << part ? parts_table[part].kinds : 0;
	}
	return kinds;
}

bool parts_have(uint32_t parts, enum path_stage stage)
{
	for (enum trace_part part = 0; part < PARTS; part++) {
		if (parts & 1u << part && stage >= parts_table[part].first && stage <= parts_table[part].last) {
			return true;
		}
	}
	return false;
}
