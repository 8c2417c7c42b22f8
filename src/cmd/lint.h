/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff lint, between its parts: files that were read, and the driver that they are held against. */
#ifndef HOLDOFF_CMD_LINT_H
#define HOLDOFF_CMD_LINT_H

#include <stdbool.h>
#include <stdio.h>

#include "coalesce/settings.h"
#include "driver/driver.h"
#include "driver/rules.h"
#include "nic/nic.h"
#include "persist/persist.h"

struct lint_file {
	const char *name;
	struct persist_file content;
};

/* The driver that is to take the settings, and the interface that they are compared with. */
struct lint_target {
	bool has_model;
	const struct driver_variant *variant;
	struct driver_config config;
	unsigned link_mbps;
	const struct driver_rules *rules; /* of a driver without a model, or NULL */
	bool has_device;
	struct nic_identity identity;
	int get_error; /* of the device: 0 or negative errno */
	struct coalesce reported;
	char note[200]; /* how the model was found, or why there is none; "" if none was asked for */
};

/* By board, variant or both; one of them may be NULL. */
int lint_target_of_board(struct lint_target *target, const char *board, const char *variant, struct err *err);
/* A real interface, read only. */
int lint_target_of_device(struct lint_target *target, const char *device, const char *netns, struct err *err);

/* Adds what the driver model does with the settings at the moment when this kind of file is applied. */
void lint_check_driver(struct persist_file *file, const struct lint_target *target);
/* The same by the rules of a driver without a model. */
void lint_check_rules(struct persist_file *file, const struct lint_target *target);
/* Adds where the device is set to something else than the file says. */
void lint_check_device(struct persist_file *file, const struct lint_target *target);
/* Adds what is known of values of drivers without a model. */
void lint_check_quirks(struct persist_file *file, const char *driver);

/* When a file of this format is put into force; NULL where nothing is. */
const char *lint_when(const struct persist_file *file);

void lint_print(const struct lint_file *files, unsigned count, const struct lint_target *target, FILE *out);
void lint_print_json(const struct lint_file *files, unsigned count, const struct lint_target *target, FILE *out);

#endif
