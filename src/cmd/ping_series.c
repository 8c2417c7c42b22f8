/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff ping without more: one series of probes, a line for each reply, the distribution. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/ping.h"
#include "live/echo.h"

#define LINES_FROM_NS (10 * NS_PER_MS) /* more than a hundred lines a second nobody reads, and they cost time */

/* In ping's digits: three that count. */
static void print_time(int64_t rtt_ns)
{
	const int64_t us = (rtt_ns + NS_PER_US / 2) / NS_PER_US;

	if (us >= 100000) {
		printf(" time=%" PRId64 " ms", us / 1000);
	} else if (us >= 10000) {
		printf(" time=%" PRId64 ".%01" PRId64 " ms", us / 1000, us % 1000 / 100);
	} else if (us >= 1000) {
		printf(" time=%" PRId64 ".%02" PRId64 " ms", us / 1000, us % 1000 / 10);
	} else {
		printf(" time=0.%03" PRId64 " ms", us);
	}
}

static void print_reply(void *context, const struct ping_reply *reply)
{
	static const char *const remarks[] = { [TALLY_IS_RECEIVED] = "",
					       [TALLY_IS_LATE] = " (late)",
					       [TALLY_IS_DUPLICATE] = " (DUP!)",
					       [TALLY_IS_CORRUPT] = " (corrupted)" };
	char from[HOST_TEXT_MAX];

	(void)context;
	if (reply->verdict == TALLY_IS_FOREIGN) {
		return;
	}
	printf("%u bytes from %s: icmp_seq=%" PRIu64, reply->payload_bytes + ECHO_HEADER_BYTES,
	       host_print(&reply->from, from), reply->sequence);
	if (reply->time_to_live >= 0) {
		printf(" ttl=%d", reply->time_to_live);
	}
	if (reply->has & (1u << PING_TO_KERNEL)) {
		print_time(reply->rtt_ns[PING_TO_KERNEL]);
	} else if (reply->has & (1u << PING_TO_APPLICATION)) {
		print_time(reply->rtt_ns[PING_TO_APPLICATION]);
	}
	puts(remarks[reply->verdict]);
	fflush(stdout);
}

static int print_result(const struct ping_command *command, const struct ping_result *result)
{
	struct json_writer writer;

	if (command->is_json) {
		ping_json_begin(&writer, command);
		ping_json_result(&writer, result);
		return ping_json_end(&writer);
	}
	ping_print_counts(command, result, stdout);
	ping_print_spans(command, result, stdout);
	ping_print_last_line(result, stdout);
	return CMD_FINE;
}

int ping_run_series(struct ping_command *command)
{
	struct ping_request request = ping_base_request(command);
	struct ping *ping;
	struct err err = { "" };

	if (!command->is_quiet && !command->is_json && request.interval_ns >= LINES_FROM_NS) {
		request.on_reply = print_reply;
	}
	int ret = ping_open(&ping, &request, &err);

	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	if (!command->is_json) {
		ping_print_heading(command, stdout);
		fflush(stdout);
	}
	ret = ping_run(ping, &err);
	if (ret == 0 || ping_result(ping)->counts.sent > 0) {
		const int written = print_result(command, ping_result(ping));

		ret = ret < 0 ? cmd_fail(ret, &err) : written ? written : ping_status(ping_result(ping), CMD_FINE);
	} else {
		ret = cmd_fail(ret, &err);
	}
	ping_close(ping);
	return ret;
}
