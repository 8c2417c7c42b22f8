/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/table.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define ROWS 3

static void fill(struct table_row rows[ROWS])
{
	memset(rows, 0, ROWS * sizeof(*rows));
	for (unsigned i = 0; i < ROWS; i++) {
		rows[i].model = true;
		strcpy(rows[i].workload, i < 2 ? "udp rate=20k" : "ping");
		strcpy(rows[i].board, "imx8mm");
		strcpy(rows[i].driver, "fec@6.12");
		strcpy(rows[i].host, "cortex-a53");
		strcpy(rows[i].host_source, "scaled from \"a\" | b, c");
		strcpy(rows[i].host_fit, "scaled from a");
		strcpy(rows[i].conditions, "hops 1, duration 1s");
		rows[i].speed_mbps = 1000;
		snprintf(rows[i].setting, sizeof(rows[i].setting), "rx-usecs %u", i);
	}
	rows[0].has_latency = true;
	rows[0].latency = RUN_ONE_WAY;
	rows[0].latency_count = 20000;
	rows[0].latency_p50_ns = 12340;
	rows[0].latency_p99_ns = 99950;
	rows[0].irq_rate_milli_hz = 1234567;
	rows[0].has_frames_per_irq = true;
	rows[0].frames_per_irq_milli = 1949;
	rows[0].busy_ppm = 1234567;
	rows[0].irq_masked_ppm = 4999;
	rows[0].has_goodput = true;
	rows[0].goodput_bps = 10240000;
	rows[0].dropped = 17;
	rows[1].error = -EINVAL;
	strcpy(rows[1].error_name, "EINVAL");
	strcpy(rows[1].why, "1 us is \"too little\"");
}

static char *written(const struct table_row *rows, size_t count, enum table_format format)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	tap_is(table_write(rows, count, format, out), 0, "a table is written");
	fclose(out);
	return text;
}

static const char whole_marking[] = "MODEL holdoff " HOLDOFF_VERSION ", host cortex-a53: scaled from ";

/* Every line that has a mark of a row has the words that mark it as computed. */
static bool every_row_says(const char *marking, const char *text, const char *row_mark, unsigned expected)
{
	unsigned count = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		char copy[2048];

		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
		if (strstr(copy, row_mark)) {
			count++;
			if (!strstr(copy, marking)) {
				return false;
			}
		}
	}
	return count == expected;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (; *text; text += text[0] == '\n') {
		const size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
		text += length;
	}
	return longest;
}

/* A grid over boards: the heading names only what all rows of a group share. */
static void test_mixed_boards(struct table_row *rows)
{
	strcpy(rows[1].board, "imx8qxp");
	rows[1].speed_mbps = 100;
	char *text = written(rows, ROWS, TABLE_TEXT);

	tap_ok(strstr(text, "\nudp rate=20k with fec@6.12; latency is one way"), "text: no board where they differ");
	tap_ok(strstr(text, "\nping on imx8mm at 1000 Mb/s with fec@6.12; no latency"), "text: but where they do not");
	strcpy(rows[1].board, rows[0].board);
	rows[1].speed_mbps = rows[0].speed_mbps;
	free(text);
}

static void test_text(const struct table_row *rows)
{
	char *text = written(rows, ROWS, TABLE_TEXT);

	tap_ok(every_row_says("  MODEL cortex-a53, scaled from a", text, "  rx-usecs ", ROWS),
	       "text: every row says MODEL, profile and fit");
	tap_ok(strncmp(text, whole_marking, strlen(whole_marking)) == 0,
	       "text: the heading has version and source too");
	tap_ok(strstr(text, "\nAll rows: hops 1, duration 1s.\n"), "text: what holds for all rows is said once");
	tap_ok(strstr(text, "\nudp rate=20k on imx8mm at 1000 Mb/s with fec@6.12; latency is one way"),
	       "text: board, link, driver and which latency");
	tap_ok(strstr(text, " 20000 ") && strstr(text, " 12.3 ") && strstr(text, " 100.0 ") && strstr(text, " 1234.6 "),
	       "text: figures with one decimal, rounded");
	tap_ok(strstr(text, " 123.5 ") && strstr(text, " 0.5 ") && strstr(text, " 10.2 ") && strstr(text, " 17 "),
	       "text: all of them");
	tap_ok(strstr(text, "  rx-usecs 1  refused, EINVAL  "), "text: a refused setting is a row");
	tap_ok(strstr(text, "\n      1 us is \"too little\"\n"), "text: with its sentence below");
	tap_ok(longest_line(text) <= 120, "text: no line of more than 120 columns");
	free(text);
}

static void test_markdown(const struct table_row *rows)
{
	char *text = written(rows, ROWS, TABLE_MARKDOWN);

	tap_ok(every_row_says(whole_marking, text, "| rx-usecs ", ROWS), "markdown: every row says all of it");
	tap_ok(strncmp(text, "> MODEL holdoff", 15) == 0, "markdown: so does the heading");
	tap_ok(strstr(text, "\"a\" \\| b"), "markdown: a bar does not end the cell");
	free(text);
}

