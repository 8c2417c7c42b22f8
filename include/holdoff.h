/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libholdoff: what NIC interrupt coalescing does, computed. A caller says what is to be looked at (a setup:
 * board, driver, settings, traffic), then asks what becomes of the settings (holdoff_explain) or what they do
 * to the traffic (holdoff_simulate). It is the same as the commands explain and simulate of the program;
 * docs/example.c is a whole caller.
 *
 *	cc example.c $(pkg-config --cflags --libs holdoff)
 *
 * Promises:
 * - The library reads no clock, starts no thread, keeps no global state, prints nothing and touches no network
 *   device. The one thing it opens is a file that the caller names (a board, profile or scenario with a '/' or
 *   ".ini" in its name).
 * - The same setup gives the same numbers, on every machine and compiler. Another version may give others:
 *   models get better, and NEWS says when they did.
 * - What is here keeps its meaning. Functions may be added, structs may grow at their end (their first member
 *   is their size), keys of setups and JSON documents and names of figures may be added; none is used again for
 *   something else.
 *
 * Ownership: holdoff_setup_new and holdoff_simulate make objects that the caller frees with the function beside
 * them; NULL may be freed. Texts handed in are copied. Texts returned are static. FILEs stay the caller's: they
 * are written to and flushed, not closed.
 *
 * Threads: an object belongs to one thread at a time; different objects need no locks.
 *
 * Errors: functions return 0 or a negative errno. -EINVAL and -ERANGE are mistakes in what the caller said,
 * -ENODEV is an unknown name of a board, profile or scenario, -ENOMEM no memory; -ENOENT, -EACCES and the like
 * come from a file. error, which may be NULL, receives one sentence without a full stop that says what was
 * wrong and what would be right, cut to error_size and ended by '\0'; it is "" after success. HOLDOFF_ERROR_MAX
 * is always enough. A failed call changes nothing.
 */
#ifndef HOLDOFF_H
#define HOLDOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a shared library exports; everything else is hidden. */
#ifdef __GNUC__
#define HOLDOFF_API __attribute__((visibility("default")))
#else
#define HOLDOFF_API
#endif

#define HOLDOFF_ERROR_MAX 400

/* "0.1.0" */
HOLDOFF_API const char *holdoff_version(void);

/* What is to be looked at. Empty when new; explain needs a board, simulate a board and a workload. */
struct holdoff_setup;

/* NULL: no memory. */
HOLDOFF_API struct holdoff_setup *holdoff_setup_new(void);
HOLDOFF_API void holdoff_setup_free(struct holdoff_setup *setup);

/*
 * One key of the setup: those of the options of holdoff simulate, without the dashes ("board", "set",
 * "workload", "duration", ...), with values as there: "imx8qxp", "rx-usecs 100 tx-usecs 0", "ping size=56
 * interval=1ms", "20s". A key that is put again takes the place of the earlier value; set, peer-set and assume
 * go over what was there, setting by setting.
 */
HOLDOFF_API int holdoff_setup_put(struct holdoff_setup *setup, const char *key, const char *value, char *error,
				  size_t error_size);

/* Everything that the scenario says, in place of what the setup said. A name of holdoff scenarios, or a file. */
HOLDOFF_API int holdoff_setup_scenario(struct holdoff_setup *setup, const char *name, char *error, size_t error_size);

/* The keys there are, index from 0 on; NULL after the last one. */
HOLDOFF_API const char *holdoff_setup_key(unsigned index);

/*
 * All zero but the size is the default. A caller built for a newer version may hand in a longer struct, if the
 * rest of it is 0.
 */
struct holdoff_explain_options {
	size_t size;   /* sizeof(struct holdoff_explain_options) */
	bool of_queue; /* the settings of one queue, not those of the interface */
	unsigned queue;
};

/*
 * What driver and chip make of the setup's settings, or of its registers, or without both of the driver's
 * defaults: one document, schema holdoff.explain/1. options may be NULL. A request that the driver refuses is
 * an answer ("accepted": false, with its errno and the nearest values) and returns 0.
 */
HOLDOFF_API int holdoff_explain(const struct holdoff_setup *setup, const struct holdoff_explain_options *options,
				FILE *json, char *error, size_t error_size);

/* What a simulation came to. */
struct holdoff_result;

/*
 * Runs the setup; some hundred nanoseconds of CPU time per frame. *result is made only when 0 is returned. A
 * positive return is the errno with which the driver of one of the two ends refuses its settings, its reason in
 * error: no mistake of the caller, but an answer.
 */
HOLDOFF_API int holdoff_simulate(const struct holdoff_setup *setup, struct holdoff_result **result, char *error,
				 size_t error_size);
HOLDOFF_API void holdoff_result_free(struct holdoff_result *result);

/*
 * One figure, in thousandths of its unit. -EINVAL: there is no such figure, error names the nearest; -ENODATA:
 * it was not observed (a round trip where the traffic has none), which is not the same as 0.
 */
HOLDOFF_API int holdoff_result_figure(const struct holdoff_result *result, const char *name, int64_t *thousandths,
				      char *error, size_t error_size);

/*
 * The figures there are, index from 0 on; NULL after the last one. The unit ("us", "/s", "%", ...) is "" for
 * what has none.
 */
HOLDOFF_API const char *holdoff_figure_name(unsigned index);
HOLDOFF_API const char *holdoff_figure_unit(unsigned index);

/* All of it: one document, schema holdoff.run/1. 0, or the negative errno of the first failed write. */
HOLDOFF_API int holdoff_result_json(const struct holdoff_result *result, FILE *json);

/* The page for people that holdoff simulate prints. Its form may change; programs read the JSON. */
HOLDOFF_API int holdoff_result_text(const struct holdoff_result *result, FILE *text);

#ifdef __cplusplus
}
#endif

#endif
