/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transaction against a peer that plays the kernel: what is sent, what is put back, and that a fault in any message leaves either
 * all of a change or nothing of it. The interface is lo, of which nothing is ever set: the peer answers for it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "change/advice.h"
#include "change/change.h"
#include "change/change_private.h"
#include "change/helper.h"
#include "change/journal.h"
#include "change/lock.h"
#include "change/request.h"
#include "peer/peer.h"
#include "tap.h"

static char folder[64] = "/tmp/holdoff-change-XXXXXX";
static char state[96];
static struct nic nic;
static int peer_fd = -1;
static pid_t server;
static struct change change;
static struct change_set wanted;
static struct err err;

/* Longer than whatever a machine that is busy with other tests may take. */
#define SETTLE_NS (60 * NS_PER_S)
/* Of a trial whose time does not come by itself: time_comes ends it. */
#define LONG_MS 3600000

static void sleep_ms(unsigned ms)
{
	const struct timespec span = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&span, NULL);
}

/* ---- the peer ---- */

static struct peer_config device(const char *name, unsigned speed_mbps)
{
	struct peer_config config = peer_config_default();

	snprintf(config.device, sizeof(config.device), "%s", name);
	config.speed_mbps = speed_mbps;
	return config;
}

static void start_peer(const struct peer_config *config)
{
	char number[16];

	peer_fd = peer_start(config, state, NULL, &server);
	snprintf(number, sizeof(number), "%d", peer_fd);
	setenv("HOLDOFF_NETLINK_FD", number, 1);
	if (nic_open(&nic, "lo", &err)) {
		tap_ok(false, "lo is opened: %s", err.text);
		exit(tap_done());
	}
}

static void stop_peer(void)
{
	nic_close(&nic);
	close(peer_fd);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

/* Another connection: also when that of the test was hung up. */
static void reopen(void)
{
	nic_close(&nic);
	if (nic_open(&nic, "lo", &err)) {
		tap_ok(false, "lo is opened again: %s", err.text);
		exit(tap_done());
	}
}

/* Everything that the device reports, as text. */
static const char *now(void)
{
	static char text[4][8192];
	static unsigned turn;
	static struct nic_napi napis[NIC_NAPIS_MAX];
	char *const to = text[turn++ % 4];
	char words[COALESCE_TEXT_MAX], napi[CHANGE_NAPI_TEXT_MAX];
	struct coalesce settings;
	unsigned count = 0;
	size_t length = 0;

	to[0] = '\0';
	if (nic_coalesce_get(&nic, &settings, &err)) {
		return err.text;
	}
	length += (size_t)snprintf(to + length, sizeof(text[0]) - length, "%s", coalesce_print(&settings, words));
	for (unsigned queue = 0; nic_queue_coalesce_get(&nic, queue, UINT32_MAX, &settings, NULL) == 0; queue++) {
		length += (size_t)snprintf(to + length, sizeof(text[0]) - length, "; queue %u %s", queue,
					   coalesce_print(&settings, words));
	}
	nic_napi_list(&nic, napis, NIC_NAPIS_MAX, &count, NULL);
	for (unsigned i = 0; i < count; i++) {
		length += (size_t)snprintf(to + length, sizeof(text[0]) - length, "; napi %u %s", napis[i].id,
					   change_napi_print(&napis[i], napi));
	}
	return to;
}

static void set_by_others(const char *words)
{
	struct coalesce settings;

	coalesce_parse_text(&settings, words, &err);
	tap_is(nic_coalesce_set(&nic, &settings, &err), 0, "somebody sets %s %s", words, "");
}

/* ---- the change ---- */

static void want(const char *text)
{
	static char copy[1024];
	const char *words[128];
	unsigned count = 0;
	char *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		words[count++] = word;
	}
	err.text[0] = '\0';
	if (change_set_parse(&wanted, words, count, &err)) {
		tap_ok(false, "%s is a request: %s", text, err.text);
	}
}

static int begin(const char *text, enum change_end end, unsigned span_ms)
{
	bool stale;

	want(text);
	return change_begin(&change, &nic, &wanted, end, span_ms * NS_PER_MS, false, &stale, &err);
}

static int set(const char *text, enum change_end end, unsigned span_ms)
{
	int ret = begin(text, end, span_ms);

	ret = ret ? ret : change_apply(&change, &err);
	return ret ? ret : change_keep(&change, &err);
}

static void entry_path(char *path)
{
	journal_path(path, folder, journal_netns(), nic.ifindex, ".entry");
}

