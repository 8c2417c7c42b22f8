/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replies over netlink. The first byte says what is asked; then datagrams follow, each behind its length in two
 * bytes, low byte first. All of them lie in the socket before the question, and nothing comes after: the far end
 * is shut. A request has the sequence 1 and the port 0, a second one in the same go has 2.
 */
#include "nic/napi.c"
#include "nic/netlink_open.c"

#include "fuzz/fuzz.h"

#define FAMILY 21

enum question { ASK_GET, ASK_SET, ASK_NAPI, ASK_FAMILY, ASK_NOTIFICATION, ASK_NUMBERS, QUESTIONS };

static void queue_datagrams(int fd, const uint8_t *data, size_t size)
{
	while (size >= 2) {
		const size_t wanted = data[0] | (size_t)data[1] << 8, bytes = wanted < size - 2 ? wanted : size - 2;

		/* An empty one would be taken for the end. */
		if (bytes && send(fd, data + 2, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			return;
		}
		data += 2 + bytes;
		size -= 2 + bytes;
	}
}

static void check_settings(const struct coalesce *settings)
{
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		fuzz_require(coalesce_has(settings, field) || !settings->value[field]);
		fuzz_require(coalesce_fields[field].unit != COALESCE_UNIT_SWITCH || settings->value[field] <= 1);
	}
	fuzz_require(!(settings->present >> COALESCE_FIELDS));
}

static void check_sentence(int ret, const struct err *err)
{
	fuzz_require(ret <= 0);
	fuzz_require(ret == 0 || err->text[0]);
	for (const char *at = err->text; *at; at++) {
		fuzz_require((unsigned char)*at >= ' ');
	}
}

static int ask_napis(struct nic *nic, struct err *err)
{
	enum { MAX = 5 };
	struct nic_napi napis[MAX + 1] = { [MAX] = { .id = 0x5a5a } };
	unsigned count = 0;
	const int ret = list_instances(nic, napis, MAX, &count, err);

	fuzz_require(count <= MAX && napis[MAX].id == 0x5a5a);
	for (unsigned i = 0; i < count; i++) {
		fuzz_require(napis[i].id > (i ? napis[i - 1].id : 0));
	}
	return ret;
}

static int take_nothing(void *context, const struct nlmsghdr *message, struct err *err)
{
	(void)err;
	*(unsigned *)context += netlink_command(message);
	return 0;
}

static int ask(enum question question, struct netlink *netlink, struct err *err)
{
	struct nic nic = { .name = "eth9", .ifindex = 4, .ioctl_fd = -1, .ethtool = netlink, .netdev = netlink };
	struct nic_identity identity = { .has_carrier = true };
	struct coalesce settings = { .present = 1, .value = { 100 } };
	unsigned sum = 0;
	int ret;

	switch (question) {
	case ASK_GET:
		ret = nic_coalesce_get(&nic, &settings, err);
		check_settings(&settings);
		fuzz_require(!ret || !settings.present);
		return ret;
	case ASK_SET:
		return nic_coalesce_set(&nic, &settings, err);
	case ASK_NAPI:
		return ask_napis(&nic, err);
	case ASK_FAMILY:
		ret = look_up(netlink, "ethtool", "monitor", err);
		fuzz_require(ret || netlink->family);
		return ret;
	case ASK_NOTIFICATION:
		netlink->is_member = true;
		return netlink_listen(netlink, take_nothing, &sum, 0, err);
	default:
		ret = nic_ethtool_identify(&nic, &identity, err);
		fuzz_require(strnlen(nic.name, sizeof(nic.name)) == 4);
		return ret;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct netlink netlink = { .family = FAMILY };
	struct err err = { "" };
	int ends[2];

	if (!size) {
		return 0;
	}
	fuzz_require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
	netlink.fd = ends[0];
	queue_datagrams(ends[1], data + 1, size - 1);
	fuzz_require(shutdown(ends[1], SHUT_WR) == 0);
	const int ret = ask(data[0] % QUESTIONS, &netlink, &err);

	check_sentence(ret, &err);
	close(ends[0]);
	close(ends[1]);
	return 0;
}
