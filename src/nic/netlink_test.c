/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exchanges with a peer that misbehaves in every way that it knows, and with a socket that fails; recorded answers
 * of Linux 6.18; and, read only, the kernel of the machine.
 */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <sys/socket.h>

/* How many of the next calls fail, and with what. */
static int faults, fault;

static ssize_t faulty_recvmsg(int fd, struct msghdr *message, int flags)
{
	if (faults > 0) {
		faults--;
		errno = fault;
		return -1;
	}
	return recvmsg(fd, message, flags);
}

#define recvmsg faulty_recvmsg
#include "nic/netlink.c"
#undef recvmsg

#include "nic/nic_private.h"
#include "nic/nic_testing.h"

#define SHORT_MS 60

/* ---- one get ---- */

struct got {
	struct coalesce settings;
	unsigned replies;
};

static int take_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct got *const got = context;

	return nic_coalesce_attribute(&got->settings, attribute, err);
}

static int take(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct got *const got = context;

	got->replies++;
	return netlink_attributes(message, GENL_HDRLEN, take_attribute, got, err);
}

static struct nlmsghdr *request_get(struct netlink *netlink, void *buffer)
{
	struct nlmsghdr *const message = netlink_request(netlink, buffer, ETHTOOL_MSG_COALESCE_GET, 1, 0);
	struct nlattr *const header = mnl_attr_nest_start(message, 1);

	mnl_attr_put_u32(message, ETHTOOL_A_HEADER_DEV_INDEX, 1);
	mnl_attr_nest_end(message, header);
	return message;
}

static int get(struct netlink *netlink, struct got *got, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];

	*got = (struct got){ .replies = 0 };
	return netlink_exchange(netlink, request_get(netlink, buffer), take, got, SHORT_MS, err);
}

/* ---- misbehaviours ---- */

#define ALL "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx off"

struct shape {
	const char *kind;
	int ret;
	const char *settings; /* on success */
	const char *sentence; /* part of it, on failure */
	unsigned replies;     /* that count, 0: not looked at */
};

static const struct shape shapes[] = {
	{ "none", 0, ALL, NULL, 0 },
	{ "missing", 0, "rx-frames 1 tx-usecs 0 tx-frames 1 adaptive-rx off", NULL, 0 },
	{ "unknown", 0, ALL, NULL, 0 },
	{ "short-attribute", -EBADMSG, NULL, "rx-usecs: netlink attribute 2 has 3 bytes", 0 },
	{ "reordered", 0, ALL, NULL, 0 },
	{ "cut-attribute", -EBADMSG, NULL, "attribute is cut off", 0 },
	{ "truncated", -EBADMSG, NULL, "message is cut off", 0 },
	{ "empty", -EBADMSG, NULL, "has no header", 0 },
	{ "huge", -EMSGSIZE, NULL, "longer than 32768 bytes", 0 },
	{ "stale", 0, ALL, NULL, 1 },
	{ "wrong-sequence", -ETIMEDOUT, NULL, "no answer", 0 },
	{ "wrong-port", -ETIMEDOUT, NULL, "no answer", 0 },
	{ "multipart", 0, ALL, NULL, 0 },
	{ "packed", 0, ALL, NULL, 0 },
	{ "early-ack", 0, "", NULL, 0 },
	{ "no-ack", -ETIMEDOUT, NULL, "no answer", 0 },
	{ "no-reply", 0, "", NULL, 0 },
	{ "bad-errno", -EBADMSG, NULL, "says 5, which is no errno", 0 },
	{ "overrun", -ENOBUFS, NULL, "lost", 0 },
	{ "overrun@1", 0, ALL, NULL, 1 },
	{ "interrupted@1", 0, ALL, NULL, 2 },
	{ "interrupted", 0, ALL, NULL, 3 },
	{ "silent", -ETIMEDOUT, NULL, "no answer", 0 },
	{ "hang-up", -ECONNRESET, NULL, "gone", 0 },
	{ "hang-up-after", -ECONNRESET, NULL, "gone", 0 },
	{ "gone", -ENODEV, NULL, "the kernel says: no device matches name (ENODEV)", 0 },
	{ "busy", -EBUSY, NULL, "the kernel says: the device is resetting (EBUSY)", 0 },
};

