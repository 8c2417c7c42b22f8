/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/wide.h"
#include "report/csv.h"
#include "report/json_writer.h"
#include "report/wrapped.h"

#define CELL_MAX 512
#define HEADING_INDENT 2
#define REFUSAL_INDENT 6

/* Columns between setting and marking, as text; an empty cell is a figure that was not observed. */
enum { COUNT, P50, INTERVAL, P99, IRQ_RATE, FRAMES_PER_IRQ, CPU, IRQ_MASKED, GOODPUT, DROPPED, COLUMNS };

static const char *const titles[COLUMNS] = {
	"n",          "p50 us",       "95 % of medians", "p99 us",       "IRQ/s",
	"frames/IRQ", "CPU % of one", "IRQ masked %",    "goodput Mb/s", "dropped",
};

/* The same over two lines, for narrow columns. */
static const char *const text_titles[2][COLUMNS] = {
	{ "", "p50", "medians,", "p99", "IRQ", "frames", "CPU %", "masked", "goodput", "" },
	{ "n", "us", "95 %", "us", "/s", "/IRQ", "of one", "%", "Mb/s", "drops" },
};

static const char *const format_names[TABLE_FORMATS] = { "text", "markdown", "csv", "json" };

void table_row_take(struct table_row *row, const struct run *run)
{
	const struct run_conditions *conditions = &run->conditions;
	const struct run_findings *findings = &run->findings;
	const struct histogram *rtt = &findings->latency[RUN_RTT];
	const bool has_rtt = findings->has & (1u << RUN_RTT), has_one_way = findings->has & (1u << RUN_ONE_WAY);
	const struct histogram *latency = has_rtt ? rtt : &findings->latency[RUN_ONE_WAY];

	row->model = conditions->source == RUN_MODEL;
	workload_print(&conditions->workload, row->workload);
	if (row->model) {
		memcpy(row->board, conditions->board, sizeof(row->board));
	} else {
		snprintf(row->board, sizeof(row->board), "%s", conditions->measured.device);
	}
	memcpy(row->driver, conditions->driver, sizeof(row->driver));
	memcpy(row->host, conditions->host, sizeof(row->host));
	memcpy(row->host_source, conditions->host_source, sizeof(row->host_source));
	memcpy(row->host_fit, conditions->host_fit, sizeof(row->host_fit));
	row->speed_mbps = conditions->speed_mbps;
	row->cpus = findings->cpus + findings->other_cpus;
	row->latency = has_rtt ? RUN_RTT : RUN_ONE_WAY;
	row->ends_at_socket = !has_rtt && conditions->workload.kind == WORKLOAD_TCP;
	row->latency_count = latency->count;
	row->has_latency = (has_rtt || has_one_way) && latency->count > 0;
	row->latency_p50_ns = histogram_percentile(latency, 500000);
	row->latency_p99_ns = histogram_percentile(latency, 990000);
	row->repeats = conditions->measured.repeats;
	row->taints = conditions->measured.taint_count;
	row->has_interval = conditions->measured.median_high_ns > 0;
	row->median_low_ns = conditions->measured.median_low_ns;
	row->median_high_ns = conditions->measured.median_high_ns;
	row->lacks = findings->lacks;
	row->irq_rate_milli_hz = run_irq_rate_milli_hz(run);
	row->has_frames_per_irq = findings->irq_count > 0;
	row->frames_per_irq_milli = run_milli(findings->irq_frames, findings->irq_count);
	row->busy_ppm = run_ppm(run_busy_ns(run), conditions->duration_ns);
	row->irq_masked_ppm = run_ppm(findings->irq_masked_ns, conditions->duration_ns);
	row->has_goodput = findings->app_bytes_span_ns > 0;
	row->goodput_bps = run_goodput_bps(run);
	row->dropped = findings->rx_dropped + findings->socket_dropped;
}

int table_format_find(const char *name, enum table_format *format, struct err *err)
{
	for (unsigned i = 0; i < TABLE_FORMATS; i++) {
		if (strcmp(format_names[i], name) == 0) {
			*format = (enum table_format)i;
			return 0;
		}
	}
	const char *nearest = text_nearest(name, format_names, TABLE_FORMATS);

	return err_set(err, -EINVAL, "unknown format \"%s\": %s%s%s", name,
		       nearest ? "did you mean " : "text, markdown, csv or json", nearest ? nearest : "",
		       nearest ? "?" : "");
}

/* Not where the driver refused it or it was not run. */
static bool has_figures(const struct table_row *row)
{
	return !row->error && !row->is_left_out;
}

