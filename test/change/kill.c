/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kill -9 at random moments of set, set --for, confirm and revert, on several devices at a time: the old values are always back within
 * the stated time, or the change is there whole and journalled; and in the end the journal is empty and no helper is left.
 *
 * KILLS=N (200) and SEED=N (1) in the environment; HOLDOFF is the program. The real clock is used: what is waited for has wide bounds.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/time.h"
#include "change/helper.h"
#include "change/journal.h"
#include "change/lock.h"
#include "change/request.h"
#include "peer/peer.h"
#include "tap.h"

#define WORKERS 5
#define TRIAL "160ms"
#define TRIAL_NS (160 * NS_PER_MS)
/* Two shared cores, which may be busy with other tests, and a helper that waits 5 s for an answer before it tries again. */
#define SLACK_NS (60 * NS_PER_S)
#define WORDS_MAX 32

struct scene {
	const char *device;
	unsigned speed_mbps, queues, napis;
	const char *before[3]; /* what is there: requests one after the other */
	const char *request;
};

static const struct scene scenes[WORKERS] = {
	/* 1228 reads 1229, which the driver refuses */
	{ "r8169@6.12", 100, 1, 1, { "rx-usecs 1228" }, "rx-usecs 20 tx-usecs 20" },
	{ "tsnep@6.12",
	  1000,
	  4,
	  2,
	  { "rx-usecs 48", "queue 1 rx-usecs 32 queue 3 rx-usecs 96", NULL },
	  "rx-usecs 160 queue 2 rx-usecs 80 napi 8193 defer-hard-irqs 2 gro-flush-timeout 20000" },
	/* a zero is stored and not written */
	{ "fec@old", 1000, 1, 1, { "rx-usecs 0" }, "rx-usecs 500 rx-frames 0 tx-frames 7" },
	/* refuses static values while it adapts */
	{ "virtio", 1000, 2, 2, { "rx-usecs 20", "adaptive-rx on", NULL }, "adaptive-rx off rx-usecs 50 tx-frames 9" },
	{ "store",
	  1000,
	  3,
	  4,
	  { "queue 1 rx-usecs 7", NULL },
	  "queue 0-2 tx-usecs 30 napi 8193 defer-hard-irqs 1 napi 8196 irq-suspend-timeout 9us gro-flush-timeout 3us" },
};

enum action { SET_KILLED, FOR_KILLED, CONFIRM_KILLED, REVERT_KILLED, TRIAL_REVERT_KILLED, ACTIONS };

static const char *const action_names[ACTIONS] = { "set", "set --for", "confirm", "revert", "revert of a trial" };

/* What a worker tells in the end. */
struct tally {
	unsigned kills[ACTIONS], failures[ACTIONS], kept[ACTIONS], survived;
	int64_t latest_ns; /* the longest that a value was out after its time */
	bool left_over, helper_left;
	char message[800];
};

struct worker {
	const struct scene *scene;
	struct random random;
	struct nic nic;
	char folder[64], before[4096];
	int peer_fd;
	pid_t server;
	int64_t span_ns[ACTIONS]; /* how long the command takes that is killed */
	struct tally tally;
};

static const char *program;

static void sleep_ns(int64_t ns)
{
	const struct timespec span = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };

	nanosleep(&span, NULL);
}

/* ---- running commands ---- */

/* Splits text into the rest of words. */
static void add_words(char *words[WORDS_MAX], unsigned *count, char *text)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, " ", &rest); word && *count < WORDS_MAX - 1;
	     word = strtok_r(NULL, " ", &rest)) {
		words[(*count)++] = word;
	}
	words[*count] = NULL;
}

static pid_t start(const char *command)
{
	const pid_t child = fork();

	if (child == 0) {
		char text[512], *words[WORDS_MAX] = { (char *)(uintptr_t)program };
		unsigned count = 1;
		const int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		snprintf(text, sizeof(text), "%s", command);
		add_words(words, &count, text);
		execv(program, words);
		_exit(127);
	}
	return child;
}

/* kill_after_ns -1: not at all. The status as waitpid has it. */
static int run(const char *command, int64_t kill_after_ns)
{
	const pid_t child = start(command);
	int status = 0;

	if (kill_after_ns >= 0) {
		sleep_ns(kill_after_ns);
		kill(child, SIGKILL);
	}
	waitpid(child, &status, 0);
	return status;
}

/* ---- what is there ---- */