static void test_shape(const struct shape *shape)
{
	char options[64], text[COALESCE_TEXT_MAX];
	struct netlink netlink;
	struct err err = { "" };
	struct got got;

	snprintf(options, sizeof(options), "--driver virtio --misbehave %s", shape->kind);
	struct testing_peer peer = testing_begin(options);

	if (!tap_is(netlink_open(&netlink, "ethtool", "monitor", &err), 0, "%s: the family is found", shape->kind)) {
		tap_note("%s", err.text);
		testing_end(&peer);
		return;
	}
	tap_is(get(&netlink, &got, &err), shape->ret, "%s: how a get ends", shape->kind);
	if (shape->settings) {
		tap_is_text(coalesce_print(&got.settings, text), shape->settings, "%s: what is read", shape->kind);
	} else {
		tap_ok(strstr(err.text, shape->sentence), "%s: \"%s\" says so", shape->kind, err.text);
	}
	if (shape->replies) {
		tap_is(got.replies, shape->replies, "%s: answers that were looked at", shape->kind);
	}
	netlink_close(&netlink);
	testing_end(&peer);
}

/* What is left over of an exchange that failed is no part of the next one. */
static void test_next_exchange(void)
{
	static const char *const kinds[] = { "truncated@1", "huge@1",      "wrong-sequence@1",
					     "no-ack@1",    "early-ack@1", "short-attribute@1" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char options[64], text[COALESCE_TEXT_MAX];
		struct netlink netlink;
		struct got got;

		snprintf(options, sizeof(options), "--driver virtio --misbehave %s", kinds[i]);
		struct testing_peer peer = testing_begin(options);

		if (netlink_open(&netlink, "ethtool", NULL, NULL)) {
			abort();
		}
		get(&netlink, &got, NULL);
		tap_is(get(&netlink, &got, NULL), 0, "%s: the exchange after it succeeds", kinds[i]);
		tap_is_text(coalesce_print(&got.settings, text), ALL, "%s: and has its own answer", kinds[i]);
		tap_is(got.replies, 1, "%s: once", kinds[i]);
		netlink_close(&netlink);
		testing_end(&peer);
	}
}

/* ---- a socket that fails ---- */

static void test_faults(void)
{
	static const struct {
		int fault, count, ret;
		const char *name;
	} rows[] = {
		{ EINTR, 5, 0, "interrupted five times" },
		{ EAGAIN, 2, 0, "nothing there after all" },
		{ ENOBUFS, 1, 0, "buffer overrun once: asked again" },
		{ ENOBUFS, 3, -ENOBUFS, "buffer overrun every time" },
		{ EIO, 1, -EIO, "another error" },
	};
	struct testing_peer peer = testing_begin("--driver virtio");
	struct netlink netlink;

	if (netlink_open(&netlink, "ethtool", NULL, NULL)) {
		abort();
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct got got;

		fault = rows[i].fault;
		faults = rows[i].count;
		tap_is(get(&netlink, &got, NULL), rows[i].ret, "%s", rows[i].name);
		tap_is(faults, 0, "%s: every fault was met", rows[i].name);
		faults = 0;
	}
	netlink_close(&netlink);
	testing_end(&peer);
}

/* ---- refusals in every form ---- */

static void test_refusal(const char *form, const char *sentence, unsigned attribute)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	char options[64];
	struct netlink netlink;
	struct err err = { "" };

	snprintf(options, sizeof(options), "--extack %s", form);
	struct testing_peer peer = testing_begin(options);

	if (netlink_open(&netlink, "ethtool", NULL, NULL)) {
		abort();
	}
	struct nlmsghdr *const request = request_get(&netlink, buffer);

	((struct genlmsghdr *)mnl_nlmsg_get_payload(request))->cmd = ETHTOOL_MSG_COALESCE_SET;
	mnl_attr_put_u32(request, ETHTOOL_A_COALESCE_RX_USECS, 100);
	mnl_attr_put_u32(request, ETHTOOL_A_COALESCE_RX_USECS_LOW, 1);
	tap_is(netlink_exchange(&netlink, request, NULL, NULL, SHORT_MS, &err), -EINVAL,
	       "%s: an unsupported field is refused", form);
	tap_is_text(err.text, sentence, "%s: in these words", form);
	tap_is(netlink.refused_attribute, attribute, "%s: the attribute at fault", form);
	netlink_close(&netlink);
	testing_end(&peer);
}

static void test_refusals(void)
{
	const char *const words = "the kernel says: cannot modify an unsupported parameter (EINVAL)";

	test_refusal("full", words, ETHTOOL_A_COALESCE_RX_USECS_LOW);
	test_refusal("uncapped", words, ETHTOOL_A_COALESCE_RX_USECS_LOW);
	test_refusal("policy", words, ETHTOOL_A_COALESCE_RX_USECS_LOW);
	test_refusal("message", words, 0);
	test_refusal("none", "the kernel answers EINVAL", 0);
}