/* What marks a row as computed. */
static void print_marking(const struct table_row *row, char text[CELL_MAX])
{
	if (row->model) {
		snprintf(text, CELL_MAX, "MODEL holdoff %s, host %s: %s", HOLDOFF_VERSION, row->host, row->host_source);
	} else {
		snprintf(text, CELL_MAX, "measured by holdoff %s", HOLDOFF_VERSION);
	}
}

/* The same for a row of text, where the heading has the rest. */
static void print_short_marking(const struct table_row *row, char text[CELL_MAX])
{
	if (row->model) {
		snprintf(text, CELL_MAX, "MODEL %s, %s", row->host, row->host_fit);
	} else if (!has_figures(row)) {
		text[0] = '\0';
	} else {
		snprintf(text, CELL_MAX, row->taints ? "measured %u times, tainted" : "measured %u times",
			 row->repeats);
	}
}

/* value / per, rounded to one decimal. */
static void print_tenths(uint64_t value, uint64_t per, char text[32])
{
	const uint64_t tenths = wide_scale_to_nearest(value, 10, per);

	snprintf(text, 32, "%" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
}

static bool knows(const struct table_row *row, enum run_lack lack)
{
	return !(row->lacks & (uint32_t)lack);
}

static bool knows_drops(const struct table_row *row)
{
	return knows(row, RUN_LACKS_FRAMES) && knows(row, RUN_LACKS_SOCKET_DROPS);
}

static void print_interval(const struct table_row *row, char text[32])
{
	char low[32], high[32];

	print_tenths((uint64_t)row->median_low_ns, 1000, low);
	print_tenths((uint64_t)row->median_high_ns, 1000, high);
	snprintf(text, 32, "%.14s..%.14s", low, high);
}

static void print_cells(const struct table_row *row, char cells[COLUMNS][32])
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		cells[i][0] = '\0';
	}
	if (!has_figures(row)) {
		return;
	}
	if (row->has_latency) {
		snprintf(cells[COUNT], 32, "%" PRIu64, row->latency_count);
		print_tenths((uint64_t)row->latency_p50_ns, 1000, cells[P50]);
		print_tenths((uint64_t)row->latency_p99_ns, 1000, cells[P99]);
		if (row->has_interval) {
			print_interval(row, cells[INTERVAL]);
		}
	}
	if (knows(row, RUN_LACKS_IRQS)) {
		print_tenths(row->irq_rate_milli_hz, 1000, cells[IRQ_RATE]);
	}
	if (row->has_frames_per_irq) {
		print_tenths(row->frames_per_irq_milli, 1000, cells[FRAMES_PER_IRQ]);
	}
	if (knows(row, RUN_LACKS_CPUS)) {
		print_tenths(row->busy_ppm, 10000, cells[CPU]);
	}
	if (knows(row, RUN_LACKS_POLL_KINDS)) {
		print_tenths(row->irq_masked_ppm, 10000, cells[IRQ_MASKED]);
	}
	if (row->has_goodput) {
		print_tenths(row->goodput_bps, 1000000, cells[GOODPUT]);
	}
	if (knows_drops(row)) {
		snprintf(cells[DROPPED], 32, "%" PRIu64, row->dropped);
	}
}

/* Rows up to the next workload. */
static size_t group_size(const struct table_row *rows, size_t count)
{
	size_t size = 1;

	while (size < count && strcmp(rows[size].workload, rows->workload) == 0) {
		size++;
	}
	return size;
}

static const char *latency_title(const struct table_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (has_figures(&rows[i]) && rows[i].has_latency) {
			return rows[i].latency == RUN_RTT ? "latency is the round trip"
			       : rows[i].ends_at_socket   ? "latency is one way, wire to socket"
							  : "latency is one way, wire to application";
		}
	}
	return "no latency was observed";
}

/* What the rows of a group have in common; what differs stands in their settings. */
static void write_group_title(const char *prefix, const struct table_row *rows, size_t count, FILE *out)
{
	bool board = true, driver = true, speed = true;

	for (size_t i = 1; i < count; i++) {
		board &= strcmp(rows[i].board, rows->board) == 0;
		driver &= strcmp(rows[i].driver, rows->driver) == 0;
		speed &= rows[i].speed_mbps == rows->speed_mbps;
	}
	fprintf(out, "\n%s%s", prefix, rows->workload);
	if (board) {
		fprintf(out, " on %s", rows->board);
	}
	if (speed) {
		fprintf(out, " at %u Mb/s", rows->speed_mbps);
	}
	if (driver) {
		fprintf(out, " with %s", rows->driver);
	}
	fprintf(out, "; %s\n", latency_title(rows, count));
}

