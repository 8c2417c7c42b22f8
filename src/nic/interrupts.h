/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of /proc/interrupts: which lines it has, which of them belong to an interface by name, and which of an
 * interface's vectors carry frames. Pure functions over text that somebody else has read.
 */
#ifndef HOLDOFF_NIC_INTERRUPTS_H
#define HOLDOFF_NIC_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "nic/nic.h"

#define INTERRUPTS_ACTION_MAX 160

struct interrupts_line {
	uint32_t irq;
	uint64_t count;                     /* over all CPUs */
	unsigned busiest;                   /* the column with most of them, from 0 */
	uint64_t busiest_count;
	char action[INTERRUPTS_ACTION_MAX]; /* all of them, separated by ", "; "" when none */
};

struct interrupts_reader {
	const char *next; /* rest of the text */
	unsigned cpus;    /* columns, by the heading; 0: there was none */
};

/* Borrows text until the last interrupts_next. */
void interrupts_begin(struct interrupts_reader *reader, const char *text);
/* The next line of a numbered interrupt; lines with a label (NMI, LOC, IPI0, Err) are passed over. False at the end. */
bool interrupts_next(struct interrupts_reader *reader, struct interrupts_line *line);

/*
 * Whether one of the actions is named after `name`: the name stands there whole, so that eth1 is not found in
 * eth10-TxRx-0, but is in i40e-eth1-TxRx-0, eth1:rx-0 and "ehci_hcd:usb1, eth1".
 */
bool interrupts_action_has(const char *action, const char *name);

/* What an interface may be called in /proc/interrupts. */
struct interrupts_names {
	const char *interface;     /* "eth1" */
	const char *devices[2];    /* "0000:02:00.0", "virtio3", "30be0000.ethernet", or NULL */
	const char *const *others; /* other interfaces, ended by NULL: a longer name that is found too wins */
};

/* Whether a line is the interface's, by name alone. */
bool interrupts_match(const char *action, const struct interrupts_names *names);

/*
 * Sets is_data of an interface's vectors by their actions: false for link, PHY, misc, control, flow director and
 * whatever else moves no frames, and for those that nobody has requested. The bare name of the interface is a queue
 * only where no other vector is one.
 */
void interrupts_classify(struct nic_vector *vectors, unsigned count, const struct interrupts_names *names);

/* A mask of /proc/irq/N/smp_affinity ("00000010,00000000") as a list of CPUs ("0-3,8"). False if it is none or
 * does not fit. */
bool interrupts_mask_to_list(const char *mask, char *list, unsigned size);

#endif
