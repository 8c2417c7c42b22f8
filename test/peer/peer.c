/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's part in tests of commands that read and change settings:
 *
 *	peer [OPTIONS] -- COMMAND ...    runs COMMAND; its exit status (128 + N if signal N ended it)
 *	peer [OPTIONS] --get             what the device reports now, as words ("rx-usecs 1229 ...")
 *	peer [OPTIONS] --apply WORDS     somebody else changes a setting; prints 0 or the negative errno
 *	peer [OPTIONS] --napi            its NAPI instances: id, defer-hard-irqs, gro-flush-timeout,
 *	                                 irq-suspend-timeout, threaded
 *
 * COMMAND names an interface that exists (lo does): names, addresses and /sys are the real ones, everything that goes
 * over ethtool is answered here, also the driver's name, link speed, kernel release and single queues. Nothing is ever
 * set on the real interface, but for NAPI instance 0, which is /sys.
 *
 *	--driver DEVICE      a driver variant as `holdoff boards --drivers` lists them, r8169@6.12 by default; virtio
 *	                     (four values and adaptive-rx, per queue) or store (keeps the fields of --supported);
 *	                     store@igb: with a driver called igb
 *	--speed MBPS         1000; 0: no link
 *	--queues N --napis N 1 each
 *	--set WORDS          settings when the device is made: not when FILE of --state goes on
 *	--supported A,B      fields of store
 *	--kernel RELEASE     6.18.0, or 6.1.100 for fec@old, r8169@6.1, stmmac@6.1 and tsnep@none: below 6.8 there is no NAPI
 *	                     family, below 6.13 no deferral in it, below 6.17 no threaded
 *	--clock HZ           of fec and stmmac, 266666666; --no-clock-told: as without debugfs
 *	--compatible NAME --pci-id N --no-identity --no-per-queue --no-link --multi-queues
 *	--extack FORM        full uncapped policy message none
 *	--misbehave KIND[@N] see peer.h: missing unknown short-attribute reordered cut-attribute truncated empty huge
 *	                     stale wrong-sequence wrong-port multipart packed early-ack no-ack no-reply bad-errno
 *	                     overrun interrupted silent hang-up hang-up-after gone busy forbidden; @N: only in the
 *	                     Nth request to ethtool or netdev since the server began
 *	--delay MS           to each answer, half before and half after it is done: room to kill somebody in
 *	--state FILE         the device lives on: later runs with the same FILE meet it as it was left (device and --set
 *	                     should not differ; "reported ..." in it is what it reports). A server process serves all
 *	                     runs with this FILE at the same time, and goes on while a process is alive that still has
 *	                     the descriptor: a helper that outlives COMMAND must keep HOLDOFF_NETLINK_FD in its
 *	                     environment and the descriptor open (no close-on-exec), and may then ask at any time.
 *	                     Options that shape the answers are those of the run that found no server.
 *	--log FILE           a line per request that would change something: "coalesce-set rx-usecs 100 = 0 changed"
 *
 * COMMAND may be killed at any moment; what had been done by then is in FILE.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "nic/netlink.h"
#include "nic/nic.h"
#include "peer/peer.h"

struct options {
	struct peer_config config;
	const char *state, *log, *set, *apply;
	bool gets, lists_napis, hides_clock;
	char **command;
};

static void fail(const char *text)
{
	fprintf(stderr, "peer: %s\n", text);
	exit(2);
}

static bool take_flag(struct options *options, const char *name)
{
	const struct {
		const char *name;
		bool *flag, value;
	} flags[] = {
		{ "--get", &options->gets, true },
		{ "--napi", &options->lists_napis, true },
		{ "--no-clock-told", &options->hides_clock, true },
		{ "--no-identity", &options->config.hides_identity, true },
		{ "--no-link", &options->config.has_no_link, true },
		{ "--multi-queues", &options->config.has_multi_queues, true },
		{ "--no-per-queue", &options->config.has_per_queue, false },
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(name, flags[i].name) == 0) {
			*flags[i].flag = flags[i].value;
			return true;
		}
	}
	return false;
}

static void take_option(struct options *options, const char *name, const char *value)
{
	const struct {
		const char *name, **text;
	} texts[] = {
		{ "--state", &options->state },
		{ "--log", &options->log },
		{ "--set", &options->set },
		{ "--apply", &options->apply },
	};
	struct err err = { "" };

	if (!value) {
		fail("an option lacks its value");
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(name, texts[i].name) == 0) {
			*texts[i].text = value;
			return;
		}
	}
	const int ret = peer_config_option(&options->config, name, value, &err);

	if (ret) {
		fail(ret == -ENOENT ? name : err.text);
	}
}

static void parse(struct options *options, char **words)
{
	*options = (struct options){ .config = peer_config_default() };
	for (; *words; words++) {
		if (strcmp(*words, "--") == 0) {
			options->command = words + 1;
			return;
		}
		if (!take_flag(options, *words)) {
			take_option(options, words[0], words[1]);
			words++;
		}
	}
}

/* ---- the server ---- */

static void make_peer(struct peer *peer, const struct options *options)
{
	struct err err = { "" };
	struct coalesce settings;

	if (peer_init(peer, &options->config, &err)) {
		fail(err.text);
	}
	if (options->set && coalesce_parse_text(&settings, options->set, &err)) {
		fail(err.text);
	}
	if (options->set && peer_set(peer, &settings)) {
		fail("the device refuses --set");
	}
	if (options->hides_clock) {
		peer->config.clock_hz = 0;
	}
	if (options->state) {
		peer_load(peer, options->state);
		peer_save(peer, options->state);
	}
}

