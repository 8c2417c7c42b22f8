/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of ping, whichever: iputils, BSD's and macOS's, busybox, fping, Windows, hping3. They agree on a line for each
 * answer with time=, rtt= or three columns, a heading with the size of the payload, and figures behind "min/avg/max".
 * Times keep the digits that were printed; "<1ms" is counted as 1 ms and said.
 */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "diagnose/reader.h"

const char *diagnose_ping_program_name(enum diagnose_ping_program program)
{
	static const char *const names[DIAGNOSE_PING_PROGRAMS] = {
		[DIAGNOSE_PING_IPUTILS] = "iputils", [DIAGNOSE_PING_BSD] = "bsd",
		[DIAGNOSE_PING_BUSYBOX] = "busybox", [DIAGNOSE_PING_FPING] = "fping",
		[DIAGNOSE_PING_WINDOWS] = "windows", [DIAGNOSE_PING_HPING] = "hping3",
	};

	return names[program];
}

bool diagnose_ping_span(const struct diagnose_ping *ping, struct diagnose_span *span)
{
	if (ping->samples) {
		*span = (struct diagnose_span){ ping->samples, ping->sample_min_ns, ping->sample_sum_ns / ping->samples,
						ping->sample_max_ns };
		return true;
	}
	*span = (struct diagnose_span){ ping->has_counts ? ping->received : 0, ping->min_ns, ping->mean_ns,
					ping->max_ns };
	return ping->has_summary;
}

/* ---- what a line is ---- */

/* "host : [0], 84 bytes, 0.05 ms (0.05 avg, 0% loss)" */
static const char *find_fping_answer(const char *line)
{
	const char *const size = strstr(line, "], ");
	const char *const bytes = size ? strstr(size, " bytes, ") : NULL;

	return strstr(line, " : [") && bytes ? bytes + strlen(" bytes, ") : NULL;
}

/* Where the time of an answer begins, NULL: it is none. *is_below: less than that. */
static const char *find_answer(const char *line, bool *is_below)
{
	const char *at = NULL;

	*is_below = false;
	if (strstr(line, "bytes from ") || line_begins(line, "Reply from ")) {
		at = strstr(line, "time=");
		if (!at) {
			at = strstr(line, "time<");
			*is_below = at != NULL;
		}
		return at ? at + strlen("time=") : NULL;
	}
	if (line_begins(line, "len=") && strstr(line, "rtt=")) {
		return strstr(line, "rtt=") + strlen("rtt=");
	}
	return find_fping_answer(line);
}

static bool is_heading(const char *line)
{
	return (line_begins(line, "PING ") && (strstr(line, "data bytes") || strstr(line, "bytes of data"))) ||
	       (line_begins(line, "Pinging ") && strstr(line, "bytes of data")) || line_begins(line, "HPING ");
}

static bool is_figures(const char *line)
{
	return line_begins(line, "rtt min/avg/max") || line_begins(line, "round-trip min/avg/max") ||
	       (line_begins(line, "Minimum = ") && strstr(line, "Average = ")) ||
	       (strstr(line, " : xmt/rcv/%loss = ") != NULL);
}

static bool is_around(const char *line)
{
	return strstr(line, "ping statistics ---") || strstr(line, "hping statistic ---") ||
	       strstr(line, "packets transmitted") || line_begins(line, "Ping statistics for ") ||
	       line_begins(line, "Packets: Sent = ") || line_begins(line, "Approximate round trip times") ||
	       line_begins(line, "Request timed out") || line_begins(line, "no answer yet for icmp_seq") ||
	       strstr(line, "Destination Host Unreachable") || line_begins(line, "packets tramitted");
}

bool ping_begins(const struct reader *reader, const struct lines *line)
{
	bool is_below;

	(void)reader;
	return is_heading(line->text) || find_answer(line->text, &is_below) || is_figures(line->text) ||
	       strstr(line->text, "ping statistics ---") != NULL;
}