static size_t add_text(char *text, size_t length, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static size_t add_text(char *text, size_t length, size_t size, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	const int added = vsnprintf(text + length, size - length, format, values);

	va_end(values);
	return length + (size_t)added < size ? length + (size_t)added : size - 1;
}

static const char *now(struct worker *worker, char text[4096])
{
	struct nic_napi napis[PEER_NAPIS_MAX];
	char words[COALESCE_TEXT_MAX], napi[CHANGE_NAPI_TEXT_MAX];
	struct coalesce settings;
	struct err err = { "" };
	unsigned count = 0;

	if (nic_coalesce_get(&worker->nic, &settings, &err)) {
		snprintf(text, 4096, "%s", err.text);
		return text;
	}
	size_t length = add_text(text, 0, 4096, "%s", coalesce_print(&settings, words));

	for (unsigned queue = 0; nic_queue_coalesce_get(&worker->nic, queue, UINT32_MAX, &settings, NULL) == 0;
	     queue++) {
		length = add_text(text, length, 4096, "; queue %u %s", queue, coalesce_print(&settings, words));
	}
	nic_napi_list(&worker->nic, napis, PEER_NAPIS_MAX, &count, NULL);
	for (unsigned i = 0; i < count; i++) {
		length = add_text(text, length, 4096, "; napi %u %s", napis[i].id, change_napi_print(&napis[i], napi));
	}
	return text;
}

enum entry_state { ENTRY_NONE, ENTRY_KEPT, ENTRY_TRIAL, ENTRY_DAMAGED };

static enum entry_state entry_state(const struct worker *worker)
{
	static struct journal journal;
	char path[JOURNAL_PATH_MAX];

	journal_path(path, worker->folder, journal_netns(), worker->nic.ifindex, ".entry");
	switch (journal_read(&journal, path, NULL)) {
	case 0:
		return journal.open.is_present ? ENTRY_TRIAL : ENTRY_KEPT;
	case -ENOENT:
		return ENTRY_NONE;
	default:
		return ENTRY_DAMAGED;
	}
}

static bool is_back(struct worker *worker)
{
	char text[4096];

	/* In this order: the entry goes after the value has come back. */
	return entry_state(worker) == ENTRY_NONE && strcmp(now(worker, text), worker->before) == 0;
}

/* Until the old values are back and nothing is journalled; or, with may_be_kept, until a change is there and kept. */
static bool settles(struct worker *worker, bool may_be_kept, int64_t due_at_ns)
{
	for (;;) {
		if (is_back(worker) || (may_be_kept && entry_state(worker) == ENTRY_KEPT)) {
			worker->tally.latest_ns = time_max(worker->tally.latest_ns, helper_now() - due_at_ns);
			return true;
		}
		if (helper_now() > due_at_ns + SLACK_NS) {
			return false;
		}
		sleep_ns(2 * NS_PER_MS);
	}
}

static bool fails(struct worker *worker, const char *what)
{
	char text[4096];

	if (!worker->tally.message[0]) {
		snprintf(worker->tally.message, sizeof(worker->tally.message),
			 "%s: %s; reads %.200s, was %.200s, entry %d", worker->scene->device, what, now(worker, text),
			 worker->before, (int)entry_state(worker));
	}
	return false;
}

/* ---- one kill ---- */

static int64_t moment(struct worker *worker, enum action action)
{
	return (int64_t)random_below(&worker->random, (uint64_t)(worker->span_ns[action] * 5 / 4));
}

static bool revert_by_hand(struct worker *worker)
{
	const int status = run("revert lo", -1);

	return (WIFEXITED(status) && WEXITSTATUS(status) <= 1 && is_back(worker)) ||
	       fails(worker, "holdoff revert does not bring it back");
}

/* After the kill: within its time it is back or, where that is possible, kept and revertible. */
static bool ends_well(struct worker *worker, enum action action, bool may_be_kept, int64_t due_at_ns)
{
	if (!settles(worker, may_be_kept, due_at_ns)) {
		return fails(worker, "it does not come back in time");
	}
	if (entry_state(worker) == ENTRY_KEPT) {
		worker->tally.kept[action]++;
		return revert_by_hand(worker);
	}
	return true;
}

static bool kill_set(struct worker *worker, const char *option, int64_t kill_after_ns, enum action action)
{
	char command[512];
	const int64_t begun_at_ns = helper_now();

	snprintf(command, sizeof(command), "set lo %s%s", worker->scene->request, option);
	const int status = run(command, kill_after_ns);

	worker->tally.survived += !WIFSIGNALED(status);
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		return fails(worker, "set failed by itself");
	}
	/* Killed in the middle it is undone at once, else when its time comes. */
	return ends_well(worker, action, !*option,
			 *option ? time_max(begun_at_ns + TRIAL_NS, helper_now()) : helper_now());
}

