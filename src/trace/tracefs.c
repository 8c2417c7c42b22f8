/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "holdoff-"
#define BUFFER_KB "8192" /* of each CPU */
#define TEXT_MAX 65536
/* At a time: then its caller looks whether to go on. */
#define TAKE_MAX (1 << 20)
#define REMOVAL_TRIES 100 /* 10 ms apart: a reader of the instance may be about to end */

struct tracefs {
	struct path *path; /* borrowed */
	FILE *events;      /* borrowed, or NULL */
	char folder[160];  /* of the instance; "": none yet */
	int pipe_fd;       /* trace_pipe */
	int keeper_fd;     /* as long as it is open, the keeper waits */
	pid_t keeper;
	size_t length; /* of text: a line whose end is not there yet */
	char text[TEXT_MAX];
};

static const struct {
	const char *name; /* of its folder under events/ */
	enum path_kind kind;
} events[] = {
	{ "net/net_dev_queue", PATH_EVENT_QUEUE },
	{ "net/net_dev_start_xmit", PATH_EVENT_XMIT },
	{ "net/net_dev_xmit", PATH_EVENT_XMIT_DONE },
	{ "net/netif_receive_skb", PATH_EVENT_RECEIVE },
	{ "skb/consume_skb", PATH_EVENT_FREE },
	{ "skb/kfree_skb", PATH_EVENT_FREE },
	{ "skb/skb_copy_datagram_iovec", PATH_EVENT_COPY },
	{ "irq/irq_handler_entry", PATH_EVENT_IRQ },
	{ "irq/irq_handler_exit", PATH_EVENT_IRQ_DONE },
	{ "irq/softirq_raise", PATH_EVENT_RAISE },
	{ "irq/softirq_entry", PATH_EVENT_SOFTIRQ },
	{ "irq/softirq_exit", PATH_EVENT_SOFTIRQ_DONE },
	{ "napi/napi_poll", PATH_EVENT_POLL },
	{ "sched/sched_waking", PATH_EVENT_WAKE },
	{ "sched/sched_switch", PATH_EVENT_RUN },
};

static const char *mounted(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char instances[64];

		snprintf(instances, sizeof(instances), "%s/instances", places[i]);
		if (access(instances, F_OK) == 0) {
			return places[i];
		}
	}
	return NULL;
}

static int write_file(const char *folder, const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0) {
		return -errno;
	}
	const int ret = write(fd, value, strlen(value)) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

/* ---- the instance ---- */

/* What a holdoff that is no more has left. */
static void remove_stale(const char *place)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/instances", place);
	DIR *const instances = opendir(path);
	const struct dirent *entry;

	while (instances && (entry = readdir(instances))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0) {
			continue;
		}
		const pid_t owner = (pid_t)strtol(entry->d_name + strlen(PREFIX), NULL, 10);

		if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) {
			snprintf(path, sizeof(path), "%s/instances/%.64s", place, entry->d_name);
			rmdir(path);
		}
	}
	if (instances) {
		closedir(instances);
	}
}

static void remove_instance(const char *folder)
{
	const struct timespec rest = { .tv_nsec = 10000000 };

	for (unsigned i = 0; i < REMOVAL_TRIES && rmdir(folder) != 0 && errno == EBUSY; i++) {
		nanosleep(&rest, NULL);
	}
}

/* A child that removes the instance as soon as this process has closed the pipe, by whatever end. */
static int start_keeper(struct tracefs *tracefs)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		return -errno;
	}
	tracefs->keeper = fork();
	if (tracefs->keeper == 0) {
		char byte;

		setsid();
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		for (int fd = 0; fd < 3; fd++) {
			close(fd);
		}
		close(ends[1]);
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
		}
		remove_instance(tracefs->folder);
		_exit(0);
	}
	close(ends[0]);
	tracefs->keeper_fd = ends[1];
	return tracefs->keeper < 0 ? -errno : 0;
}

static int enable(const struct tracefs *tracefs, uint32_t *kinds)
{
	char byte;
	int ret = write_file(tracefs->folder, "trace_clock", "mono");

	*kinds = 0;
	/*
	 * Addresses are hashed, and hidden altogether (____ptrval____) until the kernel has random numbers: asking for one
	 * makes it get them. Without hashing (options/hash-ptr) Linux 6.1 leaves out names of interfaces.
	 */
	(void)!getrandom(&byte, sizeof(byte), 0);
	ret = ret ? ret : write_file(tracefs->folder, "buffer_size_kb", BUFFER_KB);
	for (size_t i = 0; ret == 0 && i < sizeof(events) / sizeof(events[0]); i++) {
		char name[96];

		snprintf(name, sizeof(name), "events/%s/enable", events[i].name);
		if (write_file(tracefs->folder, name, "1") == 0) {
			*kinds |= 1u << events[i].kind;
		}
	}
	return ret;
}

