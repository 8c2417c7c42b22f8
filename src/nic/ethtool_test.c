/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and setting against the scripted peer: what drivers of different kinds say and refuse, queues, identity,
 * notifications.
 */
#include <fcntl.h>
#include <sys/socket.h>

#include "nic/nic_testing.h"

#define LOG_PATH_MAX 128

/* ---- coalescing ---- */

struct row {
	const char *options, *change; /* change NULL: only read */
	int ret;
	const char *after;    /* what is reported then, or the name of the errno */
	const char *sentence; /* part of what is said of a refusal */
};

static const struct row rows[] = {
	{ "--driver e1000e@6.1", NULL, 0, "rx-usecs 3", NULL },
	{ "--driver e1000e@6.1", "rx-usecs 100", 0, "rx-usecs 100", NULL },
	{ "--driver e1000e@6.1", "rx-usecs 3000", 0, "rx-usecs 3012", NULL },
	{ "--driver e1000e@6.1", "rx-usecs 2", -EINVAL, "rx-usecs 3", "lo: the kernel answers EINVAL" },
	{ "--driver e1000e@6.1", "tx-usecs 2", -EINVAL, "rx-usecs 3",
	  "lo: tx-usecs: the kernel says: cannot modify an unsupported parameter (EINVAL)" },
	{ "--driver r8169@6.12 --speed 100", "rx-usecs 1228", 0, "rx-usecs 1229 rx-frames 0 tx-usecs 0 tx-frames 1",
	  NULL },
	{ "--driver r8169@6.12 --speed 100", "rx-usecs 1229", -ERANGE, "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1",
	  "ERANGE" },
	{ "--driver fec@old", "rx-usecs 0 rx-frames 0", 0, "rx-usecs 0 rx-frames 0 tx-usecs 1000 tx-frames 200", NULL },
	{ "--driver tsnep@6.12", "rx-usecs 100", 0, "rx-usecs 96 tx-usecs 96", NULL },
	{ "--driver tsnep@none", NULL, 0, "EOPNOTSUPP", "lo: its driver has no interrupt coalescing to show or set" },
	{ "--driver tsnep@none", "rx-usecs 1", -EOPNOTSUPP, "EOPNOTSUPP",
	  "lo: its driver has no interrupt coalescing to set" },
	{ "--driver virtio", "adaptive-rx on", 0, "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx on",
	  NULL },
	{ "--driver virtio", "adaptive-rx on rx-usecs 5", -EINVAL,
	  "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx off", "EINVAL" },
	{ "--driver store --supported rx-usecs-high,cqe-mode-rx,tx-aggr-max-bytes,rx-cqe-nsecs",
	  "rx-usecs-high 4294967295 cqe-mode-rx on tx-aggr-max-bytes 7 rx-cqe-nsecs 9", 0,
	  "rx-usecs-high 4294967295 cqe-mode-rx on tx-aggr-max-bytes 7 rx-cqe-nsecs 9", NULL },
	{ "--driver virtio --misbehave forbidden", "rx-usecs 1", -EPERM,
	  "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx off", "lo: changing settings needs root" },
	{ "--driver virtio --misbehave early-ack", NULL, 0, "EBADMSG",
	  "lo: the kernel acknowledges but does not answer" },
	{ "--driver virtio --misbehave no-reply", NULL, 0, "EBADMSG",
	  "lo: the kernel acknowledges but does not answer" },
	{ "--driver virtio --misbehave unknown", "rx-usecs 9", 0,
	  "rx-usecs 9 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx off", NULL },
	{ "--driver virtio --misbehave gone", "rx-usecs 9", -ENODEV, "ENODEV",
	  "lo: the kernel says: no device matches name (ENODEV)" },
};

static void test_row(const struct row *row)
{
	struct testing_peer peer = testing_begin(row->options);
	struct nic nic = testing_nic();
	struct err err = { "" }, later = { "" };

	if (row->change) {
		const struct coalesce change = testing_settings(row->change);

		tap_is(nic_coalesce_set(&nic, &change, &err), row->ret, "%s: setting %s", row->options, row->change);
	}
	tap_is_text(testing_get(&nic, &later), row->after, "%s: what is read then", row->options);
	if (row->sentence) {
		tap_ok(strstr(row->change ? err.text : later.text, row->sentence), "%s: \"%s\" says what is wrong",
		       row->options, row->change ? err.text : later.text);
	}
	nic_close(&nic);
	testing_end(&peer);
}

/* ---- whose settings they are ---- */

