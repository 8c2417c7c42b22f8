/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/spans.h"
#include "run/figure.h"

#define LABEL_WIDTH 14
#define LINE_MAX 600
#define SPAN_TITLE_MAX 16

/* A sender that left out more of its schedule than one packet in so many made another pattern. A last packet may be cut
 * off by the end, however few there are. */
#define KEPT_BUT_ONE_IN 100

const char *load_substitute(const struct load_request *request)
{
	if (request->means == FIT_ECHO) {
		return "ICMP echo: the peer's kernel returns each packet";
	}
	switch (request->workload.kind) {
	case WORKLOAD_FIELDBUS:
		return "UDP datagrams in frames of the same length, returned by the peer, stand for the bus";
	case WORKLOAD_TFTP:
		return "own packets in frames of the same length, not TFTP's";
	default:
		return NULL;
	}
}

static bool is_behind(const struct way *way)
{
	const uint64_t scheduled = way->count[WAY_SCHEDULED], sent = way->count[WAY_SENT];

	return way_has(way, WAY_SCHEDULED) && way_has(way, WAY_SENT) && sent + 1 < scheduled &&
	       scheduled - sent > scheduled / KEPT_BUT_ONE_IN;
}

static bool has_no_arrivals(const struct way *way)
{
	const uint64_t arrived = way->count[way_has(way, WAY_RECEIVED) ? WAY_RECEIVED : WAY_RECEIVED_BYTES];

	return (way_has(way, WAY_SENT) || way_has(way, WAY_SENT_BYTES)) &&
	       (way_has(way, WAY_RECEIVED) || way_has(way, WAY_RECEIVED_BYTES)) && arrived == 0;
}

bool load_is_insufficient(const struct load_result *result, char why[ERR_TEXT_MAX])
{
	if (result->is_incomplete || result->link_trouble[0]) {
		snprintf(why, ERR_TEXT_MAX, "%s%s%.280s", result->link_trouble,
			 result->is_incomplete && result->link_trouble[0] ? ": " : "",
			 result->is_incomplete ? result->why : "");
		return true;
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct way *const way = &result->ways[i];

		if (has_no_arrivals(way)) {
			snprintf(why, ERR_TEXT_MAX, "%s: nothing arrived", i == WORKLOAD_TX ? "tx" : "rx");
			return true;
		}
		if (is_behind(way)) {
			snprintf(why, ERR_TEXT_MAX,
				 "%s: the sender did not keep the rate, %" PRIu64 " of %" PRIu64 " left",
				 i == WORKLOAD_TX ? "tx" : "rx", way->count[WAY_SENT], way->count[WAY_SCHEDULED]);
			return true;
		}
	}
	return false;
}

/* ---- pieces of lines ---- */

struct line {
	char text[LINE_MAX];
};

static void append(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct line *line, const char *format, ...)
{
	const size_t length = strlen(line->text);
	va_list values;

	va_start(values, format);
	vsnprintf(line->text + length, sizeof(line->text) - length, format, values);
	va_end(values);
}

/* "12.345us" with three digits where that is shorter than the whole. */
static const char *print_ns(int64_t value_ns, char buffer[TEXT_DURATION_MAX])
{
	const int64_t step_ns = value_ns >= NS_PER_S ? NS_PER_MS : value_ns >= NS_PER_MS ? NS_PER_US : 1;

	return text_print_duration(value_ns / step_ns * step_ns, buffer);
}

static void append_ns(struct line *line, const char *label, int64_t value_ns)
{
	char text[TEXT_DURATION_MAX];

	append(line, "%s%s %s", line->text[0] ? ", " : "", label, print_ns(value_ns, text));
}

/* ---- the table ---- */

struct span_row {
	char title[SPAN_TITLE_MAX];
	const struct histogram *span;
};

