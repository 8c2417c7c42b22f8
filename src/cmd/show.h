/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `holdoff show` knows about one interface, as a value: collected first (show.c), then what it comes to
 * (show_moderation.c), then text (show_text.c) or JSON (show_json.c). What could not be read is a fault with a
 * sentence, and the rest goes on.
 */
#ifndef HOLDOFF_CMD_SHOW_H
#define HOLDOFF_CMD_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "change/change.h"
#include "chip/chip.h"
#include "coalesce/settings.h"
#include "explain/explanation.h"
#include "nic/model.h"
#include "nic/nic.h"
#include "nic/quirk.h"
#include "report/json_writer.h"

/* Why something is not there. */
struct show_fault {
	int error; /* 0, or a negative errno */
	struct err err;
};

/* ---- what the layers come to ---- */

enum show_source {
	SHOW_UNKNOWN,  /* nothing says what the hardware does */
	SHOW_SOFTWARE, /* there is no hardware */
	SHOW_MODEL,    /* the model of driver and chip, set as the driver reports */
	SHOW_NUMBERS,  /* ethtool's words taken at their word, and what is known of the driver's */
	SHOW_MODE,     /* a mode code: the range of an algorithm */
	SHOW_ADAPTIVE, /* adaptive moderation: the range of an algorithm */
};

/* What the hardware does in one direction. */
struct show_hold {
	enum show_source source;
	struct chip_hold hold;  /* SHOW_MODEL, SHOW_NUMBERS */
	struct nic_range range; /* SHOW_MODE, SHOW_ADAPTIVE */
	const char *mode;       /* SHOW_MODE: what the code is called */
	int64_t worst_ns; /* the most that it adds to a frame; NEVER_AT_NS: without a bound. Not for SHOW_UNKNOWN */
	int queue;        /* the one that has it, where queues differ; -1: the device's setting */
};

struct show_moderation {
	const struct nic_quirk *quirk; /* or NULL */
	struct show_hold hardware[CHIP_DIRECTIONS];
	bool rearms; /* the driver re-arms its interrupt whatever NAPI says */
	unsigned napi_count,
		deferring;        /* instances, and those with defer-hard-irqs and gro-flush-timeout of their own */
	bool device_defers;       /* the same knobs of the whole device: all instances do */
	bool knows_deferral;      /* its knobs could be read */
	int64_t deferral_ns;      /* longest gro-flush-timeout of those; 0: none */
	uint32_t defer_hard_irqs; /* its count */
	int64_t gro_ns;           /* longest gro-flush-timeout without deferral: only what GRO holds waits */
	int64_t suspend_ns;       /* longest irq-suspend-timeout */
	bool has_worst[CHIP_DIRECTIONS];
	int64_t worst_ns[CHIP_DIRECTIONS]; /* the larger of hardware and deferral; NEVER_AT_NS: without a bound */
};

/* ---- one interface ---- */

struct show_device {
	char name[IFNAMSIZ];
	struct nic_identity identity;
	struct show_fault identity_fault;
	struct coalesce coalesce;
	struct show_fault coalesce_fault; /* -EOPNOTSUPP: the driver has no coalescing */
	unsigned queue_count;             /* queues that were read */
	struct coalesce queues[NIC_QUEUES_MAX];
	struct show_fault queues_fault;
	unsigned napi_count;
	struct nic_napi napis[NIC_NAPIS_MAX];
	struct show_fault napis_fault;
	unsigned vector_count;
	struct nic_vector vectors[NIC_VECTORS_MAX];
	struct show_fault vectors_fault;
	struct nic_model model;
	bool has_explanation; /* the model, in the state that the driver reports */
	struct explanation explanation;
	struct show_moderation moderation;
	bool is_changed; /* by a holdoff that can put it back: */
	struct change_listed changed;
};

/* Fills in explanation and moderation from the facts that stand in device. Pure. */
void show_moderation_find(struct show_device *device);

/* Queues whose values differ from the device's. */
bool show_queue_differs(const struct show_device *device, unsigned queue);

/* Coalescing or deferral: there is more to say than one line. */
bool show_is_worth_a_page(const struct show_device *device);

/* The vector with this number, or NULL. */
const struct nic_vector *show_vector_of_irq(const struct show_device *device, uint32_t irq);

/* ---- renderers ---- */

/* all_queues: each queue's values, not only those that differ. netns: where the interface was looked for, or NULL. */
void show_print(const struct show_device *device, bool all_queues, const char *netns, FILE *out);
void show_print_line(const struct show_device *device, FILE *out);
/* As an element of the document's devices. */
void show_put_json(struct json_writer *writer, const struct show_device *device);
/* Of that: what the layers come to, the model, and what is known of the driver (moderation, model, driver_notes). */
void show_put_layers_json(struct json_writer *writer, const struct show_device *device);

/* ---- watching ---- */

/* Prints a line (or a JSON document on a line) for each change of coalescing, until SIGINT or SIGTERM, or until
 * all are gone. Returns an exit status. Closes nothing. */
int show_watch(struct nic *nics, unsigned count, bool json);

#endif
