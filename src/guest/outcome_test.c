/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of the harness; a part of each comes from the guest, where a script can write what it likes. */
#include <stdio.h>
#include <string.h>

#include "guest/outcome.h"
#include "tap.h"

static struct outcome outcome;

static void read_text(const char *text, int run_status)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s", text);
	FILE *const report = text[0] ? fmemopen(copy, strlen(copy), "r") : NULL;

	outcome_read(&outcome, report, run_status);
	if (report) {
		fclose(report);
	}
}

static void check_whole(void)
{
	read_text("release 6.1.0-57-amd64\r\ndriver r8169\r\nready 5003503623\r\nexit a.sh 0\r\nexit b.sh 7\r\n"
		  "over 7003503623\r\nqemu 7.2.22 (Debian)\noutcome failed\nwhy b.sh left with status 7\n",
		  7);
	tap_is(outcome.kind, OUTCOME_FAILED, "the kind is the reported one");
	tap_is(outcome_status(&outcome), 7, "the status is that of the first script that failed");
	tap_is_text(outcome.kernel, "6.1.0-57-amd64", "the kernel, without the serial port's carriage return");
	tap_is_text(outcome.qemu, "7.2.22 (Debian)", "a value may have blanks");
	tap_is_text(outcome.why, "b.sh left with status 7", "and why");
	tap_is(outcome.over_at_ns - outcome.ready_at_ns, 2000000000, "times are ns");
	tap_is(outcome.script_count, 2, "two scripts ended");
}

static void check_none(void)
{
	read_text("", 77);
	tap_is(outcome_status(&outcome), 3, "without a report, 77 is unavailable");
	read_text("", 2);
	tap_is(outcome_status(&outcome), 2, "2 is refused");
	read_text("", 0);
	tap_is(outcome_status(&outcome), 125, "0 is no success either");
	tap_is_text(outcome.why, "the harness ended with status 0 and does not say why", "and there is a sentence");
	tap_ok(!outcome.is_said, "that nobody has said");
	tap_is(outcome.ready_at_ns, OUTCOME_UNKNOWN_NS, "no time is known");
}

static void check_rubbish(void)
{
	read_text("exit a.sh 256\nexit\nexit b.sh -1\nexit c.sh 99999999999999999999\nexit d.sh 1x\noutcome failed\n",
		  1);
	tap_is(outcome.script_count, 0, "what is no exit status is passed over");
	tap_is(outcome_status(&outcome), 1, "a failure without one is 1");
	read_text("ready -5\nover 9223372036854775808\noutcome done\noutcome nonsense\nword\n\n", 0);
	tap_is(outcome.kind, OUTCOME_DONE, "an unknown outcome is passed over");
	tap_ok(outcome.ready_at_ns == OUTCOME_UNKNOWN_NS && outcome.over_at_ns == OUTCOME_UNKNOWN_NS,
	       "so are times that are none");
}

static void check_many(void)
{
	char text[4096] = "";

	for (int i = 0; i <= OUTCOME_SCRIPTS_MAX; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "exit s%d 0\n", i);
	}
	read_text(text, 0);
	tap_is(outcome.script_count, OUTCOME_SCRIPTS_MAX, "no more scripts than can be asked for");
}

int main(void)
{
	check_whole();
	check_none();
	check_rubbish();
	check_many();
	return tap_done();
}