/* An answer about interface 4 to a question about another one. */
static void test_other_interface(int ifindex, int ret)
{
	static const uint8_t answer[] = { 40, 0, 0, 0,    21, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 1, 0, 0,
					  12, 0, 1, 0x80, 8,  0, 1, 0, 4, 0, 0, 0, 8, 0, 2, 0, 7,  0, 0, 0,
					  20, 0, 0, 0,    2,  0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0 };
	static const uint8_t rest[16];
	uint8_t datagram[sizeof(answer) + sizeof(rest)] = { 0 };
	struct netlink netlink = { .family = 21 };
	struct nic nic = { .name = "eth9", .ifindex = ifindex, .ioctl_fd = -1, .ethtool = &netlink };
	struct coalesce settings;
	int ends[2];

	memcpy(datagram, answer, sizeof(answer));
	datagram[40] = 36; /* the acknowledgement is as long as the copy of a header */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) || send(ends[1], datagram, sizeof(datagram), 0) < 0) {
		abort();
	}
	netlink.fd = ends[0];
	tap_is(nic_coalesce_get(&nic, &settings, NULL), ret, "an answer about interface 4 when asked for %d", ifindex);
	tap_is(settings.value[COALESCE_RX_USECS], ret ? 0 : 7, "its value");
	close(ends[0]);
	close(ends[1]);
}

/* ---- only what is given is sent ---- */

static const char *read_log(const char *path)
{
	static char text[1024];
	FILE *const file = fopen(path, "r");
	const size_t bytes = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[bytes] = '\0';
	if (file) {
		fclose(file);
	}
	return text;
}

static void test_sent(void)
{
	struct peer_config config = testing_config("--driver virtio");
	const struct coalesce one = testing_settings("tx-usecs 0 adaptive-rx on"), none = { 0 };
	char path[LOG_PATH_MAX], number[16];
	pid_t server;

	snprintf(path, sizeof(path), "/tmp/holdoff-nic-test.%ld", (long)getpid());
	const int control = peer_start(&config, NULL, path, &server);

	snprintf(number, sizeof(number), "%d", control);
	setenv(NETLINK_FD_VARIABLE, number, 1);
	struct nic nic = testing_nic();

	tap_is(nic_coalesce_set(&nic, &none, NULL), 0, "nothing to set");
	tap_is(nic_coalesce_set(&nic, &one, NULL), 0, "two fields, one of them as it is");
	tap_is_text(read_log(path), "coalesce-set tx-usecs 0 adaptive-rx on = 0 changed\n",
		    "just these are sent, an empty set is not");
	nic_close(&nic);
	testing_end(&(struct testing_peer){ .server = server, .control = control });
	unlink(path);
}

/* ---- queues ---- */

static void test_queues(void)
{
	struct testing_peer peer = testing_begin("--driver tsnep@6.12 --queues 2");
	struct nic nic = testing_nic();
	struct coalesce settings;
	struct err err = { "" };
	const struct coalesce change = testing_settings("rx-usecs 32 tx-usecs 32"),
			      modes = testing_settings("cqe-mode-rx on");
	char text[COALESCE_TEXT_MAX];

	tap_is(nic_queue_coalesce_get(&nic, 1, 0, &settings, &err), 0, "a queue is read");
	tap_is_text(coalesce_print(&settings, text), "rx-usecs 64 tx-usecs 64", "its settings");
	tap_is(nic_queue_coalesce_set(&nic, 1, &change, &err), 0, "and set");
	nic_queue_coalesce_get(&nic, 1, 0, &settings, &err);
	tap_is_text(coalesce_print(&settings, text), "rx-usecs 32 tx-usecs 32", "its settings then");
	nic_queue_coalesce_get(&nic, 0, 0, &settings, &err);
	tap_is_text(coalesce_print(&settings, text), "rx-usecs 64 tx-usecs 64", "the other queue keeps its own");
	tap_is(nic_queue_coalesce_get(&nic, 2, 0, &settings, &err), -EINVAL, "there is no third: %s", err.text);
	nic_close(&nic);
	testing_end(&peer);
	peer = testing_begin("--driver store --supported cqe-mode-rx");
	nic = testing_nic();
	tap_is(nic_queue_coalesce_set(&nic, 0, &modes, &err), -EOPNOTSUPP, "a field without a place in the ioctl: %s",
	       err.text);
	nic_close(&nic);
	testing_end(&peer);
}

