/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the drivers share: a driver by name, requests in words, and results as short texts, so that a
 * test reads as the table of a data sheet. Texts live until the next call of the same function.
 */
#ifndef HOLDOFF_DRIVER_DRIVER_TESTING_H
#define HOLDOFF_DRIVER_DRIVER_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coalesce/settings.h"
#include "driver/driver.h"
#include "tap.h"

/* One queue, coalescing present, no multiple queues, default model choices. */
static inline struct driver_config testing_config(enum chip_family family, uint32_t clock_hz)
{
	return (struct driver_config){
		.family = family,
		.has_coalesce = true,
		.queues = 1,
		.clock_hz = clock_hz,
		.assume = assume_defaults(),
	};
}

/* Probed and open, with a link unless speed_mbps is 0. */
static inline struct driver testing_driver(const char *variant, struct driver_config config, unsigned speed_mbps)
{
	struct driver driver;
	struct driver_result result;
	if (driver_init(&driver, driver_variant_find(variant), &config, NULL)) {
		abort();
	}
	driver_open(&driver, &result);
	driver_link(&driver, speed_mbps, &result);
	return driver;
}

static inline struct coalesce testing_request(const char *words)
{
	struct coalesce request;
	struct err err;
	if (coalesce_parse_text(&request, words, &err)) {
		abort();
	}
	return request;
}

static inline struct driver_result testing_set(struct driver *driver, const char *words)
{
	struct coalesce request = testing_request(words);
	struct driver_result result;
	driver_set(driver, &request, &result);
	return result;
}

/* "0f0=cc80080e 100=cc80080e": the writes in their order. */
static inline const char *testing_writes(const struct driver_write *writes, unsigned count)
{
	static char text[DRIVER_WRITES_MAX * 24];
	text[0] = '\0';
	for (unsigned i = 0; i < count; i++) {
		sprintf(text + strlen(text), "%s%x=%x", i ? " " : "", writes[i].offset, writes[i].value);
	}
	return text;
}

/* "-22", "same" or the writes. */
static inline const char *testing_outcome(const struct driver_result *result)
{
	static char text[16];
	if (result->error) {
		sprintf(text, "%d", result->error);
		return text;
	}
	return result->unchanged ? "same" : testing_writes(result->writes, result->write_count);
}

static inline const char *testing_get(const struct driver *driver)
{
	static char text[COALESCE_TEXT_MAX];
	struct coalesce reported;
	int error = driver_get(driver, &reported);
	if (error) {
		sprintf(text, "%d", error);
		return text;
	}
	return coalesce_print(&reported, text);
}

/* The first warning that holds the words, or "". */
static inline const char *testing_warning(const struct driver_result *result, const char *words)
{
	for (unsigned i = 0; i < result->warning_count; i++) {
		if (strstr(result->warnings[i], words)) {
			return result->warnings[i];
		}
	}
	return "";
}

/* What a step answers: its writes, then a word for each thing to do. */
static inline const char *testing_step(struct driver *driver, enum driver_step step, struct driver_input input)
{
	static char text[256];
	struct driver_actions actions;
	driver_step(driver, step, &input, &actions);
	int length = sprintf(text, "%s%s%s%s%s%s%s%s%s", testing_writes(actions.writes, actions.write_count),
			     actions.handled ? " handled" : "", actions.schedule ? " schedule" : "",
			     actions.serve_rx ? " rx" : "", actions.serve_tx ? " tx" : "",
			     actions.rx_first ? " rx-first" : "", actions.again ? " again" : "",
			     actions.complete ? " complete" : "",
			     actions.frame_flags & CHIP_FRAME_INTERRUPT ? " interrupt" : "");
	if (actions.if_scheduled_writes) {
		length += sprintf(text + length, " if-scheduled=%u", actions.if_scheduled_writes);
	}
	if (actions.tx_timer_ns) {
		sprintf(text + length, " timer=%lld", (long long)actions.tx_timer_ns);
	}
	return text[0] == ' ' ? text + 1 : text;
}

#endif