bool ping_goes_on(const struct lines *line)
{
	bool is_below;

	return !is_heading(line->text) &&
	       (find_answer(line->text, &is_below) || is_figures(line->text) || is_around(line->text));
}

/* ---- reading ---- */

static int64_t unit_of(const char *at)
{
	at = line_skip_blanks(at);
	return line_begins(at, "us")                  ? NS_PER_US
	       : line_begins(at, "ms") || *at == '\0' ? NS_PER_MS
	       : line_begins(at, "s")                 ? NS_PER_S
						      : NS_PER_MS;
}

static void take_answer(struct diagnose_ping *ping, const char *at, bool is_below)
{
	const char *const unit = at + strspn(at, "0123456789.");
	int64_t span_ns;

	/* No program waits for an hour; and the sum of any number of lines has to fit. */
	if (!line_decimal(&at, unit_of(unit), &span_ns) || span_ns > 3600 * NS_PER_S) {
		return;
	}
	ping->sample_min_ns = ping->samples ? time_min(ping->sample_min_ns, span_ns) : span_ns;
	ping->sample_max_ns = time_max(ping->sample_max_ns, span_ns);
	ping->sample_sum_ns += span_ns;
	ping->samples++;
	ping->below += is_below;
}

/* "82(110) bytes of data", "56 data bytes", "with 32 bytes of data" */
static int64_t payload_of(const char *line)
{
	const char *at = strstr(line, " bytes of data");
	uint64_t bytes;

	at = at ? at : strstr(line, " data bytes");
	while (at && at > line && at[-1] != ' ' && at[-1] != ':') {
		at--;
	}
	return at && line_number(&at, &bytes) && bytes <= 65535 ? (int64_t)bytes : -1;
}

static void take_heading(struct diagnose_ping *ping, const char *line)
{
	const char *const target = strchr(line, ' ') + 1;

	line_word(target, "", ping->target, sizeof(ping->target));
	ping->payload_bytes = payload_of(line);
	if (line_begins(line, "Pinging ")) {
		ping->program = DIAGNOSE_PING_WINDOWS;
	} else if (line_begins(line, "HPING ")) {
		ping->program = DIAGNOSE_PING_HPING;
	} else {
		ping->program = strstr(line, "bytes of data") ? DIAGNOSE_PING_IPUTILS : DIAGNOSE_PING_BSD;
	}
}

/* "0.274/0.485/0.607/0.026 ms, ipg/ewma 0.508/0.489 ms" */
static void take_slashes(struct diagnose_ping *ping, const char *at)
{
	const char *const unit = at + strspn(at, "0123456789./");
	int64_t *const values[] = { &ping->min_ns, &ping->mean_ns, &ping->max_ns, &ping->mdev_ns };
	unsigned count = 0;

	while (count < 4 && line_decimal(&at, unit_of(unit), values[count])) {
		count++;
		if (*at != '/') {
			break;
		}
		at++;
	}
	ping->has_summary = count >= 3;
	const char *ipg = line_behind(at, "ipg/ewma");

	if (ipg && !line_decimal(&ipg, NS_PER_MS, &ping->ipg_ns)) {
		ping->ipg_ns = 0;
	}
}

/* "Minimum = 0ms, Maximum = 1ms, Average = 0ms" */
static void take_windows(struct diagnose_ping *ping, const char *line)
{
	const char *min = line_behind(line, "Minimum ="), *max = line_behind(line, "Maximum ="),
		   *mean = line_behind(line, "Average =");

	ping->program = DIAGNOSE_PING_WINDOWS;
	ping->has_summary = min && max && mean && line_decimal(&min, NS_PER_MS, &ping->min_ns) &&
			    line_decimal(&max, NS_PER_MS, &ping->max_ns) &&
			    line_decimal(&mean, NS_PER_MS, &ping->mean_ns);
}