/* Of its own session, and with none of the descriptors that a pipeline may wait for. */
static void become_server(void)
{
	const int null = open("/dev/null", O_RDWR);

	setsid();
	signal(SIGHUP, SIG_IGN);
	for (int fd = 0; fd < 3; fd++) {
		dup2(null, fd);
	}
	close(null);
}

static struct sockaddr_un address_of(const char *state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s.socket", state) >= (int)sizeof(address.sun_path)) {
		fail("the path of --state is too long for a socket beside it");
	}
	return address;
}

/* The lock is held as long as the server lives, so that the next one begins with what this one has left. */
static void lock_state(const char *state)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.lock", state);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX)) {
		_exit(2);
	}
}

static int listen_at(const struct sockaddr_un *address)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	unlink(address->sun_path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)address, sizeof(*address)) || listen(fd, 64)) {
		_exit(2);
	}
	return fd;
}

static void close_all_but(int kept)
{
	for (int fd = 3; fd < 1024; fd++) {
		if (fd != kept) {
			close(fd);
		}
	}
}

/* Serves the other end of the returned descriptor, and others' with --state. */
static int start_server(const struct options *options)
{
	static struct peer peer;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
		fail("no sockets");
	}
	fflush(NULL);
	const pid_t pid = fork();

	if (pid < 0) {
		fail("cannot fork");
	}
	if (pid > 0) {
		close(ends[1]);
		return ends[0];
	}
	int listening = -1;
	struct sockaddr_un address;

	close_all_but(ends[1]);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	if (options->state) {
		address = address_of(options->state);
		lock_state(options->state);
	}
	make_peer(&peer, options);
	become_server();
	if (options->state) {
		listening = listen_at(&address);
	}
	peer_serve(&peer, ends[1], listening, options->state, options->log);
	if (options->state) {
		unlink(address.sun_path);
	}
	_exit(0);
}

/* Whether somebody serves this descriptor. */
static bool is_served(int fd)
{
	char byte;

	return send(fd, "?", 1, MSG_NOSIGNAL) == 1 && recv(fd, &byte, 1, 0) == 1 && byte == '!';
}

static int connect_to_server(const struct options *options)
{
	const struct sockaddr_un address = address_of(options->state);
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && is_served(fd)) {
		return fd;
	}
	close(fd);
	return -1;
}

static int find_or_start(const struct options *options)
{
	int fd = options->state ? connect_to_server(options) : -1;

	if (fd >= 0) {
		return fd;
	}
	fd = start_server(options);
	if (!is_served(fd)) {
		fail("the server did not start");
	}
	return fd;
}

/* One run at a time, so that two of them don't both start a server. */
static int control_descriptor(const struct options *options)
{
	char path[4096];

	if (!options->state) {
		return find_or_start(options);
	}
	snprintf(path, sizeof(path), "%s.start", options->state);
	const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (lock < 0 || flock(lock, LOCK_EX)) {
		fail("cannot lock beside --state");
	}
	const int control = find_or_start(options);

	flock(lock, LOCK_UN);
	close(lock);
	return control;
}

/* ---- as a client ---- */

static const char *first_interface(void)
{
	static char names[1][IFNAMSIZ];

	return nic_list(names, 1, NULL) > 0 ? names[0] : "lo";
}

static int be_client(const struct options *options)
{
	struct nic nic;
	struct err err = { "" };
	struct coalesce settings;
	char text[COALESCE_TEXT_MAX];
	int ret = nic_open(&nic, first_interface(), &err);

	if (ret) {
		fail(err.text);
	}
	if (options->apply) {
		if (coalesce_parse_text(&settings, options->apply, &err)) {
			fail(err.text);
		}
		ret = nic_coalesce_set(&nic, &settings, &err);
		printf("%d\n", ret);
	} else if (options->gets) {
		ret = nic_coalesce_get(&nic, &settings, &err);
		printf("%s\n", ret ? err.text : coalesce_print(&settings, text));
	} else {
		struct nic_napi napis[PEER_NAPIS_MAX];
		unsigned count;

		ret = nic_napi_list(&nic, napis, PEER_NAPIS_MAX, &count, &err);
		for (unsigned i = 0; i < count && !ret; i++) {
			printf("%u %u %llu %llu %u\n", napis[i].id, napis[i].defer_hard_irqs,
			       (unsigned long long)napis[i].gro_flush_timeout_ns,
			       (unsigned long long)napis[i].irq_suspend_timeout_ns, napis[i].threaded);
		}
	}
	nic_close(&nic);
	return ret ? 1 : 0;
}

static int run(char **command, int control)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(command[0], command);
		fprintf(stderr, "peer: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(control);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return 2;
		}
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct options options;
	char number[16];

	(void)argc;
	parse(&options, argv + 1);
	const int control = control_descriptor(&options);

	snprintf(number, sizeof(number), "%d", control);
	setenv(NETLINK_FD_VARIABLE, number, 1);
	if (options.command && options.command[0]) {
		return run(options.command, control);
	}
	if (!options.gets && !options.apply && !options.lists_napis) {
		fail("neither -- COMMAND nor --get, --apply or --napi");
	}
	return be_client(&options);
}