static int start(struct tracefs *tracefs, uint32_t *kinds)
{
	const char *const place = mounted();
	char path[192];

	if (!place) {
		return -EOPNOTSUPP;
	}
	remove_stale(place);
	snprintf(tracefs->folder, sizeof(tracefs->folder), "%s/instances/" PREFIX "%d", place, (int)getpid());
	if (mkdir(tracefs->folder, 0700) != 0) {
		const int error = errno;

		tracefs->folder[0] = '\0';
		return error == EACCES ? -EPERM : -error;
	}
	int ret = start_keeper(tracefs);

	if (ret == 0) {
		snprintf(path, sizeof(path), "%s/trace_pipe", tracefs->folder);
		tracefs->pipe_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ret = tracefs->pipe_fd < 0 ? -errno : 0;
	}
	return ret ? ret : enable(tracefs, kinds);
}

int tracefs_open(struct tracefs **opened, struct path *path, FILE *copy, uint32_t *kinds, struct err *err)
{
	struct tracefs *const tracefs = calloc(1, sizeof(*tracefs));

	*opened = NULL;
	if (!tracefs) {
		return err_set(err, -ENOMEM, "no memory to trace");
	}
	tracefs->path = path;
	tracefs->events = copy;
	tracefs->pipe_fd = tracefs->keeper_fd = -1;
	const int ret = start(tracefs, kinds);

	if (ret == 0) {
		*opened = tracefs;
		return 0;
	}
	tracefs_close(tracefs);
	if (ret == -EOPNOTSUPP) {
		return err_set(err, ret, "there is no tracefs (mount -t tracefs none /sys/kernel/tracing)");
	}
	if (ret == -EPERM) {
		return err_set(err, ret, "the kernel's tracer needs root");
	}
	return err_set(err, ret, "the kernel's tracer cannot be used: %s", strerror(-ret));
}

void tracefs_stop(const struct tracefs *tracefs)
{
	write_file(tracefs->folder, "tracing_on", "0");
}

void tracefs_close(struct tracefs *tracefs)
{
	if (!tracefs) {
		return;
	}
	if (tracefs->pipe_fd >= 0) {
		close(tracefs->pipe_fd);
	}
	if (tracefs->keeper_fd >= 0) {
		close(tracefs->keeper_fd);
		while (waitpid(tracefs->keeper, NULL, 0) < 0 && errno == EINTR) {
		}
	} else if (tracefs->folder[0]) {
		remove_instance(tracefs->folder);
	}
	free(tracefs);
}

/* ---- what it writes ---- */

static void take_line(struct tracefs *tracefs, const char *line, size_t length, struct ftrace_facts *facts)
{
	struct path_event event;
	const enum ftrace_line kind = ftrace_read(line, length, &event, facts);

	if (kind == FTRACE_LOST) {
		event.kind = PATH_EVENT_LOST;
	}
	if (kind != FTRACE_OTHER) {
		path_take_event(tracefs->path, &event);
	}
	if (tracefs->events) {
		fwrite(line, 1, length, tracefs->events);
		putc('\n', tracefs->events);
	}
}

static void take_lines(struct tracefs *tracefs, struct ftrace_facts *facts)
{
	size_t begin = 0;

	for (size_t i = 0; i < tracefs->length; i++) {
		if (tracefs->text[i] == '\n') {
			take_line(tracefs, tracefs->text + begin, i - begin, facts);
			begin = i + 1;
		}
	}
	/* A line that fills all of it is none of ours. */
	tracefs->length = begin || tracefs->length < TEXT_MAX ? tracefs->length - begin : 0;
	memmove(tracefs->text, tracefs->text + begin, tracefs->length);
}

int tracefs_take(struct tracefs *tracefs, struct ftrace_facts *facts, struct err *err)
{
	size_t taken = 0;

	while (taken < TAKE_MAX) {
		const ssize_t got = read(tracefs->pipe_fd, tracefs->text + tracefs->length, TEXT_MAX - tracefs->length);

		if (got > 0) {
			tracefs->length += (size_t)got;
			taken += (size_t)got;
			take_lines(tracefs, facts);
		} else if (got == 0 || errno == EAGAIN) {
			return 0;
		} else if (errno != EINTR) {
			return err_set(err, -errno, "the kernel's trace cannot be read: %s", strerror(errno));
		} else {
			return 0;
		}
	}
	return 1;
}