static bool has_entry(void)
{
	char path[JOURNAL_PATH_MAX];

	entry_path(path);
	return access(path, F_OK) == 0;
}

static bool has_trial(void)
{
	static struct journal journal;
	char path[JOURNAL_PATH_MAX];

	entry_path(path);
	return journal_read(&journal, path, NULL) == 0 && journal.open.is_present;
}

/* Until nothing is on trial any more. */
static bool settle(void)
{
	const int64_t end_at_ns = helper_now() + SETTLE_NS;

	while (has_trial() && helper_now() < end_at_ns) {
		sleep_ms(5);
	}
	return !has_trial();
}

/* What is on trial is due now, as if its time had passed: the helper sees that the entry is another one. */
static void time_comes(void)
{
	static struct locked_entry entry;

	tap_is(entry_lock(&entry, nic.ifindex, "lo", LOCK_WAIT_MS, &err), 0, "the entry is locked: %s", err.text);
	entry.journal.open.deadline_at_ns = helper_now();
	tap_is(journal_write(&entry.journal, folder, &err), 0, "and due from now on: %s", err.text);
	entry_unlock(&entry);
}

/* Until the helper has written down that what was on trial cannot be put back: its time is over, and it is there still. */
static bool gives_up(void)
{
	static struct journal journal;
	const int64_t end_at_ns = helper_now() + SETTLE_NS;
	char path[JOURNAL_PATH_MAX];

	entry_path(path);
	do {
		sleep_ms(5);
		if (journal_read(&journal, path, NULL) == 0 && journal.open.is_present &&
		    journal.open.deadline_at_ns == NEVER_AT_NS) {
			return true;
		}
	} while (helper_now() < end_at_ns);
	return false;
}

static void revert_is(int expected, bool force, const char *text)
{
	err.text[0] = '\0';
	tap_is(change_revert_device(&nic, force, NULL, &err), expected, "%s: %s", text, err.text);
}

/* ---- whole changes ---- */

static void check_plain(void)
{
	const struct peer_config config = device("r8169@6.12", 100);
	char before[512];

	start_peer(&config);
	set_by_others("rx-usecs 1228");
	snprintf(before, sizeof(before), "%s", now());
	tap_ok(strncmp(before, "rx-usecs 1229 ", 14) == 0, "the device reads 1229, which it would refuse: %s", before);
	tap_is(set("rx-usecs 1229", CHANGE_STAYS, 0), 0, "asking for what is there");
	tap_ok(!change.is_needed && !has_entry(), "sends and journals nothing");
	tap_is(set("rx-usecs 20", CHANGE_STAYS, 0), 0, "asking for 20: %s", err.text);
	tap_is(change.reported.device.value[COALESCE_RX_USECS], 21, "is rounded to 21");
	tap_ok(change.has_effect && has_entry() && !has_trial(), "has an effect and stays journalled");
	tap_is(set("rx-usecs 40", CHANGE_STAYS, 0), 0, "and again");
	revert_is(0, false, "put back");
	tap_is_text(now(), before, "to what was before both");
	tap_ok(!has_entry(), "the journal is empty");
	revert_is(-ENOENT, false, "nothing more to put back");
	tap_is(set("rx-usecs 1228", CHANGE_STAYS, 0), 0, "asking for 1228 where 1229 is read");
	tap_ok(!change.has_effect && !has_entry(), "has no effect, and nothing stays journalled");
	begin("rx-usecs 20", CHANGE_STAYS, 0);
	tap_is(change_apply(&change, &err), 0, "a change that its command takes back");
	tap_is(change_revert(&change, &err), 0, "is taken back");
	tap_is_text(now(), before, "to what was");
	tap_ok(!has_entry(), "the journal is empty");
	stop_peer();
	unlink(state);
}

static void check_fec(void)
{
	struct peer_config config = device("fec@old", 1000);
	char before[512];

	config.has_multi_queues = true;
	start_peer(&config);
	snprintf(before, sizeof(before), "%s", now());
	tap_is(set("rx-usecs 0 rx-frames 0", CHANGE_STAYS, 0), 0,
	       "zeros that this driver stores and does not write: %s", err.text);
	tap_is(change.reported.device.value[COALESCE_RX_USECS], 0, "are reported");
	revert_is(0, false, "put back");
	tap_is_text(now(), before, "to what was");
	set_by_others("rx-usecs 0");
	snprintf(before, sizeof(before), "%s", now());
	tap_is(set("rx-usecs 500 tx-frames 9", CHANGE_STAYS, 0), 0, "from a zero: %s", err.text);
	revert_is(0, false, "put back");
	tap_is_text(now(), before, "to the zero");
	stop_peer();
	unlink(state);
}