static void test_attribute_at(void)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct netlink netlink = { .family = 21 };
	struct nlmsghdr *const request = request_get(&netlink, buffer);

	mnl_attr_put_u32(request, ETHTOOL_A_COALESCE_TX_USECS, 1);
	tap_is(attribute_at(request, GENL_HDRLEN, 20), 1, "the header is at fault");
	tap_is(attribute_at(request, GENL_HDRLEN, 24), ETHTOOL_A_HEADER_DEV_INDEX, "the index within it");
	tap_is(attribute_at(request, GENL_HDRLEN, 32), ETHTOOL_A_COALESCE_TX_USECS, "what follows it");
	tap_is(attribute_at(request, GENL_HDRLEN, 21), 0, "no attribute stands there");
	tap_is(attribute_at(request, GENL_HDRLEN, UINT32_MAX), 0, "far behind the end");
}

/* ---- families ---- */

static void test_families(void)
{
	struct testing_peer peer = testing_begin("--kernel 6.1.0");
	struct netlink netlink;
	struct err err = { "" };

	tap_is(netlink_open(&netlink, "netdev", NULL, &err), -ENOENT, "a kernel of 6.1 has no netdev family");
	tap_ok(strstr(err.text, "no generic netlink family \"netdev\""), "and that is said: %s", err.text);
	tap_is(netlink_open(&netlink, "ethtool", "monitor", &err), 0, "it has ethtool");
	tap_is(netlink.monitor_group, 5, "and its group of notifications");
	netlink_close(&netlink);
	tap_is(netlink_open(&netlink, "ethtool", "absent", &err), 0, "a group that is not there is no fault yet");
	tap_is(netlink_listen(&netlink, take, NULL, 0, &err), -EOPNOTSUPP, "but nobody can listen to it");
	netlink_close(&netlink);
	testing_end(&peer);
}

static void test_variable(void)
{
	static const char *const wrong[] = { "", "x", "-1", "4294967295", "99999" };
	struct netlink netlink;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = { "" };

		setenv(NETLINK_FD_VARIABLE, wrong[i], 1);
		tap_ok(netlink_open(&netlink, "ethtool", NULL, &err) < 0 && err.text[0],
		       "descriptor \"%s\" is refused: %s", wrong[i], err.text);
	}
	unsetenv(NETLINK_FD_VARIABLE);
}

/* ---- notifications ---- */

static int count_command(void *context, const struct nlmsghdr *message, struct err *err)
{
	unsigned *const count = context;

	(void)err;
	*count += netlink_command(message) == ETHTOOL_MSG_COALESCE_NTF;
	return 0;
}

static void test_notifications(void)
{
	struct testing_peer peer = testing_begin("--driver virtio");
	struct netlink netlink;
	struct nic nic = testing_nic();
	const struct coalesce change = testing_settings("rx-usecs 7");
	unsigned count = 0;

	if (netlink_open(&netlink, "ethtool", "monitor", NULL)) {
		abort();
	}
	tap_is(netlink_listen(&netlink, count_command, &count, 0, NULL), -ETIMEDOUT, "quiet while nothing changes");
	nic_coalesce_set(&nic, &change, NULL);
	tap_is(netlink_listen(&netlink, count_command, &count, 2000, NULL), 0, "a change is told");
	tap_is(count, 1, "once");
	nic_coalesce_set(&nic, &change, NULL);
	tap_is(netlink_listen(&netlink, count_command, &count, SHORT_MS, NULL), -ETIMEDOUT, "no change, no word");
	fault = ENOBUFS;
	nic_coalesce_set(&nic, &(struct coalesce){ .present = 1, .value = { 8 } }, NULL);
	faults = 1;
	tap_is(netlink_listen(&netlink, count_command, &count, 2000, NULL), -ENOBUFS, "lost ones are told as lost");
	netlink_close(&netlink);
	nic_close(&nic);
	testing_end(&peer);
}

/* ---- recorded ---- */

/*
 * What Linux 6.18.44 answered on a virtio_net interface of one queue: COALESCE_GET with its acknowledgement. The
 * sequence was 1 and the port 0 in the recording.
 */
static const char recorded_get[] =
	"540000001500000001000000000000001401000018000180080001000400000009000200657468300000000008000200000000"
	"0008000300010000000800060000000000080007000100000005000b0000000000";
static const char recorded_ack[] = "24000000020000010100000000000000000000002000000015000500010000000000000000";

static size_t from_hex(const char *hex, uint8_t *bytes)
{
	size_t count = 0;
	unsigned byte;

	for (; sscanf(hex + 2 * count, "%2x", &byte) == 1; count++) {
		bytes[count] = (uint8_t)byte;
	}
	return count;
}