static void test_no_queues(const char *options)
{
	struct testing_peer peer = testing_begin(options);
	struct nic nic = testing_nic();
	struct coalesce settings;
	struct err err = { "" };

	tap_is(nic_queue_coalesce_get(&nic, 0, 0, &settings, &err), -EOPNOTSUPP, "%s: no settings of queues", options);
	tap_ok(strstr(err.text, "lo: its driver has no settings of single queues"), "%s: \"%s\"", options, err.text);
	tap_is(settings.present, 0, "%s: and none are made up", options);
	nic_close(&nic);
	testing_end(&peer);
}

/* ---- identity ---- */

static void test_identity(void)
{
	struct testing_peer peer =
		testing_begin("--driver r8169@6.12 --speed 100 --queues 2 --kernel 6.12.95 --pci-id 0x10ec8168");
	struct nic nic = testing_nic();
	struct nic_identity identity;
	struct err err = { "" };

	tap_is(nic_identify(&nic, &identity, &err), 0, "identified");
	tap_is_text(identity.name, "lo", "the name is the real interface's");
	tap_is_text(identity.driver, "r8169", "the driver is the peer's");
	tap_is_text(identity.kernel, "6.12.95", "and the kernel");
	tap_is(identity.speed_mbps, 100, "and the speed");
	tap_is(identity.rx_ring, 256, "receive descriptors");
	tap_is(identity.combined_channels, 2, "channels");
	tap_is(identity.pci_device, 0x8168, "PCI id");
	tap_is(identity.has & NIC_HAS_CLOCK, 0, "a clock that nobody told is absent");
	nic_close(&nic);
	testing_end(&peer);
	peer = testing_begin("--driver r8169@6.12 --speed 0");
	nic = testing_nic();
	nic_identify(&nic, &identity, &err);
	tap_is(identity.has & NIC_HAS_SPEED, 0, "no link, no speed");
	nic_close(&nic);
	testing_end(&peer);
	peer = testing_begin("--no-identity --speed 0");
	nic = testing_nic();
	nic_identify(&nic, &identity, &err);
	tap_is(identity.has & NIC_HAS_SPEED, 0, "a speed that the driver does not know");
	nic_close(&nic);
	testing_end(&peer);
	peer = testing_begin("--no-link --speed 100");
	nic = testing_nic();
	nic_identify(&nic, &identity, &err);
	tap_is(identity.has & NIC_HAS_SPEED, 0, "a speed that the driver remembers of a link that is down");
	nic_close(&nic);
	testing_end(&peer);
	peer = testing_begin("--driver virtio --misbehave gone");
	nic = testing_nic();
	tap_is(nic_identify(&nic, &identity, &err), -ENODEV, "an interface that vanished: %s", err.text);
	nic_close(&nic);
	testing_end(&peer);
}

/* ---- notifications ---- */

/* The buffer of a socket has overrun: of whom was lost is not known. */
static void test_lost(struct nic *nic)
{
	const struct nlmsghdr lost = { .nlmsg_len = sizeof(lost), .nlmsg_type = NLMSG_OVERRUN };
	const int fd = nic->watch->fd;
	int ends[2], ifindex = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) || write(ends[1], &lost, sizeof(lost)) < 0) {
		tap_ok(false, "a pair of sockets");
		return;
	}
	nic->watch->fd = ends[0];
	tap_is(nic_watch(nic, 2000, &ifindex, NULL), 0, "lost notifications are no error");
	tap_is(ifindex, NIC_WATCH_ALL, "but may have been of every interface");
	nic->watch->fd = fd;
	close(ends[0]);
	close(ends[1]);
}

static void test_watch(void)
{
	struct testing_peer peer = testing_begin("--driver virtio");
	struct nic nic = testing_nic(), other = testing_nic();
	const struct coalesce change = testing_settings("rx-usecs 5");
	int ifindex = -1;

	tap_is(nic_watch_open(&nic, NULL), 0, "notifications are joined");
	nic_coalesce_set(&other, &change, NULL);
	tap_is(nic_watch(&nic, 2000, &ifindex, NULL), 0, "a change before the wait is not missed");
	tap_is(ifindex, nic.ifindex, "whose it is");
	tap_is(nic_watch(&nic, 30, &ifindex, NULL), 0, "then nothing");
	tap_is(ifindex, 0, "is nobody's");
	test_lost(&nic);
	nic_close(&other);
	nic_close(&nic);
	testing_end(&peer);
}

/* ---- several at a time ---- */

#define CLIENTS 8
#define ROUNDS 50