/* Everything is sent, and nobody is left to say so. */
static void die_in_the_middle(const char *request)
{
	int status;
	const pid_t child = fork();

	if (child == 0) {
		reopen();
		if (begin(request, CHANGE_FOR, LONG_MS) == 0) {
			nic_coalesce_set(&nic, &wanted.device, &err);
		}
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
}

/* A trial that is confirmed before its time is over, which is longer and longer where others have the CPU. Returns that time. */
static unsigned confirm_in_time(const char *request)
{
	unsigned span_ms = 200;
	int ret;

	do {
		span_ms *= 2;
		tap_is(set(request, CHANGE_UNTIL_CONFIRMED, span_ms), 0, "another, for %u ms", span_ms);
		ret = change_confirm(&nic, &err);
	} while (ret == -ENOENT && span_ms < 20000);
	tap_is(ret, 0, "that is confirmed: %s", err.text);
	return span_ms;
}

static void check_deadline(void)
{
	const struct peer_config config = device("r8169@6.12", 100);
	char before[512], kept[512];

	start_peer(&config);
	set_by_others("rx-usecs 1228");
	snprintf(before, sizeof(before), "%s", now());
	tap_is(set("rx-usecs 20", CHANGE_FOR, 150), 0, "for 150 ms: %s", err.text);
	tap_ok(settle(), "the time comes");
	tap_is_text(now(), before, "it is back");
	tap_is(set("rx-usecs 20", CHANGE_FOR, LONG_MS), 0, "for an hour: %s", err.text);
	tap_ok(has_trial(), "is on trial");
	tap_is(set("rx-frames 8", CHANGE_STAYS, 0), -EBUSY, "a change that stays has to wait: %s", err.text);
	tap_is(set("tx-usecs 20", CHANGE_FOR, LONG_MS), 0, "another trial on top: %s", err.text);
	time_comes();
	tap_ok(settle(), "the time comes");
	tap_is_text(now(), before, "both are back");
	tap_ok(!has_entry(), "the journal is empty");

	tap_is(set("rx-usecs 40", CHANGE_STAYS, 0), 0, "one that stays");
	snprintf(kept, sizeof(kept), "%s", now());
	tap_is(set("rx-usecs 20", CHANGE_UNTIL_CONFIRMED, 150), 0, "a trial on top");
	tap_ok(settle(), "that is not confirmed");
	tap_is_text(now(), kept, "goes back to what stays");
	const unsigned span_ms = confirm_in_time("rx-usecs 20");

	tap_is(change_confirm(&nic, &err), -ENOENT, "once: %s", err.text);
	sleep_ms(span_ms + 100);
	tap_ok(strncmp(now(), "rx-usecs 21 ", 12) == 0, "stays after its time");
	revert_is(0, false, "put back by hand");
	tap_is_text(now(), before, "goes back to before all");

	tap_is(set("rx-usecs 40", CHANGE_FOR, LONG_MS), 0, "a trial");
	tap_is(set("rx-usecs 1228", CHANGE_FOR, LONG_MS), 0, "and another that is what was there before");
	tap_ok(!has_trial(), "there is nothing left to put back");
	tap_is_text(now(), before, "it is what was");

	tap_is(set("rx-usecs 40", CHANGE_FOR, LONG_MS), 0, "a trial");
	die_in_the_middle("tx-usecs 60");
	tap_ok(settle(), "and one whose command dies before it is done");
	tap_is_text(now(), before, "are both put back at once");
	tap_ok(!has_entry(), "the journal is empty");

	tap_is(set("rx-usecs 40", CHANGE_FOR, LONG_MS), 0, "a trial");
	tap_is(set("rx-frames 7000", CHANGE_FOR, 5000), -ERANGE, "and one that is refused: %s", err.text);
	tap_ok(has_trial(), "the first goes on");
	time_comes();
	tap_ok(settle(), "its time comes");
	tap_is_text(now(), before, "it is back");
	stop_peer();
	unlink(state);
}

/* ---- a series ---- */

static int begin_series(const char *touched)
{
	bool stale;

	want(touched);
	return change_begin_series(&change, &nic, &wanted, &stale, &err);
}

static int try_setting(const char *text)
{
	want(text);
	return change_try(&change, &wanted, &err);
}

static void die_in_a_series(void)
{
	int status;
	const pid_t child = fork();

	if (child == 0) {
		reopen();
		if (begin_series("rx-usecs 0 tx-usecs 0") == 0 && try_setting("rx-usecs 40") == 0) {
			try_setting("rx-usecs 60 tx-usecs 60");
		}
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
}

static void check_series(void)
{
	const struct peer_config config = device("r8169@6.12", 100);
	char before[512];

	start_peer(&config);
	set_by_others("rx-usecs 1228");
	snprintf(before, sizeof(before), "%s", now());
	tap_is(begin_series("rx-usecs 1229"), 0, "a series begins, though its value is what is there: %s", err.text);
	tap_ok(has_trial(), "it is journalled at once");
	tap_is(try_setting("rx-usecs 20"), 0, "a setting: %s", err.text);
	tap_is(change.reported.device.value[COALESCE_RX_USECS], 21, "is read back as rounded");
	tap_is(try_setting("rx-usecs 100000"), -ERANGE, "one that is refused: %s", err.text);
	tap_is_text(now(), before, "leaves what was there before the series");
	tap_is(try_setting("adaptive-rx on"), -EINVAL, "what the driver has not cannot be tried: %s", err.text);
	tap_is(try_setting("rx-usecs 40"), 0, "the series goes on: %s", err.text);
	tap_is(change_try(&change, &(struct change_set){ 0 }, &err), 0, "with nothing that is wanted");
	tap_is_text(now(), before, "it is as it was before");
	tap_is(try_setting("rx-usecs 60"), 0, "and on");
	tap_is(change_revert(&change, &err), 0, "it ends: %s", err.text);
	tap_is_text(now(), before, "all is as it was");
	tap_ok(!has_entry(), "the journal is empty");
	die_in_a_series();
	tap_ok(settle(), "one whose command dies");
	tap_is_text(now(), before, "is put back at once");
	tap_ok(!has_entry(), "the journal is empty");
	stop_peer();
	unlink(state);
}

/* As a command leaves it that was killed in the middle together with its helper. */
static void leave_half_done(const char *old)
{
	static struct locked_entry entry;
	struct journal_layer *const open = &entry.journal.open;
	struct nic_identity identity;

	tap_is(nic_identify(&nic, &identity, &err), 0, "the interface is known");
	tap_is(entry_lock(&entry, nic.ifindex, "lo", LOCK_WAIT_MS, &err), 0, "the entry is locked: %s", err.text);
	journal_init(&entry.journal, &identity, &err);
	*open = (struct journal_layer){ .is_present = true, .token = 4711, .deadline_at_ns = NEVER_AT_NS };
	coalesce_parse_text(&open->old.device, old, &err);
	tap_is(journal_write(&entry.journal, folder, &err), 0, "half a change is journalled: %s", err.text);
	entry_unlock(&entry);
}

static void check_half_done(void)
{
	const struct peer_config config = device("tsnep@6.12", 1000);
	char before[512];

	start_peer(&config);
	snprintf(before, sizeof(before), "%s", now());
	leave_half_done("rx-usecs 64 tx-usecs 64");
	set_by_others("rx-usecs 160");
	tap_is(set("rx-usecs 32", CHANGE_STAYS, 0), 0, "what a dead command has left is settled first: %s", err.text);
	revert_is(0, false, "put back");
	tap_is_text(now(), before, "to what was before the dead command");
	tap_ok(!has_entry(), "the journal is empty");

	leave_half_done("rx-usecs 50 tx-usecs 50"); /* which this device never reports */
	set_by_others("rx-usecs 160");
	tap_is(set("rx-usecs 32", CHANGE_STAYS, 0), -EUCLEAN, "what cannot be put back is in the way: %s", err.text);
	revert_is(-EUCLEAN, true, "by force neither");
	set_by_others("rx-usecs 160");
	tap_is(change_confirm(&nic, &err), 0, "it can be kept as it is: %s", err.text);
	tap_ok(strncmp(now(), "rx-usecs 160 ", 13) == 0, "which changes nothing");
	tap_ok(has_entry() && !has_trial(), "and stays journalled");
	tap_is(set("rx-usecs 32", CHANGE_STAYS, 0), 0, "then the next change goes: %s", err.text);
	tap_is(journal_remove(folder, journal_netns(), nic.ifindex, &err), 0, "the entry is removed by hand");
	stop_peer();
	unlink(state);
}

static void check_others(void)
{
	const struct peer_config config = device("r8169@6.12", 1000);
	static struct change_reverted reverted;
	char before[512];

	start_peer(&config);
	snprintf(before, sizeof(before), "%s", now());
	tap_is(set("rx-usecs 50 tx-usecs 50", CHANGE_STAYS, 0), 0, "a change");
	set_by_others("rx-usecs 60");
	tap_is(change_revert_device(&nic, false, &reverted, &err), -ESTALE, "somebody else's is not overwritten: %s",
	       err.text);
	tap_ok(coalesce_has(&reverted.foreign.device, COALESCE_RX_USECS) &&
		       !coalesce_has(&reverted.foreign.device, COALESCE_TX_USECS),
	       "it says which");
	tap_ok(coalesce_has(&reverted.back.device, COALESCE_TX_USECS) &&
		       !coalesce_has(&reverted.back.device, COALESCE_RX_USECS),
	       "and puts the rest back");
	tap_ok(has_entry(), "the entry stays");
	revert_is(-ESTALE, false, "a second time");
	revert_is(0, true, "by force");
	tap_is_text(now(), before, "all is back");
	tap_ok(!has_entry(), "the journal is empty");
	tap_is(set("rx-usecs 50", CHANGE_FOR, LONG_MS), 0, "a trial");
	set_by_others("rx-usecs 60");
	time_comes();
	tap_ok(gives_up(), "its time comes");
	tap_ok(strncmp(now(), "rx-usecs 60 ", 12) == 0, "at its time somebody else's is not overwritten");
	tap_is(set("rx-usecs 50", CHANGE_FOR, 100), -EBUSY, "the next change says so: %s", err.text);
	revert_is(0, true, "by force");
	tap_is_text(now(), before, "all is back");
	stop_peer();
	unlink(state);
}

/* What a speed makes of the same registers is no change of somebody. */
static void check_speed(void)
{
	struct peer_config config = device("r8169@6.12", 100);
	char before[512];

	start_peer(&config);
	set_by_others("rx-usecs 1228 tx-usecs 30");
	snprintf(before, sizeof(before), "%s", now());
	tap_is(set("rx-usecs 200", CHANGE_STAYS, 0), 0, "a change at 100 Mb/s");
	stop_peer();
	config.speed_mbps = 1000;
	start_peer(&config);
	tap_ok(strncmp(now(), "rx-usecs 400 ", 13) == 0, "reads otherwise at 1000 Mb/s: %s", now());
	revert_is(0, false, "is put back there");
	stop_peer();
	config.speed_mbps = 100;
	start_peer(&config);
	tap_is_text(now(), before, "and at 100 Mb/s it reads as before");
	stop_peer();
	unlink(state);
}

static void check_queues(void)
{
	struct peer_config config = device("tsnep@6.12", 1000);
	char before[1024];

	config.queues = 4;
	config.napis = 3;
	start_peer(&config);
	tap_is(set("queue 1 rx-usecs 32 queue 2,3 rx-usecs 96", CHANGE_STAYS, 0), 0, "queues of their own: %s",
	       err.text);
	snprintf(before, sizeof(before), "%s", now());
	tap_is(set("rx-usecs 160", CHANGE_FOR, LONG_MS), 0, "the device sets all of them");
	tap_ok(strstr(now(), "queue 2 rx-usecs 160") != NULL, "as is seen: %s", now());
	time_comes();
	tap_ok(settle(), "the time comes");
	tap_is_text(now(), before, "each has its own again");
	revert_is(0, false, "the queues too");
	tap_ok(strstr(now(), "queue 1 rx-usecs 64") != NULL && strstr(now(), "queue 3 rx-usecs 64") != NULL,
	       "are back: %s", now());
	snprintf(before, sizeof(before), "%s", now());

	tap_is(set("queue 0 rx-usecs 32 queue 1 rx-usecs 300 queue 2 rx-usecs 48", CHANGE_STAYS, 0), -ERANGE,
	       "the second of three is refused: %s", err.text);
	tap_is_text(now(), before, "the first is as it was");
	tap_ok(!has_entry(), "the journal is empty");
	tap_is(set("queue 9 rx-usecs 32", CHANGE_STAYS, 0), -EINVAL, "a queue that is not there: %s", err.text);

	tap_is(set("rx-usecs 32 queue 2 rx-usecs 48 napi 8193 defer-hard-irqs 2 gro-flush-timeout 20us napi 8195 "
		   "irq-suspend-timeout 5000",
		   CHANGE_FOR, LONG_MS),
	       0, "everything at once: %s", err.text);
	tap_ok(strstr(now(), "napi 8193 defer-hard-irqs 2 gro-flush-timeout 20000") != NULL, "is set: %s", now());
	time_comes();
	tap_ok(settle(), "the time comes");
	tap_is_text(now(), before, "everything is back");
	tap_is(set("napi 77 defer-hard-irqs 2", CHANGE_STAYS, 0), -EINVAL, "an instance that is not there: %s",
	       err.text);
	stop_peer();
	unlink(state);
}

static void check_adaptive(void)
{
	struct peer_config config = device("virtio", 1000);
	struct change_advice advice;
	char before[1024];

	config.queues = 2;
	start_peer(&config);
	set_by_others("rx-usecs 20");
	set_by_others("adaptive-rx on");
	snprintf(before, sizeof(before), "%s", now());
	want("rx-usecs 50");
	tap_is(change_look(&change, &nic, &wanted, &err), 0, "a static value while adaptive is on");
	change_advise(&change, &advice);
	tap_ok(advice.is_refused && strstr(advice.items[0].text, "adaptive-rx off"), "is advised against: %s",
	       advice.items[0].text);
	want("rx-usecs 50 adaptive-rx off");
	change_look(&change, &nic, &wanted, &err);
	change_advise(&change, &advice);
	tap_ok(!advice.is_refused, "but not with adaptive off");
	tap_is(set("rx-usecs 50 adaptive-rx off", CHANGE_STAYS, 0), 0, "which is set: %s", err.text);
	revert_is(0, false, "put back, though this device refuses both in one message");
	tap_is_text(now(), before, "all is back");
	tap_is(set("rx-usecs 50", CHANGE_STAYS, 0), -EINVAL, "the device's own refusal: %s", err.text);
	tap_is(set("sample-interval 1", CHANGE_STAYS, 0), -EOPNOTSUPP, "what it does not have: %s", err.text);
	stop_peer();
	unlink(state);
}

/* ---- the lock, signals, stale entries ---- */

static void check_lock(void)
{
	const struct peer_config config = device("r8169@6.12", 1000);
	int ready[2], status;
	char byte;

	start_peer(&config);
	if (pipe(ready)) {
		return;
	}
	const pid_t other = fork();

	if (other == 0) {
		reopen();
		const int ret = begin("rx-usecs 50", CHANGE_STAYS, 0);

		(void)!write(ready[1], ret == 0 ? "y" : "n", 1);
		pause();
		_exit(0);
	}
	(void)!read(ready[0], &byte, 1);
	tap_is(byte, 'y', "another process is at it");
	tap_is(set("rx-usecs 60", CHANGE_STAYS, 0), -EBUSY, "the second is refused: %s", err.text);
	char pid[32];

	snprintf(pid, sizeof(pid), "process %d (", (int)other);
	tap_ok(strstr(err.text, pid) != NULL && strstr(err.text, "since") != NULL, "and told who it is since when");
	tap_is(change_revert_device(&nic, false, NULL, &err), -EBUSY, "revert too: %s", err.text);
	char lock[JOURNAL_PATH_MAX];
	struct stat lock_status;

	journal_path(lock, folder, journal_netns(), nic.ifindex, ".lock");
	tap_ok(stat(lock, &lock_status) == 0 && !(lock_status.st_mode & (S_IRWXG | S_IRWXO)),
	       "nobody else can open the lock, and so keep it");
	kill(other, SIGKILL);
	waitpid(other, &status, 0);
	tap_is(set("rx-usecs 60", CHANGE_STAYS, 0), 0, "when that one is dead it goes: %s", err.text);
	revert_is(0, false, "and back");
	tap_ok(!has_entry(), "the journal is empty");
	close(ready[0]);
	close(ready[1]);
	stop_peer();
	unlink(state);
}

static volatile sig_atomic_t signalled;

static void note_signal(int number)
{
	signalled = number;
}

static void check_signal(void)
{
	const struct peer_config config = device("r8169@6.12", 1000);
	char before[512];

	start_peer(&config);
	snprintf(before, sizeof(before), "%s", now());
	signal(SIGTERM, note_signal);
	tap_is(begin("rx-usecs 50", CHANGE_STAYS, 0), 0, "a change is begun");
	raise(SIGTERM);
	tap_is(signalled, 0, "a signal is held back");
	tap_is(change_apply(&change, &err), -EINTR, "and ends it: %s", err.text);
	tap_is(signalled, SIGTERM, "then it is delivered");
	tap_is_text(now(), before, "nothing was changed");
	tap_ok(!has_entry(), "the journal is empty");
	signal(SIGTERM, SIG_DFL);

	signal(SIGHUP, SIG_IGN);
	tap_is(begin("rx-usecs 50", CHANGE_STAYS, 0), 0, "under nohup");
	raise(SIGHUP);
	tap_is(change_apply(&change, &err), 0, "a hangup is not heeded: %s", err.text);
	tap_is(change_revert(&change, &err), 0, "that change is taken back");
	signal(SIGHUP, SIG_DFL);
	stop_peer();
	unlink(state);
}

/* As it would be after a reboot that left the file. */
static void make_stale(void)
{
	static struct locked_entry entry;

	tap_is(entry_lock(&entry, nic.ifindex, "lo", LOCK_WAIT_MS, &err), 0, "the entry is locked: %s", err.text);
	entry.journal.boot[0] = entry.journal.boot[0] == 'x' ? 'y' : 'x';
	journal_write(&entry.journal, folder, &err);
	entry_unlock(&entry);
}

/* Whoever holds the lock is about to write an entry of its own in the stale one's place. */
static void check_stale_in_use(void)
{
	const struct peer_config config = device("r8169@6.12", 1000);
	struct change_listed listed[4];
	char lock[JOURNAL_PATH_MAX];
	unsigned count;

	start_peer(&config);
	tap_is(set("rx-usecs 50", CHANGE_STAYS, 0), 0, "a change");
	tap_is(change_forget(nic.ifindex, &err), -EBUSY, "of an interface that is there is not forgotten: %s",
	       err.text);
	make_stale();
	journal_path(lock, folder, journal_netns(), nic.ifindex, ".lock");
	const int held = lock_take(lock, "lo", LOCK_WAIT_MS, &err);

	tap_is(change_list(listed, 4, &count, &err), 0, "a stale entry is not listed");
	tap_ok(has_entry() && count == 0, "nor dropped while somebody is at it");
	lock_drop(held, lock);
	tap_is(change_list(listed, 4, &count, &err), 0, "afterwards");
	tap_ok(!has_entry() && count == 1, "it is dropped: %s", err.text);
	stop_peer();
	unlink(state);
}

static void check_stale(void)
{
	const struct peer_config config = device("r8169@6.12", 1000);
	static struct change_reverted reverted;
	struct change_listed listed[4];
	char path[JOURNAL_PATH_MAX];
	bool stale;
	unsigned count;

	start_peer(&config);
	entry_path(path);
	for (int round = 0; round < 3; round++) {
		tap_is(set("rx-usecs 50", CHANGE_STAYS, 0), 0, "a change");
		tap_is(change_list(listed, 4, &count, &err), 1, "is listed");
		tap_is_text(listed[0].name, "lo", "by its interface");
		make_stale();
		if (round == 0) {
			want("rx-usecs 70");
			tap_is(change_begin(&change, &nic, &wanted, CHANGE_STAYS, 0, false, &stale, &err), 0,
			       "after a reboot");
			tap_ok(stale && strstr(err.text, "reboot"), "the old entry is dropped: %s", err.text);
			tap_is(change_revert(&change, &err), 0, "the new one is a change of its own");
		} else if (round == 1) {
			tap_is(change_revert_device(&nic, false, &reverted, &err), 0, "after a reboot");
			tap_ok(reverted.is_stale, "there is nothing to put back: %s", err.text);
		} else {
			tap_is(change_list(listed, 4, NULL, NULL), 0, "after a reboot nothing is listed");
			tap_ok(has_entry(), "and who only looks drops nothing");
			tap_is(change_list(listed, 4, &count, &err), 0, "who is to put it back does");
			tap_is(count, 1, "and it is said: %s", err.text);
			tap_is(change_list(listed, 4, &count, &err), 0, "once");
			tap_is(count, 0, "only");
		}
		tap_ok(!has_entry(), "the journal is empty");
		set_by_others("rx-usecs 0");
	}
	FILE *const file = fopen(path, "w");

	if (file) {
		fputs("nonsense", file);
		fclose(file);
	}
	tap_is(set("rx-usecs 50", CHANGE_STAYS, 0), -EBADMSG, "a damaged entry is not overwritten: %s", err.text);
	tap_is(change_revert_device(&nic, true, NULL, &err), -EBADMSG, "nor guessed at: %s", err.text);
	unlink(path);
	stop_peer();
	unlink(state);
}

/* ---- faults ---- */

/* The fault may come here too: once. */
static const char *now_surely(void)
{
	const char *text = now();

	if (!strstr(text, "napi 8193") || strncmp(text, "rx-usecs", 8) != 0) {
		reopen();
		text = now();
	}
	return text;
}

/* One fault in one message: afterwards it is all or nothing, and never without an entry that leads back. */
static bool is_sound_after(const struct peer_config *config, const char *request, const char *before,
			   enum change_end end, int *ret_of)
{
	const char *const kind = peer_misbehaviour_names[config->misbehaviour];

	start_peer(config);
	*ret_of = set(request, end, 150);
	const int ret = *ret_of;
	char message[ERR_TEXT_MAX];

	snprintf(message, sizeof(message), "%s", err.text);
	reopen();
	if (!settle()) {
		tap_note("%s@%u: %d %s: it never settles", kind, config->misbehave_at, ret, message);
		stop_peer();
		return false;
	}
	const bool changed = strcmp(now_surely(), before) != 0;
	bool sound = changed ? ret == 0 && end == CHANGE_STAYS && has_entry() : !has_entry() || ret != 0;

	if (changed && change_revert_device(&nic, false, NULL, &err)) {
		/* The fault came here: once. */
		reopen();
		sound &= change_revert_device(&nic, false, NULL, &err) == 0;
	}
	sound &= strcmp(now_surely(), before) == 0 && !has_entry();
	if (!sound) {
		tap_note("%s@%u: %d %s: now %s, was %s, %s", kind, config->misbehave_at, ret, message, now(), before,
			 has_entry() ? "with an entry" : "without an entry");
	}
	stop_peer();
	unlink(state);
	return sound;
}

/* From the first message to the last that a change without faults needs. */
static void check_fault(struct peer_config config, const char *request, enum peer_misbehaviour kind,
			enum change_end end)
{
	unsigned sound = 0, failed = 0, tried = 0;
	char before[2048];
	int ret;

	config.misbehaviour = PEER_WELL;
	start_peer(&config);
	snprintf(before, sizeof(before), "%s", now());
	stop_peer();
	unlink(state);
	config.misbehaviour = kind;
	for (config.misbehave_at = 1; config.misbehave_at <= 14; config.misbehave_at++) {
		sound += is_sound_after(&config, request, before, end, &ret);
		failed += ret != 0;
		tried++;
	}
	tap_is(sound, tried, "%s in any message of \"%s\"%s: all or nothing", peer_misbehaviour_names[kind], request,
	       end == CHANGE_STAYS ? "" : " for a time");
	tap_ok(failed > 0, "and %u of %u times it mattered", failed, tried);
}

static void check_faults(void)
{
	static const enum peer_misbehaviour kinds[] = { PEER_GONE,     PEER_BUSY,          PEER_FORBIDDEN,
							PEER_HANG_UP,  PEER_HANG_UP_AFTER, PEER_TRUNCATED,
							PEER_NO_REPLY, PEER_BAD_ERRNO };
	struct peer_config config = device("tsnep@6.12", 1000);

	config.queues = 3;
	config.napis = 2;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		check_fault(config, "rx-usecs 32 queue 1 rx-usecs 48 napi 8193 defer-hard-irqs 3", kinds[i],
			    i % 2 ? CHANGE_FOR : CHANGE_STAYS);
	}
	check_fault(device("r8169@6.12", 100), "rx-usecs 20 tx-usecs 40", PEER_HANG_UP_AFTER, CHANGE_STAYS);
	check_fault(device("r8169@6.12", 100), "rx-usecs 20 tx-usecs 40", PEER_BUSY, CHANGE_FOR);
}

/* Silence is waited for, so only the message that sets is lost. */
static void check_silence(void)
{
	static const char before[] =
		"rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1; napi 8193 defer-hard-irqs 0 gro-flush-timeout 0 "
		"irq-suspend-timeout 0 threaded 0";
	struct peer_config config = device("r8169@6.12", 100);
	int ret;

	config.misbehaviour = PEER_SILENT;
	config.misbehave_at = 9;
	tap_ok(is_sound_after(&config, "rx-usecs 20", before, CHANGE_STAYS, &ret),
	       "silence in the middle: all or nothing");
	tap_is(ret, -ETIMEDOUT, "it is an error");
}

int main(void)
{
	if (!mkdtemp(folder)) {
		return 1;
	}
	setenv("HOLDOFF_STATE_DIR", folder, 1);
	snprintf(state, sizeof(state), "%s/peer", folder);
	check_plain();
	check_fec();
	check_deadline();
	check_series();
	check_half_done();
	check_others();
	check_speed();
	check_queues();
	check_adaptive();
	check_lock();
	check_signal();
	check_stale();
	check_stale_in_use();
	check_faults();
	check_silence();
	tap_is(rmdir(folder), 0, "nothing is left in the journal's folder");
	return tap_done();
}