/* "host : xmt/rcv/%loss = 10/10/0%, min/avg/max = 0.03/0.04/0.06" */
static void take_fping(struct diagnose_ping *ping, const char *line)
{
	const char *at = line_behind(line, "xmt/rcv/%loss =");

	ping->program = DIAGNOSE_PING_FPING;
	line_word(line, "", ping->target, sizeof(ping->target));
	ping->has_counts = line_number(&at, &ping->sent) && *at++ == '/' && line_number(&at, &ping->received);
	at = line_behind(line, "min/avg/max =");
	if (at) {
		take_slashes(ping, at);
	}
}

static void take_figures(struct diagnose_ping *ping, const char *line)
{
	const char *const equals = line_behind(line, "= ");

	if (line_begins(line, "Minimum = ")) {
		take_windows(ping, line);
	} else if (strstr(line, "xmt/rcv/%loss =")) {
		take_fping(ping, line);
	} else if (equals) {
		take_slashes(ping, equals);
		if (line_begins(line, "round-trip min/avg/max =") && ping->program == DIAGNOSE_PING_BSD) {
			ping->program = DIAGNOSE_PING_BUSYBOX;
		}
	}
}

/* "5906 packets transmitted, 5905 received, 0% packet loss, time 2999ms" */
static void take_counts(struct diagnose_ping *ping, const char *line)
{
	const char *at = line, *received = line_behind(line, "transmitted,"), *time = line_behind(line, ", time ");

	if (line_begins(line, "Packets: Sent = ")) {
		at = line_behind(line, "Sent =");
		received = line_behind(line, "Received =");
	}
	if (!received || !line_number(&at, &ping->sent) || !line_number(&received, &ping->received)) {
		return;
	}
	ping->has_counts = true;
	if (time && !line_decimal(&time, NS_PER_MS, &ping->lasted_ns)) {
		ping->lasted_ns = 0;
	}
}

static void take_line(struct diagnose_ping *ping, const char *line)
{
	bool is_below;
	const char *const answer = find_answer(line, &is_below);

	if (answer) {
		take_answer(ping, answer, is_below);
		if (find_fping_answer(line)) {
			ping->program = DIAGNOSE_PING_FPING;
			line_word(line, "", ping->target, sizeof(ping->target));
		} else if (line_begins(line, "Reply from ")) {
			ping->program = DIAGNOSE_PING_WINDOWS;
		} else if (strstr(line, ": seq=")) {
			ping->program = DIAGNOSE_PING_BUSYBOX;
		}
	} else if (is_heading(line)) {
		take_heading(ping, line);
	} else if (is_figures(line)) {
		take_figures(ping, line);
	} else {
		take_counts(ping, line);
	}
}

/* The interface that was set, or shown, before: of a machine with one it is the one that the ping went through. */
static void take_settings(const struct reader *reader, struct diagnose_ping *ping)
{
	const struct diagnosis *const diagnosis = reader->diagnosis;

	ping->device = diagnosis->device_count == 1 ? 0 : -1;
	if (ping->device < 0 || !diagnosis->devices[0].has_settings) {
		ping->device = -1;
		return;
	}
	ping->settings = diagnosis->devices[0].settings;
	/* What was set and not refused, and not shown since. */
	for (unsigned i = 0; i < diagnosis->change_count; i++) {
		const struct diagnose_change *const change = &diagnosis->changes[i];

		if (!change->is_refused && !change->is_read_back) {
			ping->settings = coalesce_merge(&ping->settings, &change->request);
		}
	}
}

void ping_read(struct reader *reader, char *text)
{
	struct diagnosis *const diagnosis = reader->diagnosis;
	struct diagnose_ping ping = {
		.file = reader->file, .line = reader->piece->first, .payload_bytes = reader->ping_payload, .mdev_ns = -1
	};
	struct lines lines;

	lines_begin(&lines, text, 1);
	while (lines_next(&lines)) {
		take_line(&ping, lines.text);
	}
	take_settings(reader, &ping);
	reader->piece->device = ping.device;
	if (diagnosis->ping_count < DIAGNOSE_PINGS_MAX) {
		diagnosis->pings[diagnosis->ping_count++] = ping;
	} else {
		diagnosis->pings_left_out++;
	}
}
