/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of single frames, lines of the kernel's tracer, iperf3: what others measure with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "diagnose/reader.h"
#include "diagnose/remark.h"
#include "live/iperf3_json.h"
#include "trace/ftrace.h"
#include "workload/workload.h"

/* ---- frames out and back: "376589 tx" ---- */

static bool read_direction(const char *line, uint64_t *at_us, bool *is_tx)
{
	const char *at = line;

	if (!line_number(&at, at_us) || (*at != ' ' && *at != '\t')) {
		return false;
	}
	at = line_skip_blanks(at);
	*is_tx = line_begins(at, "tx");
	return (*is_tx || line_begins(at, "rx")) && line_is_over(at + 2);
}

bool pairs_begin(const struct reader *reader, const struct lines *line)
{
	uint64_t at_us;
	bool is_tx;

	(void)reader;
	return line_begins(line->text, "# time_us direction") || read_direction(line->text, &at_us, &is_tx);
}

bool pairs_go_on(const struct lines *line)
{
	uint64_t at_us;
	bool is_tx;

	return read_direction(line->text, &at_us, &is_tx);
}

void pairs_read(struct reader *reader, char *text)
{
	struct diagnosis *const diagnosis = reader->diagnosis;
	struct lines lines;
	uint64_t at_us, sent_us = 0;
	bool is_tx, is_out = false;

	lines_begin(&lines, text, 1);
	while (lines_next(&lines)) {
		if (!read_direction(lines.text, &at_us, &is_tx)) {
			continue;
		}
		if (!is_tx && is_out && at_us >= sent_us && at_us - sent_us < 1000000 &&
		    diagnosis->pair_count < DIAGNOSE_PAIRS_MAX) {
			diagnosis->pairs_ns[diagnosis->pair_count++] = (int64_t)(at_us - sent_us) * NS_PER_US;
		}
		is_out = is_tx;
		sent_us = at_us;
	}
}

/* ---- the kernel's tracer ---- */

static bool is_event(const struct lines *line)
{
	struct path_event event;
	struct ftrace_facts facts = { 0 };

	return ftrace_read(line->text, strlen(line->text), &event, &facts) != FTRACE_OTHER;
}

bool trace_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "# tracer:") || is_event(line);
}

/* Events that nobody here has a use for stand between those that matter: "[003] ... 217.340689: ". */
bool trace_goes_on(const struct lines *line)
{
	const char *const cpu = strstr(line->text, " [");

	return line->text[0] == '#' || is_event(line) ||
	       (cpu && strspn(cpu + 2, "0123456789") == 3 && cpu[5] == ']' && strstr(cpu, ": "));
}

static void each_event(const char *text, struct path *path, bool learn, struct ftrace_facts *facts)
{
	struct lines lines;

	*facts = (struct ftrace_facts){ 0 };
	lines_begin(&lines, text, 1);
	while (lines_next(&lines)) {
		struct path_event event;
		const enum ftrace_line kind = ftrace_read(lines.text, strlen(lines.text), &event, facts);

		if (kind == FTRACE_LOST) {
			event.kind = PATH_EVENT_LOST;
		}
		if (kind != FTRACE_OTHER && learn) {
			path_learn(path, &event);
		} else if (kind != FTRACE_OTHER) {
			path_take_event(path, &event);
		}
	}
}

static void take_stages(struct diagnose_trace *trace, const struct path_result *result)
{
	const struct histogram *const to_irq = &result->stage[PATH_XMIT_TO_IRQ],
				      *const to_done = &result->stage[PATH_XMIT_TO_COMPLETION];

	trace->to_irq_count = to_irq->count;
	trace->to_done_count = to_done->count;
	trace->to_irq_ns = trace->to_irq_count ? histogram_percentile(to_irq, 500000) : 0;
	trace->to_done_ns = trace->to_done_count ? histogram_percentile(to_done, 500000) : 0;
}