static void take_way(struct span_row rows[], unsigned *count, const struct way *way, const char *direction)
{
	static const struct {
		enum way_span span;
		const char *title;
	} order[] = {
		{ WAY_GAP_ERROR, "gap error" },
		{ WAY_LATENESS, "lateness" },
		{ WAY_GAP, "arrivals" },
		{ WAY_ONE_WAY, "one way" },
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (way_has_span(way, order[i].span)) {
			struct span_row *const row = &rows[(*count)++];

			snprintf(row->title, sizeof(row->title), "%s %s", direction, order[i].title);
			row->span = &way->span[order[i].span];
		}
	}
}

static void print_spans(FILE *out, const struct load_result *result)
{
	struct span_row rows[2 * WAY_SPANS + 1];
	unsigned count = 0;

	take_way(rows, &count, &result->ways[WORKLOAD_TX], "tx");
	take_way(rows, &count, &result->ways[WORKLOAD_RX], "rx");
	if (result->has_rtt) {
		rows[count++] = (struct span_row){ "round trip", &result->rtt };
	}
	if (count == 0) {
		return;
	}
	putc('\n', out);
	spans_print_heading("times", "sd", out);
	for (unsigned i = 0; i < count; i++) {
		spans_print_row(rows[i].title, rows[i].span, out);
	}
	for (unsigned i = 0; i < count; i++) {
		if (rows[i].span->out_of_range) {
			fprintf(out, "%s: %" PRIu64 " more were out of range: the clock was stepped\n", rows[i].title,
				rows[i].span->out_of_range);
		}
	}
}

/* ---- the page ---- */

static void append_count(struct line *line, const struct way *way, enum way_count count, const char *word)
{
	if (way_has(way, count)) {
		append(line, "%s%" PRIu64 " %s", line->text[0] ? ", " : "", way->count[count], word);
	}
}

static void append_if_any(struct line *line, const struct way *way, enum way_count count, const char *word)
{
	if (way->count[count]) {
		append_count(line, way, count, word);
	}
}

static void print_packets(FILE *out, const struct way *way)
{
	struct line line = { "" };
	uint64_t lost;

	append_count(&line, way, WAY_SENT, "sent");
	if (way_has(way, WAY_SCHEDULED) && way->count[WAY_SCHEDULED] != way->count[WAY_SENT]) {
		append(&line, " of %" PRIu64 " scheduled", way->count[WAY_SCHEDULED]);
	}
	append_count(&line, way, WAY_RECEIVED, "received");
	if (way_lost(way, &lost)) {
		append(&line, ", %" PRIu64 " lost", lost);
	}
	append_if_any(&line, way, WAY_SOCKET_DROPPED, "of them at the receiving socket, which was full");
	append_if_any(&line, way, WAY_NOT_TAKEN, "not taken by the sending kernel");
	append_if_any(&line, way, WAY_DUPLICATED, "duplicated");
	append_if_any(&line, way, WAY_REORDERED, "reordered");
	append_if_any(&line, way, WAY_UNANSWERED, "requests unanswered");
	append_if_any(&line, way, WAY_LATE, "late");
	append_if_any(&line, way, WAY_CORRUPT, "corrupt");
	append_if_any(&line, way, WAY_FOREIGN, "foreign");
	append_if_any(&line, way, WAY_UNEXPECTED, "that nobody asked for");
	append_if_any(&line, way, WAY_RETRANSMITTED, "retransmitted");
	cmd_print_labelled(out, LABEL_WIDTH, "  packets", "%s", line.text);
}

static void append_figure(struct line *line, uint64_t thousandths, const char *unit, const char *what)
{
	char text[FIGURE_TEXT_MAX];

	append(line, "%s%s%s", line->text[0] ? ", " : "", figure_print((int64_t)thousandths, unit, text), what);
}

static void print_rates(FILE *out, const struct way *way)
{
	struct line line = { "" };
	uint64_t value;

	if (way_departure_rate(way, &value)) {
		append_figure(&line, value, "/s", " left");
	}
	if (way_arrival_rate(way, &value)) {
		append_figure(&line, value, "/s", " arrived");
	}
	if (way_goodput(way, &value)) {
		append_figure(&line, value / 1000, "Mb/s", " of payload, at the receiver");
	}
	if (line.text[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "  rate", "%s", line.text);
	}
}

