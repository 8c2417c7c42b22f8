/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * include/holdoff.h on top of the pure parts: opaque objects around their values, sentences into the caller's
 * buffer. Nothing is decided here; what a caller may rely on is written in that header.
 */
#include <errno.h>
#include <holdoff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "explain/explanation.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "run/figure.h"
#include "sim/scenario.h"
#include "sim/setup.h"
#include "sim/world.h"

_Static_assert(HOLDOFF_ERROR_MAX >= ERR_TEXT_MAX, "a sentence has room");

struct holdoff_setup {
	struct setup setup;
};

struct holdoff_result {
	struct run run;
};

const char *holdoff_version(void)
{
	return HOLDOFF_VERSION;
}

/* Hands the sentence over, or the empty one after success, and the code back. */
static int answer(int code, const struct err *err, char *error, size_t error_size)
{
	if (error && error_size > 0) {
		const char *text = err->text[0] ? err->text : strerror(abs(code));

		snprintf(error, error_size, "%s", code ? text : "");
	}
	return code;
}

struct holdoff_setup *holdoff_setup_new(void)
{
	struct holdoff_setup *setup = malloc(sizeof(*setup));

	if (setup) {
		setup_init(&setup->setup);
	}
	return setup;
}

void holdoff_setup_free(struct holdoff_setup *setup)
{
	free(setup);
}

static int unknown_key(const char *key, struct err *err)
{
	const char *names[SETUP_KEYS];

	for (unsigned i = 0; i < SETUP_KEYS; i++) {
		names[i] = setup_keys[i].name;
	}
	const char *nearest = text_nearest(key, names, SETUP_KEYS);

	return err_set(err, -EINVAL, "a setup has no key \"%.60s\"%s%s%s", key, nearest ? ": did you mean " : "",
		       nearest ? nearest : "", nearest ? "?" : "");
}

int holdoff_setup_put(struct holdoff_setup *setup, const char *key, const char *value, char *error, size_t error_size)
{
	const enum setup_key found = setup_find(key);
	struct setup changed = setup->setup;
	struct err err = { "" };
	const int ret = found == SETUP_KEYS ? unknown_key(key, &err) : setup_put(&changed, found, value, &err);

	if (ret == 0) {
		setup->setup = changed;
	}
	return answer(ret, &err, error, error_size);
}

int holdoff_setup_scenario(struct holdoff_setup *setup, const char *name, char *error, size_t error_size)
{
	struct scenario *scenario = malloc(sizeof(*scenario));
	struct err err = { "" };
	const int ret = scenario ? scenario_load(scenario, name, &err) : -ENOMEM;

	if (ret == 0) {
		setup->setup = scenario->setup;
	}
	free(scenario);
	return answer(ret, &err, error, error_size);
}

const char *holdoff_setup_key(unsigned index)
{
	return index < SETUP_KEYS ? setup_keys[index].name : NULL;
}

/*
 * Callers are older or newer than this library: members that their struct does not have yet are 0, and what
 * they know beyond this version must be 0, for it cannot be done.
 */
static int read_options(struct holdoff_explain_options *to, const struct holdoff_explain_options *from, struct err *err)
{
	memset(to, 0, sizeof(*to));
	if (!from) {
		return 0;
	}
	if (from->size < sizeof(from->size)) {
		return err_set(err, -EINVAL, "options: size is %zu, expected sizeof the struct", from->size);
	}
	for (size_t i = sizeof(*to); i < from->size; i++) {
		if (((const unsigned char *)from)[i]) {
			return err_set(err, -EINVAL, "options: one is set that version %s does not know",
				       HOLDOFF_VERSION);
		}
	}
	memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
	return 0;
}

/*
 * The board with everything that the setup wants different about it. Traffic does not matter here, but a config
 * needs some.
 */
static int choose_board(const struct setup *setup, struct explanation_request *request, struct err *err)
{
	struct setup complete = *setup;
	struct world_config config;
	int ret = 0;

	if (!(complete.given & (1u << SETUP_WORKLOAD))) {
		ret = setup_put(&complete, SETUP_WORKLOAD, "ping", err);
	}
	if (ret == 0) {
		ret = setup_config(&complete, &config, err);
	}
	if (ret < 0) {
		return ret;
	}
	request->board = config.end[0].board;
	request->board.speed_mbps = config.speed_mbps;
	request->settings = config.end[0].request;
	return config.end[0].driver[0] ? board_set_driver(&request->board, config.end[0].driver, err) : 0;
}

int holdoff_explain(const struct holdoff_setup *setup, const struct holdoff_explain_options *options, FILE *json,
		    char *error, size_t error_size)
{
	struct holdoff_explain_options known;
	struct explanation_request request = { 0 };
	struct explanation explanation;
	struct err err = { "" };
	int ret = read_options(&known, options, &err);

	if (ret == 0) {
		ret = choose_board(&setup->setup, &request, &err);
	}
	if (ret == 0 && setup->setup.registers[0]) {
		request.registers = setup->setup.registers;
		ret = request.settings.present ? err_set(&err, -EINVAL, "registers are decoded: no settings with them")
					       : 0;
	}
	if (ret == 0) {
		request.of_queue = known.of_queue;
		request.queue = known.queue;
		ret = explanation_make(&explanation, &request, &err);
	}
	if (ret == 0) {
		ret = explanation_print_json(&explanation, json);
	}
	return answer(ret, &err, error, error_size);
}

int holdoff_simulate(const struct holdoff_setup *setup, struct holdoff_result **result, char *error, size_t error_size)
{
	struct world_config config;
	bool unsupported;
	struct err err = { "" };
	int ret = setup_config(&setup->setup, &config, &err);

	if (ret < 0) {
		return answer(ret, &err, error, error_size);
	}
	ret = setup_try_request(&config, &unsupported, &err);
	if (ret < 0) {
		return answer(-ret, &err, error, error_size);
	}
	struct holdoff_result *made = malloc(sizeof(*made));

	ret = made ? world_run(&config, &made->run, &err) : -ENOMEM;
	if (ret == 0) {
		*result = made;
	} else {
		free(made);
	}
	return answer(ret, &err, error, error_size);
}

void holdoff_result_free(struct holdoff_result *result)
{
	free(result);
}

int holdoff_result_figure(const struct holdoff_result *result, const char *name, int64_t *thousandths, char *error,
			  size_t error_size)
{
	const struct figure *figure;
	struct err err = { "" };
	int64_t read;
	int ret = figure_find(name, &figure, &err);

	if (ret == 0 && !figure->read(&result->run, figure, &read)) {
		ret = err_set(&err, -ENODATA, "%s was not observed with this traffic", figure->name);
	}
	if (ret == 0) {
		*thousandths = read;
	}
	return answer(ret, &err, error, error_size);
}

static const struct figure *figure_at(unsigned index)
{
	unsigned count;
	const struct figure *all = figures(&count);

	return index < count ? &all[index] : NULL;
}

const char *holdoff_figure_name(unsigned index)
{
	const struct figure *figure = figure_at(index);

	return figure ? figure->name : NULL;
}

const char *holdoff_figure_unit(unsigned index)
{
	const struct figure *figure = figure_at(index);

	return figure ? figure->unit : NULL;
}

int holdoff_result_json(const struct holdoff_result *result, FILE *json)
{
	return run_json_write(&result->run, json);
}

int holdoff_result_text(const struct holdoff_result *result, FILE *text)
{
	return run_text_write(&result->run, text);
}
