/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of a store as lines, CSV or JSON. Nothing that a file holds reaches a terminal as a control character. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cmd/runs.h"
#include "report/csv.h"
#include "report/json_writer.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "run/figure.h"

#define CELL_MAX 64

char *runs_print_time(int64_t at_ns, char buffer[RUNS_TIME_MAX])
{
	const time_t at_s = (time_t)(at_ns / NS_PER_S);
	struct tm utc;

	if (!gmtime_r(&at_s, &utc) || !strftime(buffer, RUNS_TIME_MAX, "%Y-%m-%d %H:%M:%S", &utc)) {
		snprintf(buffer, RUNS_TIME_MAX, "?");
	}
	return buffer;
}

void runs_put_printable(FILE *out, const char *text)
{
	for (; *text; text++) {
		putc(((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f ? '?' : *text, out);
	}
}

static const struct coalesce *settings_of(const struct run *run)
{
	return run->conditions.requested.present ? &run->conditions.requested : &run->conditions.reported;
}

/* ---- text ---- */

static const struct {
	const char *title, *figure, *instead; /* instead: where the first was not observed */
	int width;
} columns[] = {
	{ "p50 us", "rtt-p50", "one-way-p50", 9 },
	{ "p99 us", "rtt-p99", "one-way-p99", 9 },
	{ "IRQ/s", "irq-rate", NULL, 9 },
	{ "CPU %", "cpu-busy", NULL, 7 },
	{ "Mb/s", "goodput", NULL, 8 },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool read_figure(const struct run *run, const char *name, int64_t *thousandths, uint64_t *samples)
{
	const struct figure *figure;

	if (!name || figure_find(name, &figure, NULL) || !figure->read(run, figure, thousandths)) {
		return false;
	}
	*samples = figure_samples(run, figure);
	return true;
}

/* With one decimal, rounded to nearest; none where there are many digits before it. */
static void print_tenths(int64_t thousandths, char cell[CELL_MAX])
{
	const int64_t tenths = (thousandths + 50) / 100;

	if (tenths >= 1000000) {
		snprintf(cell, CELL_MAX, "%" PRId64, (tenths + 5) / 10);
	} else {
		snprintf(cell, CELL_MAX, "%" PRId64 ".%d", tenths / 10, (int)(tenths % 10));
	}
}

static void put_figures(FILE *out, const struct run *run)
{
	char cells[COLUMNS][CELL_MAX], count[CELL_MAX] = "";
	uint64_t n = 0;

	for (unsigned i = 0; i < COLUMNS; i++) {
		int64_t thousandths;
		uint64_t samples;

		cells[i][0] = '\0';
		if (read_figure(run, columns[i].figure, &thousandths, &samples) ||
		    read_figure(run, columns[i].instead, &thousandths, &samples)) {
			print_tenths(thousandths, cells[i]);
			n = samples > n ? samples : n;
		}
	}
	if (n) {
		snprintf(count, sizeof(count), "%" PRIu64, n);
	}
	fprintf(out, " %8s", count);
	for (unsigned i = 0; i < COLUMNS; i++) {
		fprintf(out, " %*s", columns[i].width, cells[i]);
	}
	putc('\n', out);
}

/* What a run is of, in words: what is no measurement says so first. */
static void put_subject(FILE *out, const struct store_entry *entry, const struct run *run)
{
	char settings[COALESCE_TEXT_MAX], workload[WORKLOAD_TEXT_MAX];
	const struct run_conditions *const conditions = &run->conditions;

	if (conditions->source == RUN_MODEL) {
		fprintf(out, "MODEL %s, host %s", conditions->board, conditions->host);
	} else {
		fprintf(out, "measured %s on %s", conditions->measured.device, entry->machine);
	}
	coalesce_print(settings_of(run), settings);
	fprintf(out, "; %s; %s", settings[0] ? settings : "no settings",
		workload_print(&conditions->workload, workload));
	if (entry->label[0]) {
		fprintf(out, "; \"%s\"", entry->label);
	}
	if (entry->role != STORE_ALONE) {
		fprintf(out, "; %s of %.8s", store_role_name(entry->role), entry->experiment);
	}
	if (conditions->source != RUN_MODEL && conditions->measured.is_incomplete) {
		fputs("; INCOMPLETE", out);
	}
	if (conditions->source != RUN_MODEL && conditions->measured.taint_count) {
		fprintf(out, "; TAINTED: %s", conditions->measured.taint[0]);
	}
	putc('\n', out);
}

static void put_text_heading(FILE *out)
{
	fprintf(out, "%5s  %-19s  %-8s %8s", "run", "taken (UTC)", "id", "n");
	for (unsigned i = 0; i < COLUMNS; i++) {
		fprintf(out, " %*s", columns[i].width, columns[i].title);
	}
	putc('\n', out);
}

static void put_text(FILE *out, const struct store_entry *entry, const struct run *run)
{
	char at[RUNS_TIME_MAX], *text = NULL;
	size_t length;
	FILE *const memory = open_memstream(&text, &length);

	if (!memory) {
		return;
	}
	fprintf(memory, "%5" PRId64 "  %s  %.8s", entry->number, runs_print_time(entry->taken_at_ns, at), entry->uuid);
	put_figures(memory, run);
	fputs("       ", memory);
	put_subject(memory, entry, run);
	fclose(memory);
	runs_put_printable(out, text);
	free(text);
}

/* ---- CSV ---- */

static void put_csv_heading(FILE *out)
{
	unsigned count;
	const struct figure *const figure = figures(&count);

	fputs("run,id,source,taken_utc,machine,board,device,driver,host,kernel,peer,settings,workload,label,role,"
	      "complete,taints,duration_s,version",
	      out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, ",\"%s%s%s\"", figure[i].name, *figure[i].unit ? " " : "", figure[i].unit);
	}
	fputs(",rtt-n,one-way-n\n", out);
}

static void put_csv_milli(FILE *out, int64_t thousandths)
{
	char text[FIGURE_TEXT_MAX];

	fputs(figure_print(thousandths, "", text), out);
}

static void put_csv_count(FILE *out, const struct run *run, enum run_latency latency)
{
	putc(',', out);
	if (run->findings.has & (1u << latency)) {
		fprintf(out, "%" PRIu64, run->findings.latency[latency].count);
	}
}

static void put_csv_figures(FILE *out, const struct run *run)
{
	unsigned count;
	const struct figure *const figure = figures(&count);

	for (unsigned i = 0; i < count; i++) {
		int64_t thousandths;

		putc(',', out);
		if (figure[i].read(run, &figure[i], &thousandths)) {
			put_csv_milli(out, thousandths);
		}
	}
	put_csv_count(out, run, RUN_RTT);
	put_csv_count(out, run, RUN_ONE_WAY);
	putc('\n', out);
}

static void put_csv(FILE *out, const struct store_entry *entry, const struct run *run)
{
	const struct run_conditions *const conditions = &run->conditions;
	const struct run_measured *const measured = &conditions->measured;
	const bool is_model = conditions->source == RUN_MODEL;
	const char *const kernel = is_model ? NULL : run_condition_value(&measured->around, "kernel");
	char at[RUNS_TIME_MAX], settings[COALESCE_TEXT_MAX], workload[WORKLOAD_TEXT_MAX];
	const char *const texts[] = {
		is_model ? "MODEL" : "measured",
		runs_print_time(entry->taken_at_ns, at),
		entry->machine,
		is_model ? conditions->board : "",
		is_model ? "" : measured->device,
		conditions->driver,
		conditions->host,
		kernel ? kernel : "",
		is_model ? conditions->peer : measured->peer_host,
		coalesce_print(settings_of(run), settings),
		workload_print(&conditions->workload, workload),
		entry->label,
		store_role_name(entry->role),
	};

	fprintf(out, "%" PRId64 ",%s", entry->number, entry->uuid);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		putc(',', out);
		csv_put_text(out, texts[i]);
	}
	fprintf(out, ",%s,%u,", is_model || !measured->is_incomplete ? "yes" : "no",
		is_model ? 0 : measured->taint_count);
	put_csv_milli(out, conditions->duration_ns / NS_PER_MS);
	fprintf(out, ",%s", entry->version);
	put_csv_figures(out, run);
}

/* ---- JSON ---- */

static void put_json_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text && text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_json_entry(struct json_writer *writer, const struct store_entry *entry)
{
	json_put_integer(writer, "run", entry->number);
	json_put_string(writer, "id", entry->uuid);
	json_put_integer(writer, "taken_at_ns", entry->taken_at_ns);
	put_json_text(writer, "machine", entry->machine);
	put_json_text(writer, "version", entry->version);
	put_json_text(writer, "command", entry->command);
	put_json_text(writer, "label", entry->label);
	json_put_string(writer, "role", store_role_name(entry->role));
	if (entry->role == STORE_ALONE) {
		return;
	}
	json_put_string(writer, "experiment", entry->experiment);
	if (entry->role != STORE_CONTROL) {
		json_put_unsigned(writer, "cell", entry->cell);
	}
	json_put_unsigned(writer, "repeat", entry->repeat);
}

static void put_json_measured(struct json_writer *writer, const struct run_measured *measured)
{
	json_put_string(writer, "device", measured->device);
	put_json_text(writer, "kernel", run_condition_value(&measured->around, "kernel"));
	put_json_text(writer, "peer", measured->peer_host);
	json_put_boolean(writer, "complete", !measured->is_incomplete);
	json_begin_array(writer, "taints");
	for (unsigned i = 0; i < measured->taint_count && i < RUN_TAINTS_MAX; i++) {
		json_put_string(writer, NULL, measured->taint[i]);
	}
	json_end_array(writer);
}

static void put_json_conditions(struct json_writer *writer, const struct run_conditions *conditions)
{
	char workload[WORKLOAD_TEXT_MAX];

	json_put_boolean(writer, "model", conditions->source == RUN_MODEL);
	if (conditions->source == RUN_MODEL) {
		json_put_string(writer, "board", conditions->board);
		put_json_text(writer, "peer", conditions->peer);
	} else {
		put_json_measured(writer, &conditions->measured);
	}
	put_json_text(writer, "driver", conditions->driver);
	put_json_text(writer, "host", conditions->host);
	if (conditions->requested.present) {
		run_json_put_settings(writer, "requested", &conditions->requested);
	}
	if (conditions->reported.present) {
		run_json_put_settings(writer, "reported", &conditions->reported);
	}
	json_put_string(writer, "workload", workload_print(&conditions->workload, workload));
	json_put_integer(writer, "duration_ns", conditions->duration_ns);
}

static void put_json_figures(struct json_writer *writer, const struct run *run)
{
	unsigned count;
	const struct figure *const figure = figures(&count);

	json_begin_array(writer, "figures");
	for (unsigned i = 0; i < count; i++) {
		const uint64_t samples = figure_samples(run, &figure[i]);
		int64_t thousandths;

		if (!figure[i].read(run, &figure[i], &thousandths)) {
			continue;
		}
		json_begin_object(writer, NULL);
		json_put_string(writer, "name", figure[i].name);
		put_json_text(writer, "unit", figure[i].unit);
		json_put_signed_milli(writer, "value", thousandths);
		if (samples) {
			json_put_unsigned(writer, "n", samples);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_json(struct json_writer *writer, const struct store_entry *entry, const struct run *run)
{
	json_begin_object(writer, NULL);
	put_json_entry(writer, entry);
	put_json_conditions(writer, &run->conditions);
	put_json_figures(writer, run);
	json_end_object(writer);
}

/* ---- all of them ---- */

struct list {
	enum runs_format format;
	FILE *out;
	struct json_writer writer;
	bool has_heading;
};

static void put_run(struct list *list, const struct store_entry *entry, const struct run *run)
{
	if (list->format == RUNS_JSON) {
		put_json(&list->writer, entry, run);
		return;
	}
	if (!list->has_heading) {
		(list->format == RUNS_CSV ? put_csv_heading : put_text_heading)(list->out);
		list->has_heading = true;
	}
	(list->format == RUNS_CSV ? put_csv : put_text)(list->out, entry, run);
}

static int put_runs(struct list *list, struct store_cursor *cursor, struct run *run, uint64_t *skipped, struct err *err)
{
	struct store_entry entry = { 0 };
	int ret;

	while ((ret = store_next(cursor, &entry, run, err)) != 0) {
		if (ret == -EBADMSG && entry.number) {
			fprintf(stderr, "holdoff: %s\n", err->text);
			(*skipped)++;
		} else if (ret < 0) {
			return ret;
		} else {
			put_run(list, &entry, run);
		}
		entry.number = 0;
	}
	return 0;
}

int runs_list(struct store *store, const struct store_filter *filter, enum runs_format format, FILE *out,
	      uint64_t *skipped, struct err *err)
{
	struct list list = { .format = format, .out = out };
	struct run *const run = malloc(sizeof(*run));
	struct store_cursor *cursor = NULL;
	int ret = run ? store_find(store, filter, &cursor, err) : err_set(err, -ENOMEM, "no memory for a run");

	*skipped = 0;
	if (ret == 0 && format == RUNS_JSON) {
		json_begin(&list.writer, out);
		json_begin_object(&list.writer, NULL);
		json_put_string(&list.writer, "schema", "holdoff.runs/1");
		json_put_string(&list.writer, "version", HOLDOFF_VERSION);
		json_begin_array(&list.writer, "runs");
	}
	ret = ret ? ret : put_runs(&list, cursor, run, skipped, err);
	if (ret == 0 && format == RUNS_JSON) {
		json_end_array(&list.writer);
		json_end_object(&list.writer);
		json_end(&list.writer); /* main looks after failed writes */
	}
	if (ret == 0 && format == RUNS_CSV && !list.has_heading) {
		put_csv_heading(out);
	}
	store_cursor_end(cursor);
	free(run);
	return ret;
}

static void put_beside(FILE *out, const struct store_entry *entry)
{
	char at[RUNS_TIME_MAX];

	fprintf(out, "Run %" PRId64 ", %s\n", entry->number, entry->uuid);
	fprintf(out, "  taken      %s UTC on %s, with holdoff %s\n", runs_print_time(entry->taken_at_ns, at),
		entry->machine, entry->version);
	if (entry->command[0]) {
		fprintf(out, "  command    %s\n", entry->command);
	}
	if (entry->label[0]) {
		fprintf(out, "  label      %s\n", entry->label);
	}
	if (entry->role == STORE_CONTROL) {
		fprintf(out, "  experiment %s, control %u\n", entry->experiment, entry->repeat);
	} else if (entry->role != STORE_ALONE) {
		fprintf(out, "  experiment %s, %s of cell %u, repeat %u\n", entry->experiment,
			store_role_name(entry->role), entry->cell, entry->repeat);
	}
	putc('\n', out);
}

int runs_show(const struct store_entry *entry, const struct run *run, enum runs_format format, FILE *out,
	      struct err *err)
{
	char *text = NULL;
	size_t length;

	if (format == RUNS_JSON) {
		run_json_write(run, out);
		return 0;
	}
	FILE *const memory = open_memstream(&text, &length);

	if (!memory) {
		return err_set(err, -ENOMEM, "no memory for a page");
	}
	put_beside(memory, entry);
	run_text_write(run, memory);
	fclose(memory);
	runs_put_printable(out, text);
	free(text);
	return 0;
}