/* One for each host profile, that of the first row that has it; then what is the same for all rows. */
static void write_heading(const struct table_row *rows, size_t count, bool is_markdown, FILE *out)
{
	char marking[CELL_MAX], line[CELL_MAX + 32];

	for (size_t i = 0; i < count; i++) {
		size_t earlier = 0;

		while (earlier < i &&
		       (rows[earlier].model != rows[i].model || strcmp(rows[earlier].host, rows[i].host) != 0)) {
			earlier++;
		}
		if (earlier < i) {
			continue;
		}
		print_marking(&rows[i], marking);
		snprintf(line, sizeof(line), "%s%s", marking, rows[i].model ? ". Computed, not measured." : "");
		if (is_markdown) {
			fprintf(out, "> %s\n", line);
		} else {
			wrapped_write(out, HEADING_INDENT, 0, line);
		}
	}
	if (count && rows->conditions[0]) {
		fprintf(out, is_markdown ? ">\n> All rows: %s.\n" : "All rows: %s.\n", rows->conditions);
	}
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Only measured rows have intervals, and not all of them. */
static bool shows_interval(const struct table_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (has_figures(&rows[i]) && rows[i].has_latency && rows[i].has_interval) {
			return true;
		}
	}
	return false;
}

/* Widths of the columns over the whole table, so that the groups line up; 0: a column that is not shown. */
static void measure(const struct table_row *rows, size_t count, size_t *setting_width, size_t width[COLUMNS])
{
	char cells[COLUMNS][32];

	*setting_width = strlen("setting");
	for (unsigned i = 0; i < COLUMNS; i++) {
		width[i] = larger(strlen(text_titles[0][i]), strlen(text_titles[1][i]));
	}
	for (size_t row = 0; row < count; row++) {
		*setting_width = larger(*setting_width, strlen(rows[row].setting));
		print_cells(&rows[row], cells);
		for (unsigned i = 0; i < COLUMNS; i++) {
			width[i] = larger(width[i], strlen(cells[i]));
		}
	}
	if (!shows_interval(rows, count)) {
		width[INTERVAL] = 0;
	}
}

/* The sentence stands below, so that the marking keeps its column. */
static void write_text_without_figures(const struct table_row *row, const size_t width[COLUMNS], const char *marking,
				       FILE *out)
{
	size_t all = 0;

	for (unsigned i = 0; i < COLUMNS; i++) {
		all += width[i] ? width[i] + 2 : 0;
	}
	const int used = row->error ? fprintf(out, "  refused, %s", row->error_name) : fprintf(out, "  not run");

	if (marking[0]) {
		fprintf(out, "%*s  %s", (int)all - used, "", marking);
	}
	putc('\n', out);
	fprintf(out, "%*s", REFUSAL_INDENT, "");
	wrapped_write(out, REFUSAL_INDENT, REFUSAL_INDENT, row->why);
}

static void write_text_row(const struct table_row *row, size_t setting_width, const size_t width[COLUMNS], FILE *out)
{
	char cells[COLUMNS][32], marking[CELL_MAX];

	print_short_marking(row, marking);
	fprintf(out, "  %-*s", (int)setting_width, row->setting);
	if (!has_figures(row)) {
		write_text_without_figures(row, width, marking, out);
		return;
	}
	print_cells(row, cells);
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (width[i]) {
			fprintf(out, "  %*s", (int)width[i], cells[i][0] ? cells[i] : "-");
		}
	}
	fprintf(out, "  %s\n", marking);
}

/* Tables of models say MODEL; what was measured has no title for it. */
static const char *marking_title(const struct table_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].model) {
			return "MODEL";
		}
	}
	return "";
}

static void write_text_titles(size_t setting_width, const size_t width[COLUMNS], const char *marking, FILE *out)
{
	for (unsigned line = 0; line < 2; line++) {
		int pending = 0; /* blanks that are written only if something follows */

		fprintf(out, "  %-*s", (int)setting_width, line ? "setting" : "");
		for (unsigned i = 0; i < COLUMNS; i++) {
			const char *title = text_titles[line][i];

			pending += width[i] ? 2 + (int)width[i] : 0;
			if (title[0] && width[i]) {
				fprintf(out, "%*s", pending, title);
				pending = 0;
			}
		}
		fprintf(out, line && marking[0] ? "  %s\n" : "\n", marking);
	}
}

