/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree DEV FIELD FIRST LAST [START]: asks the real driver of DEV for every value of one coalescing field, over netlink, and our driver model
 * for the same; each starts from START (default: what is set now). Compared: accepted or refused, the errno, and what is read back.
 * Prints each difference and, last, "N values: M accepted, K refused, D differ". Exit status 1 if D is not 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic/model.h"
#include "nic/nic.h"

#define DIFFERENCES_SHOWN 20

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "agree: %s: %s\n", what, err->text);
	exit(2);
}

struct comparison {
	struct nic nic;
	struct nic_model model;
	enum coalesce_field field;
	unsigned accepted, refused, different;
};

static void set_real(struct comparison *comparison, uint32_t value, int *error, struct coalesce *reported)
{
	struct coalesce change = { 0 };
	struct err err = { "" };

	coalesce_put(&change, comparison->field, value);
	*error = nic_coalesce_set(&comparison->nic, &change, &err);
	if (nic_coalesce_get(&comparison->nic, reported, &err) < 0) {
		fail("reading back", &err);
	}
}

static void set_model(struct comparison *comparison, uint32_t value, int *error, struct coalesce *reported)
{
	struct coalesce change = { 0 };
	struct driver_result result;

	coalesce_put(&change, comparison->field, value);
	driver_set(&comparison->model.driver, &change, &result);
	*error = result.error;
	driver_get(&comparison->model.driver, reported);
}

static void compare(struct comparison *comparison, uint32_t value)
{
	struct coalesce real, modelled;
	char real_text[COALESCE_TEXT_MAX], modelled_text[COALESCE_TEXT_MAX];
	int real_error, modelled_error;

	set_real(comparison, value, &real_error, &real);
	set_model(comparison, value, &modelled_error, &modelled);
	comparison->accepted += real_error == 0;
	comparison->refused += real_error != 0;
	if (real_error == modelled_error && coalesce_difference(&real, &modelled) == 0) {
		return;
	}
	if (comparison->different++ < DIFFERENCES_SHOWN) {
		printf("%" PRIu32 ": driver %d \"%s\", model %d \"%s\"\n", value, real_error,
		       coalesce_print(&real, real_text), modelled_error, coalesce_print(&modelled, modelled_text));
	}
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	static struct comparison comparison;
	struct nic_identity identity;
	struct coalesce now, ignored;
	struct err err = { "" };
	int error;

	if (argc < 5 || (comparison.field = coalesce_field_find(argv[2])) == COALESCE_FIELDS) {
		fprintf(stderr, "usage: agree DEV FIELD FIRST LAST [START]\n");
		return 2;
	}
	if (nic_open(&comparison.nic, argv[1], &err) < 0 || nic_identify(&comparison.nic, &identity, &err) < 0 ||
	    nic_coalesce_get(&comparison.nic, &now, &err) < 0) {
		fail(argv[1], &err);
	}
	nic_model_find(&comparison.model, &identity, &now);
	if (!comparison.model.is_known) {
		fprintf(stderr, "agree: no model: %s\n", comparison.model.note);
		return 2;
	}
	const uint32_t start = argc > 5 ? number(argv[5]) : now.value[comparison.field];

	for (uint32_t value = number(argv[3]); value <= number(argv[4]); value++) {
		set_real(&comparison, start, &error, &ignored);
		set_model(&comparison, start, &error, &ignored);
		compare(&comparison, value);
	}
	printf("%u values: %u accepted, %u refused, %u differ\n", comparison.accepted + comparison.refused,
	       comparison.accepted, comparison.refused, comparison.different);
	nic_close(&comparison.nic);
	return comparison.different != 0;
}