static void print_tcp(FILE *out, const struct load_request *request, const struct way *way)
{
	struct line line = { "" };

	if (way_has(way, WAY_MSS_BYTES)) {
		append(&line, "segments of %" PRIu64 " bytes", way->count[WAY_MSS_BYTES]);
		if (way->count[WAY_MSS_BYTES] != request->workload.mss) {
			append(&line, " where %u were asked for", (unsigned)request->workload.mss);
		}
	}
	if (way_has(way, WAY_WINDOW_BYTES)) {
		append(&line, "%sthe receiver's window at most %" PRIu64 " bytes, %" PRIu64 " asked for",
		       line.text[0] ? ", " : "", way->count[WAY_WINDOW_BYTES], request->workload.window_bytes);
	}
	if (line.text[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "  tcp", "%s", line.text);
	}
}

static void print_cpu(FILE *out, const struct way *way)
{
	struct line line = { "" };

	if (way_has(way, WAY_SENDER_CPU_NS)) {
		append_ns(&line, "sender", (int64_t)way->count[WAY_SENDER_CPU_NS]);
	}
	if (way_has(way, WAY_RECEIVER_CPU_NS)) {
		append_ns(&line, "receiver", (int64_t)way->count[WAY_RECEIVER_CPU_NS]);
	}
	if (line.text[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "  cpu time", "%s", line.text);
	}
}

static void print_way(FILE *out, const struct load_request *request, const struct way *way, const char *title)
{
	if (!way->has && !way->has_spans) {
		return;
	}
	fprintf(out, "%s\n", title);
	if (way_has(way, WAY_SENT) || way_has(way, WAY_RECEIVED)) {
		print_packets(out, way);
	}
	print_rates(out, way);
	if (request->workload.kind == WORKLOAD_TCP) {
		print_tcp(out, request, way);
	}
	if (way->method[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "  pacing", "%s", way->method);
	}
	if (way_has(way, WAY_BURSTS)) {
		cmd_print_labelled(out, LABEL_WIDTH, "  bursts", "%" PRIu64 ", of %" PRIu64 " at most",
				   way->count[WAY_BURSTS], way->count[WAY_BURST_PACKETS_MAX]);
	}
	print_cpu(out, way);
}

static void print_heading(FILE *out, const struct load_request *request, const struct load_result *result)
{
	char workload[WORKLOAD_TEXT_MAX], span[TEXT_DURATION_MAX];
	const char *const substitute = load_substitute(request);

	fprintf(out, "%s%s, %s, measured by holdoff %s\n", workload_print(&request->workload, workload),
		request->both ? " both ways" : "", print_ns(result->lasted_ns, span), HOLDOFF_VERSION);
	cmd_print_labelled(out, LABEL_WIDTH, "from", "%s%s%s", result->source, result->device[0] ? " on " : "",
			   result->device);
	cmd_print_labelled(out, LABEL_WIDTH, "to", "%s%s%s", result->address, result->program[0] ? ", " : "",
			   result->program);
	if (substitute) {
		cmd_print_labelled(out, LABEL_WIDTH, "in its place", "%s", substitute);
	}
	if (request->means == FIT_PEER) {
		cmd_print_labelled(out, LABEL_WIDTH, "clocks", "%s",
				   result->shares_clock ? "both ends read one clock: one-way delays are true"
							: "two clocks: no one-way delays");
	}
}

void load_print(const struct load_request *request, const struct load_result *result, FILE *out)
{
	char why[ERR_TEXT_MAX];

	print_heading(out, request, result);
	print_way(out, request, &result->ways[WORKLOAD_TX], "tx, from here to the peer");
	print_way(out, request, &result->ways[WORKLOAD_RX], "rx, from the peer to here");
	if (request->workload.kind == WORKLOAD_TFTP && request->workload.total_bytes) {
		cmd_print_labelled(out, LABEL_WIDTH, "file", "%s",
				   result->is_complete_file ? "arrived whole" : "did not arrive whole in this time");
	}
	print_spans(out, result);
	if (load_is_insufficient(result, why)) {
		cmd_print_labelled(out, LABEL_WIDTH, "INSUFFICIENT", "%s", why);
	}
}