static void write_text(const struct table_row *rows, size_t count, FILE *out)
{
	size_t setting_width, width[COLUMNS];

	write_heading(rows, count, false, out);
	measure(rows, count, &setting_width, width);
	for (size_t start = 0; start < count;) {
		const size_t size = group_size(rows + start, count - start);

		write_group_title("", rows + start, size, out);
		write_text_titles(setting_width, width, marking_title(rows, count), out);
		for (size_t i = 0; i < size; i++) {
			write_text_row(&rows[start + i], setting_width, width, out);
		}
		start += size;
	}
}

/* A vertical bar would end the cell. */
static void write_markdown_cell(const char *text, FILE *out)
{
	fputs(" ", out);
	for (; *text; text++) {
		fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
	}
	fputs(" |", out);
}

static void write_markdown_row(const struct table_row *row, bool has_intervals, FILE *out)
{
	char cells[COLUMNS][32], marking[CELL_MAX], reason[CELL_MAX];

	print_marking(row, marking);
	print_cells(row, cells);
	putc('|', out);
	write_markdown_cell(row->setting, out);
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (i == INTERVAL && !has_intervals) {
			continue;
		}
		if (!has_figures(row) && i == 0) {
			snprintf(reason, sizeof(reason), row->error ? "refused, %s: %s" : "not run%s: %s",
				 row->error_name, row->why);
			write_markdown_cell(reason, out);
		} else {
			write_markdown_cell(cells[i], out);
		}
	}
	write_markdown_cell(marking, out);
	putc('\n', out);
}

static void write_markdown_titles(bool has_intervals, const char *marking, FILE *out)
{
	fputs("\n| setting |", out);
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (i != INTERVAL || has_intervals) {
			fprintf(out, " %s |", titles[i]);
		}
	}
	fprintf(out, " %s |\n|---|", marking[0] ? marking : "source");
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (i != INTERVAL || has_intervals) {
			fputs("---:|", out);
		}
	}
	fputs("---|\n", out);
}

static void write_markdown(const struct table_row *rows, size_t count, FILE *out)
{
	const bool has_intervals = shows_interval(rows, count);

	write_heading(rows, count, true, out);
	for (size_t start = 0; start < count;) {
		const size_t size = group_size(rows + start, count - start);

		write_group_title("### ", rows + start, size, out);
		write_markdown_titles(has_intervals, marking_title(rows, count), out);
		for (size_t i = 0; i < size; i++) {
			write_markdown_row(&rows[start + i], has_intervals, out);
		}
		start += size;
	}
}

/* A cell and its comma; empty where the figure is not known. */
static void write_csv_number(bool is_known, uint64_t value, FILE *out)
{
	if (is_known) {
		fprintf(out, "%" PRIu64, value);
	}
	putc(',', out);
}

static void write_csv_milli(bool is_known, uint64_t thousandths, FILE *out)
{
	if (is_known) {
		fprintf(out, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
	}
	putc(',', out);
}

static void write_csv_row(const struct table_row *row, FILE *out)
{
	char marking[CELL_MAX];
	const char *const texts[] = { marking, row->board, row->driver, row->workload, row->setting };

	print_marking(row, marking);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		csv_put_text(out, texts[i]);
		putc(',', out);
	}
	fprintf(out, "%u,", row->speed_mbps);
	if (!has_figures(row)) {
		fprintf(out, "%s,", row->error_name);
		csv_put_text(out, row->why);
		fputs(",,,,,,,,,,,,", out);
		csv_put_text(out, row->conditions);
		fputs(",,,,\n", out);
		return;
	}
	fputs(",,", out);
	if (row->has_latency) {
		fprintf(out, "%s,%" PRIu64 ",%" PRId64 ",%" PRId64 ",", row->latency == RUN_RTT ? "rtt" : "one-way",
			row->latency_count, row->latency_p50_ns, row->latency_p99_ns);
	} else {
		fputs(",,,,", out);
	}
	write_csv_milli(knows(row, RUN_LACKS_IRQS), row->irq_rate_milli_hz, out);
	write_csv_milli(row->has_frames_per_irq, row->frames_per_irq_milli, out);
	write_csv_number(knows(row, RUN_LACKS_CPUS), row->busy_ppm, out);
	write_csv_number(knows(row, RUN_LACKS_POLL_KINDS), row->irq_masked_ppm, out);
	write_csv_number(row->has_goodput, row->goodput_bps, out);
	write_csv_number(knows_drops(row), row->dropped, out);
	write_csv_number(true, row->cpus, out);
	csv_put_text(out, row->conditions);
	putc(',', out);
	write_csv_number(!row->model, row->repeats, out);
	write_csv_number(!row->model, row->taints, out);
	write_csv_number(row->has_interval, (uint64_t)row->median_low_ns, out);
	if (row->has_interval) {
		fprintf(out, "%" PRId64, row->median_high_ns);
	}
	putc('\n', out);
}

