/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What iperf3 prints for people (looked at: 3.12), and counters of `ip -s link` (iproute2 4 to 6). */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "diagnose/reader.h"

/* ---- iperf3 without -J ---- */

enum iperf3_role { OF_SENDER, OF_RECEIVER, ROLES };

/* A line of the summary. */
struct summary_row {
	bool is_there;
	int64_t lasted_ns, bits_per_s;
	bool is_udp, has_retransmitted;
	uint64_t lost, packets, retransmitted;
};

#define WAYS_MAX 2 /* --bidir */
#define DAY_NS (86400 * NS_PER_S)

struct iperf3_text {
	unsigned line; /* of its beginning */
	char program[sizeof(((struct diagnose_iperf3 *)0)->program)];
	int64_t cpu_permille;
	struct summary_row rows[WAYS_MAX][ROLES];
};

/* "[  5]", "[SUM]", "[ ID]", also with "[TX-C]" behind it; NULL for others, such as the kernel's "[   12.345678]". */
static const char *behind_stream(const char *line)
{
	const char *const at = line[0] == '[' ? line_skip_blanks(line + 1) : "";
	const size_t digits = strspn(at, "0123456789");
	const size_t length = digits ? digits : line_begins(at, "SUM") ? 3 : line_begins(at, "ID") ? 2 : 0;

	return length && at[length] == ']' ? at + length + 1 : NULL;
}

/* What the server prints around "Server listening". */
static bool is_server_rule(const char *line)
{
	return strspn(line, "-") == 59 && line_is_over(line + 59);
}

bool iperf3_text_begins(const struct reader *reader, const struct lines *line)
{
	const char *const header = behind_stream(line->text);

	(void)reader;
	return is_server_rule(line->text) || line_begins(line->text, "Connecting to host ") ||
	       line_begins(line->text, "Accepted connection from ") || line_begins(line->text, "iperf 3.") ||
	       (header &&
		(line_begins(line_skip_blanks(header), "Interval ") || line_begins(header, "[Role] Interval ")));
}

bool iperf3_text_goes_on(const struct lines *line)
{
	static const char *const starts[] = {
		"- - - ",
		"-----",
		"Connecting to host ",
		"Accepted connection from ",
		"Reverse mode, ",
		"Linux ",
		"Control conn",
		"Time: ",
		"Cookie: ",
		"TCP MSS: ",
		"Starting T",
		"Test Complete",
		"CPU Utilization: ",
		"snd_tcp_congestion ",
		"rcv_tcp_congestion ",
		"iperf Done",
		"Target Bitrate",
		"Server listening on ",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (line_begins(line->text, starts[i])) {
			return true;
		}
	}
	return behind_stream(line->text) != NULL;
}

bool iperf3_text_ends(const struct lines *line)
{
	return line_begins(line->text, "iperf Done.");
}

static bool take_rate(const char **at, int64_t *bits_per_s)
{
	static const struct {
		const char *unit;
		int64_t bits_per_s;
	} units[] = {
		{ " bits/sec", 1 },
		{ " Kbits/sec", 1000 },
		{ " Mbits/sec", 1000000 },
		{ " Gbits/sec", 1000000000 },
		{ " KBytes/sec", 8192 },
		{ " MBytes/sec", INT64_C(8) << 20 },
		{ " GBytes/sec", INT64_C(8) << 30 },
	};
	const char *const number = *at;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		*at = number;
		if (line_decimal(at, units[i].bits_per_s, bits_per_s) && line_begins(*at, units[i].unit)) {
			*at = line_skip_blanks(*at + strlen(units[i].unit));
			return true;
		}
	}
	return false;
}

static const char *behind_word(const char *at)
{
	return line_skip_blanks(at + strcspn(at, " \t"));
}

/* "0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  1.132 ms  0/1727 (0%)", or "2    380 KBytes" behind the rate. */
static bool read_row(const char *at, struct summary_row *row)
{
	int64_t from_ns, to_ns, jitter_ns;
	uint64_t first;

	*row = (struct summary_row){ .is_there = true };
	if (!line_decimal(&at, NS_PER_S, &from_ns) || *at++ != '-' || !line_decimal(&at, NS_PER_S, &to_ns) ||
	    to_ns <= from_ns || to_ns - from_ns > DAY_NS || !line_begins(line_skip_blanks(at), "sec ")) {
		return false;
	}
	row->lasted_ns = to_ns - from_ns;
	at = behind_word(behind_word(behind_word(line_skip_blanks(at)))); /* sec, and the transfer with its unit */
	if (!take_rate(&at, &row->bits_per_s)) {
		return false;
	}
	const char *const tail = at;

	if (line_decimal(&at, NS_PER_MS, &jitter_ns) && line_begins(at, " ms")) {
		at = line_skip_blanks(at + 3);
		row->is_udp = line_number(&at, &row->lost) && *at++ == '/' && line_number(&at, &row->packets);
		return row->is_udp;
	}
	at = tail;
	row->has_retransmitted = line_number(&at, &first) && (*at == ' ' || line_is_over(at));
	row->retransmitted = row->has_retransmitted ? first : 0;
	return true;
}