/* Every client sets its own number of one field and must never see another field change. */
static int be_client(enum coalesce_field field)
{
	struct nic nic = testing_nic();
	struct coalesce settings;
	int bad = 0;

	for (uint32_t i = 1; i <= ROUNDS; i++) {
		struct coalesce change = { 0 };

		coalesce_put(&change, field, i);
		bad |= nic_coalesce_set(&nic, &change, NULL) || nic_coalesce_get(&nic, &settings, NULL) ||
		       settings.value[field] != i;
	}
	nic_close(&nic);
	return bad;
}

static void test_together(void)
{
	struct testing_peer peer =
		testing_begin("--driver store --supported rx-usecs,rx-frames,tx-usecs,tx-frames,rx-usecs-irq,"
			      "tx-usecs-irq,rx-frames-irq,tx-frames-irq");
	unsigned good = 0;

	fflush(stdout);
	for (unsigned i = 0; i < CLIENTS; i++) {
		if (fork() == 0) {
			_exit(be_client(i));
		}
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		int status = 1;

		wait(&status);
		good += status == 0;
	}
	tap_is(good, CLIENTS, "%d processes on one descriptor each get their own answers", CLIENTS);
	testing_end(&peer);
}

/* ---- interfaces that are not there ---- */

static void test_open(void)
{
	struct err err = { "" };
	struct nic nic;
	char name[200], names[4][IFNAMSIZ];

	tap_is(nic_open(&nic, "lp", &err), -ENODEV, "no such interface");
	tap_is_text(err.text, "there is no interface \"lp\", did you mean lo?", "the nearest is named");
	tap_is(nic_open(&nic, "", &err), -ENODEV, "an empty name");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	tap_is(nic_open(&nic, name, &err), -ENODEV, "a name longer than any");
	name[40] = '\0';
	tap_is(nic_open(&nic, name, &err), -ENODEV, "a name as long as alternative ones");
	tap_ok(nic_list(names, 4, &err) >= 1, "interfaces are listed");
	tap_is_text(names[0], "lo", "lo is the first one");
	tap_is(nic_list(names, 0, &err) >= 1, 1, "and counted without room for any");
}

/* ---- the machine's own interfaces: only read ---- */

static void test_machine(const char *name)
{
	struct nic nic;
	struct nic_identity identity;
	struct coalesce settings, queue;
	struct nic_napi napis[NIC_NAPIS_MAX];
	struct err err = { "" };
	unsigned count;

	if (nic_open(&nic, name, &err)) {
		tap_skip(err.text, "%s", name);
		return;
	}
	tap_ok(nic.ethtool->is_kernel, "%s: asked of the kernel", name);
	tap_is(nic_identify(&nic, &identity, &err), 0, "%s: identified", name);
	tap_is_text(err.text, "", "%s: without a complaint", name);
	const int ret = nic_coalesce_get(&nic, &settings, &err);

	tap_ok(ret == 0 || ret == -EOPNOTSUPP, "%s: settings, or none: %d", name, ret);
	tap_ok(!ret == !!settings.present, "%s: fields are there only if it has some", name);
	const int queue_ret = nic_queue_coalesce_get(&nic, 0, settings.present, &queue, &err);

	tap_ok(queue_ret == 0 || queue_ret == -EOPNOTSUPP, "%s: of queue 0, or none: %d", name, queue_ret);
	tap_is(queue.present, queue_ret ? 0 : settings.present & 0x3fffff,
	       "%s: the same fields of a queue, but for those without a place", name);
	tap_is(nic_napi_list(&nic, napis, NIC_NAPIS_MAX, &count, &err), 0, "%s: NAPI instances", name);
	for (unsigned i = 1; i < count; i++) {
		tap_ok(napis[i].id > napis[i - 1].id, "%s: in order", name);
	}
	nic_close(&nic);
}

static void test_machines(void)
{
	enum { MAX = 16 };
	char names[MAX][IFNAMSIZ];
	int count = nic_list(names, MAX, NULL);

	for (int i = 0; i < count && i < MAX; i++) {
		test_machine(names[i]);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_row(&rows[i]);
	}
	test_other_interface(4, 0);
	test_other_interface(5, -EBADMSG);
	test_sent();
	test_queues();
	test_no_queues("--driver r8169@6.12");
	test_no_queues("--driver virtio --no-per-queue");
	test_no_queues("--driver virtio --no-identity");
	test_identity();
	test_watch();
	test_together();
	test_open();
	test_machines();
	return tap_done();
}