static void write_csv(const struct table_row *rows, size_t count, FILE *out)
{
	fputs("MODEL,board,driver,workload,setting,speed_mbps,errno,refusal,latency,latency_count,latency_p50_ns,"
	      "latency_p99_ns,"
	      "irq_rate_hz,frames_per_irq,cpu_busy_ppm_of_one,irq_masked_ppm,goodput_bps,dropped,cpus,conditions,"
	      "repeats,taints,median_low_ns,median_high_ns\n",
	      out);
	for (size_t i = 0; i < count; i++) {
		write_csv_row(&rows[i], out);
	}
}

static void put_json_figures(struct json_writer *writer, const struct table_row *row)
{
	if (row->has_latency) {
		json_begin_object(writer, run_latency_key(row->latency));
		json_put_unsigned(writer, "count", row->latency_count);
		json_put_integer(writer, "p50", row->latency_p50_ns);
		json_put_integer(writer, "p99", row->latency_p99_ns);
		if (row->has_interval) {
			json_put_integer(writer, "median_low", row->median_low_ns);
			json_put_integer(writer, "median_high", row->median_high_ns);
		}
		json_end_object(writer);
	}
	if (!row->model) {
		json_put_unsigned(writer, "repeats", row->repeats);
		json_put_unsigned(writer, "taints", row->taints);
	}
	if (knows(row, RUN_LACKS_IRQS)) {
		json_put_milli(writer, "irq_rate_hz", row->irq_rate_milli_hz);
	}
	if (row->has_frames_per_irq) {
		json_put_milli(writer, "frames_per_irq", row->frames_per_irq_milli);
	}
	json_put_unsigned(writer, "cpus", row->cpus);
	if (knows(row, RUN_LACKS_CPUS)) {
		json_put_unsigned(writer, "cpu_busy_ppm_of_one", row->busy_ppm);
	}
	if (knows(row, RUN_LACKS_POLL_KINDS)) {
		json_put_unsigned(writer, "irq_masked_ppm", row->irq_masked_ppm);
	}
	if (row->has_goodput) {
		json_put_unsigned(writer, "goodput_bps", row->goodput_bps);
	}
	if (knows_drops(row)) {
		json_put_unsigned(writer, "dropped", row->dropped);
	}
}

static void put_json_row(struct json_writer *writer, const struct table_row *row)
{
	char marking[CELL_MAX];

	print_marking(row, marking);
	json_begin_object(writer, NULL);
	json_put_string(writer, row->model ? "model" : "measured", marking);
	json_put_string(writer, "board", row->board);
	json_put_string(writer, "driver", row->driver);
	json_put_unsigned(writer, "speed_mbps", row->speed_mbps);
	json_put_string(writer, "workload", row->workload);
	json_put_string(writer, "setting", row->setting);
	json_put_string(writer, "conditions", row->conditions);
	if (row->error) {
		json_put_string(writer, "errno", row->error_name);
		json_put_string(writer, "refusal", row->why);
	} else if (row->is_left_out) {
		json_put_string(writer, "left_out", row->why);
	} else {
		put_json_figures(writer, row);
	}
	json_end_object(writer);
}

static void write_json(const struct table_row *rows, size_t count, FILE *out)
{
	struct json_writer writer;
	bool any_model = false;

	for (size_t i = 0; i < count; i++) {
		any_model |= rows[i].model;
	}
	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.sweep/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_boolean(&writer, "model", any_model);
	if (any_model) {
		json_put_string(&writer, "notice", "MODEL: computed, not measured; every row says by which profile");
	}
	json_begin_array(&writer, "rows");
	for (size_t i = 0; i < count; i++) {
		put_json_row(&writer, &rows[i]);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_end(&writer);
}

int table_write(const struct table_row *rows, size_t count, enum table_format format, FILE *out)
{
	static void (*const writers[TABLE_FORMATS])(const struct table_row *, size_t, FILE *) = {
		[TABLE_TEXT] = write_text,
		[TABLE_MARKDOWN] = write_markdown,
		[TABLE_CSV] = write_csv,
		[TABLE_JSON] = write_json,
	};

	writers[format](rows, count, out);
	errno = 0;
	return fflush(out) != 0 || ferror(out) ? (errno ? -errno : -EIO) : 0;
}