/* The sum takes the place of its streams, which come before it. */
static bool take_row(struct iperf3_text *text, const char *line)
{
	const enum iperf3_role role = line_ends(line, "receiver") ? OF_RECEIVER : OF_SENDER;
	const char *at = behind_stream(line);
	const bool is_sum = line_begins(line, "[SUM]");
	const bool is_back = line_begins(at, "[RX-");
	struct summary_row row;

	at = line_skip_blanks(*at == '[' ? at + strcspn(at, " ") : at);
	if (!read_row(at, &row)) {
		return false;
	}
	if (is_sum || !text->rows[is_back][role].is_there) {
		text->rows[is_back][role] = row;
	}
	return true;
}

static void take_runs(struct reader *reader, struct iperf3_text *text)
{
	struct diagnosis *const diagnosis = reader->diagnosis;

	for (unsigned way = 0; way < WAYS_MAX; way++) {
		const struct summary_row *const received = &text->rows[way][OF_RECEIVER];
		const struct summary_row *const sent = &text->rows[way][OF_SENDER];

		if (!received->is_there || diagnosis->iperf3_count == DIAGNOSE_IPERF3_MAX) {
			continue;
		}
		struct diagnose_iperf3 *const run = &diagnosis->iperf3[diagnosis->iperf3_count++];

		*run = (struct diagnose_iperf3){
			.is_udp = received->is_udp,
			.lasted_ns = received->lasted_ns,
			.bytes =
				(uint64_t)received->bits_per_s / 8 * ((uint64_t)received->lasted_ns / NS_PER_MS) / 1000,
			.packets = received->packets,
			.has_packets = received->is_udp,
			.lost = received->lost,
			.has_retransmitted = sent->has_retransmitted,
			.retransmitted = sent->retransmitted,
			.cpu_permille = text->cpu_permille,
			.file = reader->file,
			.line = text->line,
		};
		memcpy(run->program, text->program, sizeof(run->program));
	}
	memset(text->rows, 0, sizeof(text->rows));
	text->cpu_permille = -1;
}

/* "local/sender 11.5% (0.0%u/11.5%s), remote/receiver 8.6% (0.7%u/7.9%s)": this end's. */
static void take_cpu(struct iperf3_text *text, const char *line)
{
	const char *at = line_behind(line, "local/");
	int64_t permille;

	if (at) {
		at = behind_word(at);
		text->cpu_permille = line_decimal(&at, 10, &permille) && *at == '%' ? permille : -1;
	}
}

void iperf3_text_read(struct reader *reader, char *text)
{
	struct iperf3_text read = { .line = reader->piece->first, .program = "iperf3", .cpu_permille = -1 };
	struct lines lines;

	lines_begin(&lines, text, reader->piece->first);
	while (lines_next(&lines)) {
		if (line_begins(lines.text, "Connecting to ") || line_begins(lines.text, "Accepted connection")) {
			take_runs(reader, &read);
			read.line = lines.number;
		} else if (line_begins(lines.text, "iperf 3.")) {
			snprintf(read.program, sizeof(read.program), "%.60s", lines.text);
		} else if (line_begins(lines.text, "CPU Utilization: ")) {
			take_cpu(&read, lines.text);
		} else if (behind_stream(lines.text) &&
			   (line_ends(lines.text, "sender") || line_ends(lines.text, "receiver")) &&
			   !take_row(&read, lines.text)) {
			reader_odd(reader);
		}
	}
	take_runs(reader, &read);
}

/* ---- ip -s link ---- */

/* "3: eth0@if2: <BROADCAST,...": what stands behind the number, or NULL. */
static const char *link_name(const char *line)
{
	const size_t digits = strspn(line, "0123456789");
	const char *const name = digits && line_begins(line + digits, ": ") ? line + digits + 2 : NULL;

	return name && line_behind(name, ": <") ? name : NULL;
}

bool counters_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return !line->is_indented && link_name(line->text);
}

bool counters_go_on(const struct lines *line)
{
	return line->is_indented;
}

/* The value below a heading: columns are counted, since only their order ties them. */
static void take_column(const char *headings, const char *values, const char *heading, int64_t *to)
{
	char word[32];
	uint64_t value;

	while (!line_is_over(headings) && !line_is_over(values)) {
		line_word(headings, "", word, sizeof(word));
		if (strcmp(word, heading) == 0 && line_number(&values, &value) && value <= INT64_MAX &&
		    (int64_t)value > *to) {
			*to = (int64_t)value;
			return;
		}
		headings = behind_word(headings);
		values = behind_word(values);
	}
}

void counters_read(struct reader *reader, char *text)
{
	char name[16], headings[LINE_MAX_BYTES] = "";
	struct diagnose_device *device = NULL;
	struct lines lines;

	lines_begin(&lines, text, 1);
	if (!lines_next(&lines)) {
		return;
	}
	line_word(link_name(lines.text), "@:", name, sizeof(name));
	const bool is_loopback = line_behind(lines.text, "<LOOPBACK") != NULL;

	while (!is_loopback && lines_next(&lines)) {
		if (headings[0]) {
			device = device ? device : reader_piece_device(reader, name);
			if (device) {
				device->has_drops = true;
				take_column(headings, lines.text, "missed", &device->drops.missed);
				take_column(headings, lines.text, "dropped", &device->drops.dropped);
			}
			headings[0] = '\0';
		} else if (line_begins(lines.text, "RX: ") && line_behind(lines.text, "packets")) {
			snprintf(headings, sizeof(headings), "%s", line_skip_blanks(lines.text + 4));
		}
	}
}