/* Fields of one line of CSV, quotes understood. */
static unsigned csv_fields(const char *line)
{
	unsigned fields = 1;
	bool quoted = false;

	for (; *line && *line != '\n'; line++) {
		quoted ^= *line == '"';
		fields += *line == ',' && !quoted;
	}
	return fields;
}

static void test_csv(const struct table_row *rows)
{
	char *text = written(rows, ROWS, TABLE_CSV);
	const unsigned columns = csv_fields(text);
	bool even = true;
	unsigned lines = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		even = even && csv_fields(line) == columns;
		lines++;
	}
	tap_is(lines, ROWS + 1, "csv: a heading and a line for each row");
	tap_ok(even && columns == 24, "csv: all with the same columns");
	tap_ok(strncmp(text, "MODEL,", 6) == 0, "csv: the heading says MODEL");
	tap_ok(every_row_says(whole_marking, text, "\"rx-usecs ", ROWS), "csv: every row says all of it");
	tap_ok(every_row_says("\"hops 1, duration 1s\"", text, "\"rx-usecs ", ROWS), "csv: and the conditions");
	tap_ok(strstr(text, "\"1 us is \"\"too little\"\"\""), "csv: quotes are doubled");
	free(text);
}

static void test_json(const struct table_row *rows)
{
	char *text = written(rows, ROWS, TABLE_JSON);
	json_t *document = json_loads(text, 0, NULL), *list = json_object_get(document, "rows"), *row;
	size_t index;
	bool all = json_array_size(list) == ROWS;

	json_array_foreach(list, index, row)
	{
		const char *marking = json_string_value(json_object_get(row, "model"));

		all = all && marking && strncmp(marking, whole_marking, strlen(whole_marking)) == 0;
	}
	tap_ok(all, "json: every row says MODEL");
	tap_ok(json_is_true(json_object_get(document, "model")), "json: so does the document");
	row = json_array_get(list, 0);
	tap_is(json_integer_value(json_object_get(json_object_get(row, "one_way_ns"), "p99")), 99950,
	       "json: a latency");
	tap_ok(!json_object_get(row, "errno"), "json: no error where there was none");
	tap_is_text(json_string_value(json_object_get(row, "conditions")), "hops 1, duration 1s",
		    "json: the conditions");
	row = json_array_get(list, 1);
	tap_is_text(json_string_value(json_object_get(row, "errno")), "EINVAL", "json: the errno of a refusal");
	tap_ok(!json_object_get(row, "irq_rate_hz"), "json: and no figures");
	row = json_array_get(list, 2);
	tap_ok(!json_object_get(row, "goodput_bps") && !json_object_get(row, "rtt_ns"),
	       "json: what was not observed is absent");
	json_decref(document);
	free(text);
}

static void test_take(struct table_row *row)
{
	struct run *run = malloc(sizeof(*run));

	run_init(run);
	workload_parse(&run->conditions.workload, "ping", NULL);
	run->conditions.duration_ns = 1000000000;
	run->findings.cpus = 2;
	run->findings.cpu[0].app_ns = 900000000;
	run->findings.cpu[1].softirq_ns = 500000000;
	run->findings.rx_dropped = 3;
	run->findings.socket_dropped = 4;
	run->findings.has = 1u << RUN_RTT | 1u << RUN_ONE_WAY;
	histogram_record(&run->findings.latency[RUN_RTT], 200);
	histogram_record(&run->findings.latency[RUN_ONE_WAY], 100);
	table_row_take(row, run);
	tap_is(row->latency, RUN_RTT, "a round trip goes before a one-way latency");
	tap_is(row->latency_p50_ns, 200, "its median");
	tap_is((int64_t)row->busy_ppm, 1400000, "CPUs are added up, as a share of one");
	tap_is((int64_t)row->dropped, 7, "drops of ring and socket too");
	tap_ok(!row->has_goodput && !row->has_frames_per_irq, "what was not observed is absent");
	free(run);
}

int main(void)
{
	struct table_row *rows = calloc(ROWS, sizeof(*rows));
	enum table_format format;
	struct err err;

	if (!rows) {
		return 1;
	}
	fill(rows);
	test_text(rows);
	test_mixed_boards(rows);
	test_markdown(rows);
	test_csv(rows);
	test_json(rows);
	test_take(&rows[2]);
	tap_ok(table_format_find("csv", &format, &err) == 0 && format == TABLE_CSV, "a format by name");
	tap_is(table_format_find("jsno", &format, &err), -EINVAL, "a mistyped one is refused");
	tap_is_text(err.text, "unknown format \"jsno\": did you mean json?", "with the nearest one");
	free(rows);
	return tap_done();
}