static bool set_up(struct worker *worker, const char *option)
{
	char command[512];

	snprintf(command, sizeof(command), "set lo %s%s", worker->scene->request, option);
	return run(command, -1) == 0 || fails(worker, "set fails");
}

static bool kill_later(struct worker *worker, enum action action, const char *option, const char *command)
{
	const int64_t begun_at_ns = helper_now();
	const bool is_trial = *option;

	if (!set_up(worker, option)) {
		return false;
	}
	run(command, moment(worker, action));
	if (!is_trial) {
		/* A killed revert leaves the entry until the next one. */
		return revert_by_hand(worker);
	}
	return ends_well(worker, action, action == CONFIRM_KILLED, time_max(begun_at_ns + TRIAL_NS, helper_now()));
}

/*
 * Whoever was killed just now may have left a helper that has not yet closed what it got by fork: the lock too, which the next command
 * waits a second for. A machine with other work may take longer.
 */
static bool is_unlocked(struct worker *worker)
{
	char path[JOURNAL_PATH_MAX];
	struct err err = { "" };

	journal_path(path, worker->folder, journal_netns(), worker->nic.ifindex, ".lock");
	const int lock = lock_take(path, "lo", (int)(SLACK_NS / NS_PER_MS), &err);

	if (lock < 0) {
		return fails(worker, err.text);
	}
	lock_drop(lock, path);
	return true;
}

static bool kill_one(struct worker *worker, enum action action)
{
	if (!is_unlocked(worker)) {
		return false;
	}
	switch (action) {
	case SET_KILLED:
		return kill_set(worker, "", moment(worker, action), action);
	case FOR_KILLED:
		return kill_set(worker, " --for " TRIAL, moment(worker, action), action);
	case CONFIRM_KILLED:
		return kill_later(worker, action, " --until-confirmed " TRIAL, "confirm lo");
	case REVERT_KILLED:
		return kill_later(worker, action, "", "revert lo");
	case TRIAL_REVERT_KILLED:
		return kill_later(worker, action, " --for " TRIAL, "revert lo");
	case ACTIONS:
		break;
	}
	return false;
}

/* ---- a worker ---- */

static bool apply_before(struct worker *worker, const char *text)
{
	char copy[256], *words[WORDS_MAX];
	static struct change_set set;
	unsigned count = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	add_words(words, &count, copy);
	if (change_set_parse(&set, (const char *const *)words, count, NULL)) {
		return false;
	}
	int ret = set.device.present ? nic_coalesce_set(&worker->nic, &set.device, NULL) : 0;

	for (unsigned i = 0; ret == 0 && i < set.queue_count; i++) {
		struct coalesce whole;

		ret = nic_queue_coalesce_get(&worker->nic, set.queues[i].queue, UINT32_MAX, &whole, NULL);
		whole = coalesce_merge(&whole, &set.queues[i].settings);
		ret = ret ? ret : nic_queue_coalesce_set(&worker->nic, set.queues[i].queue, &whole, NULL);
	}
	return ret == 0;
}

static bool start_worker(struct worker *worker)
{
	struct peer_config config = peer_config_default();
	char number[16];
	bool good = true;

	snprintf(config.device, sizeof(config.device), "%s", worker->scene->device);
	config.speed_mbps = worker->scene->speed_mbps;
	config.queues = worker->scene->queues;
	config.napis = worker->scene->napis;
	config.delay_ms = 2; /* room to be killed in */
	worker->peer_fd = peer_start(&config, NULL, NULL, &worker->server);
	snprintf(number, sizeof(number), "%d", worker->peer_fd);
	setenv("HOLDOFF_NETLINK_FD", number, 1);
	snprintf(worker->folder, sizeof(worker->folder), "/tmp/holdoff-kill-XXXXXX");
	if (!mkdtemp(worker->folder) || nic_open(&worker->nic, "lo", NULL)) {
		return false;
	}
	setenv("HOLDOFF_STATE_DIR", worker->folder, 1);
	for (unsigned i = 0; i < 3 && worker->scene->before[i]; i++) {
		good &= apply_before(worker, worker->scene->before[i]);
	}
	now(worker, worker->before);
	return good || fails(worker, "the device cannot be brought into its state");
}

