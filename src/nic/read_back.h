/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests after which a driver model reports given settings. */
#ifndef HOLDOFF_NIC_READ_BACK_H
#define HOLDOFF_NIC_READ_BACK_H

#include <stdbool.h>

#include "coalesce/settings.h"
#include "driver/driver.h"

/* Makes the request; whether the driver then reports all present fields of wanted. */
bool read_back_holds(struct driver *driver, const struct coalesce *request, const struct coalesce *wanted);

/*
 * The request nearest to goal that has the fields of goal and makes the driver report wanted; false if none was
 * found.
 */
bool read_back_find(const struct driver *driver, const struct coalesce *goal, const struct coalesce *wanted,
		    struct coalesce *request);

#endif
