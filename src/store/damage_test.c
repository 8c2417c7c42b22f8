/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store that is cut, and one with changed bytes, at places drawn from a seed: what is asked of it is answered or refused
 * with a sentence, and nothing else happens. Under a sanitizer this shows more than it does here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "base/time.h"
#include "store/store.h"
#include "tap.h"

#define CUTS 60
#define FLIPS 400

static char folder[] = "/tmp/holdoff-damage-XXXXXX";
static char path[64];
static struct run *run;

static char *make(size_t *size)
{
	static const struct store_cell cells[] = { { .setting = "rx-usecs 0" }, { .setting = "rx-usecs 5" } };
	struct store_experiment experiment = { .kind = "sweep", .cells = 2, .plan = "a plan" };
	struct store *store;
	struct err err = { "" };
	struct stat status;

	tap_is(store_open(&store, path, STORE_CREATE, &err), 0, "a store is made %s", err.text);
	store_add_experiment(store, &experiment, cells, &err);
	for (unsigned i = 0; i < 6; i++) {
		struct store_entry entry = {
			.role = STORE_CELL, .cell = i % 2, .repeat = i / 2 + 1, .label = "one of six"
		};

		memcpy(entry.experiment, experiment.uuid, sizeof(entry.experiment));
		store_add(store, &entry, run, &err);
	}
	store_close(store);
	stat(path, &status);
	*size = (size_t)status.st_size;
	char *const bytes = malloc(*size);
	FILE *const file = fopen(path, "r");

	tap_ok(fread(bytes, 1, *size, file) == *size, "of %zu bytes", *size);
	fclose(file);
	return bytes;
}

static void write_bytes(const char *bytes, size_t size)
{
	FILE *const file = fopen(path, "w");

	fwrite(bytes, 1, size, file);
	fclose(file);
}

/* What may be answered: anything, but an error has a sentence, and a number that is documented. */
static bool is_proper(int ret, const struct err *err)
{
	return ret >= 0 ||
	       (err->text[0] && (ret == -EBADMSG || ret == -EMEDIUMTYPE || ret == -EPROTONOSUPPORT || ret == -ENOENT ||
				 ret == -EIO || ret == -EROFS || ret == -EINVAL || ret == -ENOMEM || ret == -EACCES));
}

static bool read_all(struct store *store, unsigned *good)
{
	struct store_cursor *cursor;
	struct store_entry entry = { 0 };
	struct err err = { "" };
	int ret = store_find(store, NULL, &cursor, &err);

	while (ret == 0) {
		entry.number = 0;
		ret = store_next(cursor, &entry, run, &err);
		*good += ret == 1;
		if (ret == 0 || (ret < 0 && !(ret == -EBADMSG && entry.number))) {
			break;
		}
		ret = 0;
	}
	store_cursor_end(cursor);
	return is_proper(ret, &err);
}

static bool ask(unsigned *opened, unsigned *good)
{
	struct store *store;
	struct store_experiment experiment;
	struct store_cell cell;
	struct store_filter filter;
	struct err err = { "" };
	uint64_t count;
	char *text = NULL;
	size_t length;
	int ret = store_open(&store, path, STORE_READ, &err);
	bool is_fine = is_proper(ret, &err);

	if (ret) {
		return is_fine;
	}
	(*opened)++;
	is_fine &= read_all(store, good);
	err.text[0] = '\0';
	ret = store_get_experiment(store, "", &experiment, &err);
	is_fine &= is_proper(ret, &err);
	if (ret == 0) {
		is_fine &= is_proper(store_get_cell(store, experiment.uuid, 1, &cell, &err), &err);
		free(experiment.plan);
	}
	store_filter_parse(&filter, "rx-usecs=5,rtt-p99<1s,label=one*", NULL);
	err.text[0] = '\0';
	is_fine &= is_proper(store_count(store, &filter, &count, &err), &err);

	FILE *const out = open_memstream(&text, &length);

	err.text[0] = '\0';
	is_fine &= is_proper(store_export(store, NULL, out, &err), &err);
	fclose(out);
	free(text);
	store_close(store);
	return is_fine;
}

static void test_cut(const char *bytes, size_t size)
{
	unsigned fine = 0, opened = 0, good = 0;

	for (unsigned i = 0; i < CUTS; i++) {
		write_bytes(bytes, size * i / CUTS);
		fine += ask(&opened, &good);
	}
	tap_is(fine, CUTS, "a store that is cut anywhere answers, or says what is wrong (%u opened, %u runs read)",
	       opened, good);
}

static void test_flipped(const char *bytes, size_t size)
{
	char *const changed = malloc(size);
	struct random random;
	unsigned fine = 0, opened = 0, good = 0;

	random_init(&random, 5, 0);
	for (unsigned i = 0; i < FLIPS; i++) {
		memcpy(changed, bytes, size);
		for (uint64_t flips = 1 + random_below(&random, 8); flips; flips--) {
			/* Every other one where pages have their heads, which matters more than what is in them. */
			const uint64_t page = random_below(&random, size / 4096) * 4096;
			const uint64_t place = i % 2 ? random_below(&random, size) : page + random_below(&random, 120);

			changed[place] = (char)(changed[place] ^ 1 << random_below(&random, 8));
		}
		write_bytes(changed, size);
		fine += ask(&opened, &good);
	}
	tap_is(fine, FLIPS, "and so does one with changed bits (%u opened, %u runs read)", opened, good);
	tap_ok(opened > FLIPS / 4 && good > 0, "some of which could be read in part");
	free(changed);
}

int main(void)
{
	size_t size;

	run = malloc(sizeof(*run));
	if (!run || !mkdtemp(folder)) {
		return 1;
	}
	snprintf(path, sizeof(path), "%s/a.db", folder);
	run_init(run);
	workload_parse(&run->conditions.workload, "ping interval=1ms", NULL);
	run->conditions.duration_ns = NS_PER_S;
	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, 5);
	run->findings.has = 1u << RUN_RTT;
	for (unsigned i = 0; i < 200; i++) {
		histogram_record(&run->findings.latency[RUN_RTT], 1000 * (int64_t)(i + 1));
	}
	char *const bytes = make(&size);

	test_cut(bytes, size);
	test_flipped(bytes, size);
	free(bytes);
	free(run);
	unlink(path);
	rmdir(folder);
	return tap_done();
}
