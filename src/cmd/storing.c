/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/storing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int storing_begin(struct storing *storing, const char *file, const char *label, int argc, char *const *argv,
		  struct err *err)
{
	*storing = (struct storing){ .file = file };
	if (!file) {
		return label ? err_set(err, -EINVAL, "--label is for runs that are kept: --store FILE") : 0;
	}
	if (label && strlen(label) >= sizeof(storing->entry.label)) {
		return err_set(err, -EINVAL, "--label is longer than %d bytes", STORE_LABEL_MAX - 1);
	}
	snprintf(storing->entry.label, sizeof(storing->entry.label), "%s", label ? label : "");
	store_entry_set_command(&storing->entry, argc, argv);
	return store_open(&storing->store, file, STORE_CREATE, err);
}

int storing_put(struct storing *storing, const struct run *run, struct err *err)
{
	struct store_entry entry = storing->entry;

	if (!storing->store) {
		return 0;
	}
	const int ret = store_add(storing->store, &entry, run, err);

	if (ret == 0) {
		storing->number = entry.number;
	}
	return ret;
}

void storing_end(struct storing *storing)
{
	store_close(storing->store);
	storing->store = NULL;
}