void trace_read(struct reader *reader, char *text)
{
	struct diagnosis *const diagnosis = reader->diagnosis;
	struct path *const path = path_new(reader->device);
	struct path_result *const result = path ? malloc(sizeof(*result)) : NULL;
	struct ftrace_facts facts;

	if (result && diagnosis->trace_count < DIAGNOSE_TRACES_MAX) {
		struct diagnose_trace *const trace = &diagnosis->traces[diagnosis->trace_count++];

		each_event(text, path, true, &facts);
		each_event(text, path, false, &facts);
		path_result(path, result);
		*trace = (struct diagnose_trace){ .by_hand = facts.by_hand,
						  .resolution_ns = facts.resolution_ns,
						  .file = reader->file,
						  .line = reader->piece->first };
		take_stages(trace, result);
	}
	free(result);
	path_free(path);
}

/* ---- iperf3 -J ---- */

bool iperf3_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line->text[0] == '{' && !line->is_indented &&
	       (line_is_over(line->text + 1) || line_begins(line->text, "{\"start\"") ||
		line_begins(line->text, "{ \"start\""));
}

bool iperf3_goes_on(const struct lines *line)
{
	return line->is_indented || line->text[0] == '}';
}

bool iperf3_ends(const struct lines *line)
{
	return !line->is_indented && line_ends(line->text, "}");
}

/* What stands behind the first "name": in the text, without blanks. */
static const char *json_value(const char *text, const char *name)
{
	const char *const at = strstr(text, name);
	const char *const colon = at ? strchr(at, ':') : NULL;

	return colon ? line_skip_blanks(colon + 1) : "";
}

static void take_report(struct diagnose_iperf3 *run, const struct iperf3_report *report,
			const struct iperf3_expectation *kind)
{
	const struct way *const way = &report->ways[kind->comes ? WORKLOAD_RX : WORKLOAD_TX];
	const enum way_count cpu = kind->comes ? WAY_RECEIVER_CPU_NS : WAY_SENDER_CPU_NS;

	run->is_udp = kind->is_udp;
	memcpy(run->program, report->program, sizeof(run->program));
	run->lasted_ns = report->lasted_ns;
	run->bytes = way->count[WAY_RECEIVED_BYTES];
	run->has_packets = way_has(way, WAY_SENT);
	run->packets = way->count[WAY_SENT];
	run->lost = run->packets > way->count[WAY_RECEIVED] ? run->packets - way->count[WAY_RECEIVED] : 0;
	run->has_retransmitted = way_has(way, WAY_RETRANSMITTED);
	run->retransmitted = way->count[WAY_RETRANSMITTED];
	run->cpu_permille = way_has(way, cpu) && run->lasted_ns > 0
				    ? (int64_t)(way->count[cpu] / (uint64_t)(run->lasted_ns / 1000 + 1))
				    : -1;
}

void iperf3_read(struct reader *reader, char *text)
{
	static const struct remark_origin origin = { "unreadable-json", "iperf3 3.12", -1, 0, 0 };
	struct diagnosis *const diagnosis = reader->diagnosis;
	const struct iperf3_expectation kind = {
		.is_udp = line_begins(json_value(text, "\"protocol\""), "\"UDP\""),
		.comes = line_begins(json_value(text, "\"reverse\""), "1"),
		.both = strstr(text, "_bidir_reverse") != NULL,
	};
	struct iperf3_report *const report = malloc(sizeof(*report));
	struct err err = { "" };

	if (report && diagnosis->iperf3_count < DIAGNOSE_IPERF3_MAX) {
		if (iperf3_json_read(text, strlen(text), &kind, report, &err) == 0) {
			struct diagnose_iperf3 *const run = &diagnosis->iperf3[diagnosis->iperf3_count++];

			*run = (struct diagnose_iperf3){ .file = reader->file, .line = reader->piece->first };
			take_report(run, report, &kind);
		} else {
			struct remark_origin at = origin;

			at.file = reader->file;
			at.line = reader->piece->first;
			reader_odd(reader);
			remark_add(diagnosis, &at, DIAGNOSE_NOTE,
				   "this looks like iperf3 -J and cannot be read: %.300s", err.text);
		}
	}
	free(report);
}