static void test_recorded(void)
{
	struct netlink netlink = { .family = 21 };
	uint8_t bytes[256];
	char text[COALESCE_TEXT_MAX];
	struct got got;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
		abort();
	}
	netlink.fd = ends[0];
	size_t count = from_hex(recorded_get, bytes);
	ssize_t sent = send(ends[1], bytes, count, 0);

	count = from_hex(recorded_ack, bytes);
	sent = sent > 0 ? send(ends[1], bytes, count - 1, 0) : -1;
	tap_is(sent, 36, "the recording is whole");
	tap_is(get(&netlink, &got, NULL), 0, "virtio_net of 6.18 is read");
	tap_is_text(coalesce_print(&got.settings, text), ALL, "its settings");
	close(ends[0]);
	close(ends[1]);
}

/* ---- attributes ---- */

static int count_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	(void)attribute;
	(void)err;
	++*(unsigned *)context;
	return 0;
}

static void test_numbers(void)
{
	alignas(struct nlattr) uint8_t bytes[32] = { 0 };
	struct nlattr *const attribute = (struct nlattr *)(void *)bytes;
	uint64_t value;

	bytes[4] = 0xff;
	bytes[5] = 1;
	attribute->nla_type = 7;
	for (uint16_t length = 0; length <= 9; length++) {
		attribute->nla_len = (uint16_t)(4 + length);
		const bool is_number = length == 1 || length == 2 || length == 4 || length == 8;
		const int ret = netlink_number(attribute, UINT64_MAX, &value, NULL);

		tap_is(ret, is_number ? 0 : -EBADMSG, "a number of %u bytes", length);
		if (!ret) {
			tap_is((int64_t)value, length == 1 ? 0xff : 0x1ff, "its value");
		}
	}
	attribute->nla_len = 12;
	bytes[8] = 1;
	tap_is(netlink_number(attribute, UINT32_MAX, &value, NULL), -EBADMSG, "more than fits is refused");
}

static void test_texts(void)
{
	alignas(struct nlattr) uint8_t bytes[32] = { 0 };
	struct nlattr *const attribute = (struct nlattr *)(void *)bytes;
	char text[6];

	memcpy(bytes + 4, "a\nb\033cdefgh", 10);
	attribute->nla_len = 14;
	netlink_text(attribute, text, sizeof(text));
	tap_is_text(text, "a?b?c", "control characters are masked, the rest is cut, an end is put");
	attribute->nla_len = 5;
	netlink_text(attribute, text, sizeof(text));
	tap_is_text(text, "a", "no more than there is");
	attribute->nla_len = 4;
	netlink_text(attribute, text, sizeof(text));
	tap_is_text(text, "", "nothing");
}

/* Every length of the first attribute against eight bytes of space. */
static void test_lengths(void)
{
	alignas(struct nlmsghdr) uint8_t bytes[64] = { 0 };
	struct nlmsghdr *const message = (struct nlmsghdr *)(void *)bytes;
	struct nlattr *const attribute = (struct nlattr *)(void *)(bytes + NLMSG_HDRLEN + GENL_HDRLEN);

	message->nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + 8;
	for (uint16_t length = 0; length <= 12; length++) {
		unsigned count = 0;

		attribute->nla_len = length;
		const int ret = netlink_attributes(message, GENL_HDRLEN, count_attribute, &count, NULL);

		tap_is(ret, length >= 5 && length <= 8 ? 0 : -EBADMSG, "an attribute of %u bytes in 8", length);
	}
	message->nlmsg_len = NLMSG_HDRLEN + 2;
	tap_is(netlink_attributes(message, GENL_HDRLEN, count_attribute, &(unsigned){ 0 }, NULL), -EBADMSG,
	       "half a header");
}

/* ---- the kernel of the machine ---- */

static void test_kernel(void)
{
	struct netlink netlink;
	struct err err = { "" };
	struct got got;

	if (netlink_open(&netlink, "ethtool", "monitor", &err)) {
		tap_skip(err.text, "the kernel's ethtool family");
		return;
	}
	tap_ok(netlink.is_kernel && netlink.port && netlink.family && netlink.monitor_group,
	       "the kernel's family, group and our port");
	tap_is(get(&netlink, &got, &err), -EOPNOTSUPP, "interface 1, lo, has no coalescing: %s", err.text);
	tap_is(netlink_listen(&netlink, take, &got, 0, &err), -ETIMEDOUT, "notifications can be waited for");
	netlink_close(&netlink);
	tap_is(netlink_open(&netlink, "no-such-one", NULL, &err), -ENOENT, "no family is found where there is none");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		test_shape(&shapes[i]);
	}
	test_next_exchange();
	test_faults();
	test_refusals();
	test_attribute_at();
	test_families();
	test_variable();
	test_notifications();
	test_recorded();
	test_numbers();
	test_texts();
	test_lengths();
	test_kernel();
	return tap_done();
}