/* How long each command takes when nobody kills it. */
static bool measure(struct worker *worker)
{
	char command[512];
	int64_t begun_at_ns = helper_now();

	snprintf(command, sizeof(command), "set lo %s", worker->scene->request);
	bool good = run(command, -1) == 0;

	worker->span_ns[SET_KILLED] = worker->span_ns[FOR_KILLED] = helper_now() - begun_at_ns;
	begun_at_ns = helper_now();
	good &= run("revert lo", -1) == 0;
	worker->span_ns[REVERT_KILLED] = worker->span_ns[TRIAL_REVERT_KILLED] = worker->span_ns[CONFIRM_KILLED] =
		helper_now() - begun_at_ns;
	return (good && is_back(worker)) || fails(worker, "set and revert that nobody kills fail");
}

static bool is_empty_folder(const char *path)
{
	DIR *const folder = opendir(path);
	unsigned files = 0;

	for (struct dirent *file = folder ? readdir(folder) : NULL; file; file = readdir(folder)) {
		files += file->d_name[0] != '.';
	}
	if (folder) {
		closedir(folder);
	}
	return files == 0;
}

/* The peer ends when nobody is left who could ask: a helper would be one. */
static bool peer_ends(pid_t server)
{
	const int64_t end_at_ns = helper_now() + SLACK_NS;
	int status;

	while (helper_now() < end_at_ns) {
		if (waitpid(server, &status, WNOHANG) == server) {
			return true;
		}
		sleep_ns(5 * NS_PER_MS);
	}
	kill(server, SIGKILL);
	waitpid(server, &status, 0);
	return false;
}

static void finish_worker(struct worker *worker)
{
	run("revert lo", -1); /* who was killed may leave an empty lock file */
	worker->tally.left_over = !is_empty_folder(worker->folder);
	rmdir(worker->folder);
	nic_close(&worker->nic);
	close(worker->peer_fd);
	worker->tally.helper_left = !peer_ends(worker->server);
}

__attribute__((noreturn)) static void work(unsigned number, unsigned kills, uint64_t seed, int out)
{
	static struct worker worker;

	worker.scene = &scenes[number];
	random_init(&worker.random, seed, number);
	bool good = start_worker(&worker) && measure(&worker);

	for (unsigned i = 0; good && i < kills; i++) {
		const enum action action = (enum action)random_below(&worker.random, ACTIONS);

		worker.tally.kills[action]++;
		if (!kill_one(&worker, action)) {
			worker.tally.failures[action]++;
			good = false;
		}
	}
	finish_worker(&worker);
	_exit(write(out, &worker.tally, sizeof(worker.tally)) == (ssize_t)sizeof(worker.tally) ? 0 : 1);
}

/* ---- all of them ---- */

static void report(const struct tally *tally, unsigned number, unsigned kills)
{
	unsigned done = 0, failed = 0;

	for (unsigned action = 0; action < ACTIONS; action++) {
		done += tally->kills[action];
		failed += tally->failures[action];
		tap_note("%s: %s killed %u times, %u of them left it kept", scenes[number].device, action_names[action],
			 tally->kills[action], tally->kept[action]);
	}
	if (!tap_ok(done == kills && failed == 0, "%s: %u kills, the old values always came back",
		    scenes[number].device, kills)) {
		tap_note("after %u kills: %s", done, tally->message);
	}
	tap_ok(!tally->left_over, "%s: the journal is empty in the end", scenes[number].device);
	tap_ok(!tally->helper_left, "%s: no helper is left", scenes[number].device);
	tap_note("latest %" PRId64 " ms after its time; %u of the sets were over before they could be killed",
		 tally->latest_ns / NS_PER_MS, tally->survived);
}

static unsigned number_of(const char *name, unsigned otherwise)
{
	const char *const text = getenv(name);

	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

int main(void)
{
	const unsigned kills = number_of("KILLS", 200), seed = number_of("SEED", 1);
	int pipes[WORKERS][2];

	program = getenv("HOLDOFF") ? getenv("HOLDOFF") : "build/holdoff";
	tap_note("SEED=%u KILLS=%u", seed, kills);
	fflush(stdout);
	for (unsigned i = 0; i < WORKERS; i++) {
		if (pipe2(pipes[i], O_CLOEXEC)) {
			return 1;
		}
		if (fork() == 0) {
			work(i, (kills + WORKERS - 1) / WORKERS, seed, pipes[i][1]);
		}
		close(pipes[i][1]);
	}
	for (unsigned i = 0; i < WORKERS; i++) {
		struct tally tally = { .left_over = true };

		tap_is(read(pipes[i][0], &tally, sizeof(tally)), sizeof(tally), "%s: the worker has come to its end",
		       scenes[i].device);
		report(&tally, i, (kills + WORKERS - 1) / WORKERS);
		wait(NULL);
	}
	return tap_done();
}
