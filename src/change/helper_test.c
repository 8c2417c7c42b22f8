/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the helper makes of an entry and of a revert that fails; how it waits and ends is tested with the transaction. */
#include <sys/resource.h>
#include <sys/stat.h>

#include "change/helper.c"
#include "tap.h"

static char folder[64] = "/tmp/holdoff-helper-XXXXXX";
static struct helper_task task = { .folder = folder, .netns = 1, .token = 4711, .ifindex = 7, .name = "eth7" };
static int outcome;

/* In place of the real one. */
int change_revert_trial(const struct helper_task *asked, bool is_early, struct err *err)
{
	(void)asked;
	(void)is_early;
	return outcome < 0 ? err_set(err, outcome, "a test") : outcome;
}

void change_clean(const struct helper_task *asked)
{
	(void)asked;
}

static bool ends_with(struct helper *helper, int error, int expected)
{
	int status = -1;

	outcome = error;
	return revert(helper, &status) && status == expected;
}

static void check_retries(void)
{
	struct helper helper = { .task = &task };
	unsigned tries = 1;

	tap_ok(ends_with(&helper, 0, 0), "what was put back is done");
	tap_ok(ends_with(&helper, -ESTALE, 1), "somebody else's value is for people to decide");
	tap_ok(!ends_with(&helper, CHANGE_NOT_DUE, 0) && helper.retries == 0, "what is not due is no failure");
	tap_ok(!ends_with(&helper, -EAGAIN, 7) && helper.retries == 1 && helper.retry_at_ns > helper_now(),
	       "a driver that says EAGAIN is asked again, but not at once");
	while (!ends_with(&helper, -EIO, 7) && tries < 100) {
		tries++;
	}
	tap_is(tries, RETRIES, "what goes on failing is given up in the end");
}

static void write_entry(uint64_t token)
{
	static struct journal journal;

	journal = (struct journal){ .netns = 1, .ifindex = 7, .boot = "boot", .name = "eth7" };
	journal.open = (struct journal_layer){ .is_present = true, .token = token, .deadline_at_ns = NEVER_AT_NS };
	coalesce_put(&journal.open.old.device, COALESCE_RX_USECS, 3);
	tap_is(journal_write(&journal, folder, NULL), 0, "an entry with token %d is written", (int)token);
}

static void check_judgement(void)
{
	struct helper helper = { .task = &task, .command_ended = true };
	struct rlimit before;
	int64_t at_ns;

	tap_is(judge(&helper, &at_ns), HELPER_ENDS, "without an entry there is nothing to do");
	write_entry(4712);
	tap_is(judge(&helper, &at_ns), HELPER_ENDS, "nor with somebody else's");
	write_entry(4711);
	tap_is(judge(&helper, &at_ns), HELPER_REVERTS, "what a dead command has left is put back");
	getrlimit(RLIMIT_NOFILE, &before);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max });
	const enum verdict verdict = judge(&helper, &at_ns);

	setrlimit(RLIMIT_NOFILE, &before);
	tap_is(verdict, HELPER_WAITS, "an entry that cannot be opened just now is not given up");
	tap_ok(at_ns < helper_now() + NS_PER_S, "but looked at again soon");
	tap_is(journal_remove(folder, 1, 7, NULL), 0, "the entry is removed");
}

static void check_gone(void)
{
	int status;
	const pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_NAME, PROCESS_NAME);
		pause();
		_exit(0);
	}
	tap_ok(!helper_is_gone(0), "of a helper that nobody has told nothing is said");
	tap_ok(helper_is_gone((uint32_t)getpid()), "a process of another name is no helper");
	for (unsigned i = 0; i < 1000 && helper_is_gone((uint32_t)child); i++) {
		const struct timespec span = { .tv_nsec = 5000000 };

		nanosleep(&span, NULL);
	}
	tap_ok(!helper_is_gone((uint32_t)child), "one of its name is there");
	kill(child, SIGKILL);
	while (waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
	}
	tap_ok(helper_is_gone((uint32_t)child), "and gone when it was killed, though nobody has waited for it");
	waitpid(child, &status, 0);
	tap_ok(helper_is_gone((uint32_t)child), "and afterwards");
}

int main(void)
{
	if (!mkdtemp(folder)) {
		return 1;
	}
	check_retries();
	check_judgement();
	check_gone();
	tap_is(rmdir(folder), 0, "nothing is left in the folder");
	return tap_done();
}
