/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interfaces as rtnetlink lists them. Alternative names are looked up since Linux 5.5, permanent addresses are
 * said since 5.6.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "nic/nic_private.h"

#define SKIP_STATISTICS 8 /* RTEXT_FILTER_SKIP_STATS */
#define ALTERNATIVE_NAME_MAX 128

static void copy_address(const struct nlattr *attribute, uint8_t address[NIC_ADDRESS_MAX], unsigned *bytes)
{
	const unsigned length = mnl_attr_get_payload_len(attribute);

	*bytes = length < NIC_ADDRESS_MAX ? length : NIC_ADDRESS_MAX;
	memcpy(address, mnl_attr_get_payload(attribute), *bytes);
}

static int take_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct nic_link *const link = context;
	uint64_t value;

	switch (mnl_attr_get_type(attribute)) {
	case IFLA_IFNAME:
		netlink_text(attribute, link->name, sizeof(link->name));
		return 0;
	case IFLA_ADDRESS:
		copy_address(attribute, link->address, &link->address_bytes);
		return 0;
	case IFLA_PERM_ADDRESS:
		copy_address(attribute, link->permanent_address, &link->permanent_address_bytes);
		return 0;
	case IFLA_QDISC:
		netlink_text(attribute, link->queueing, sizeof(link->queueing));
		return 0;
	case IFLA_CARRIER:
		if (netlink_number(attribute, UINT32_MAX, &value, err)) {
			return -EBADMSG;
		}
		link->has_carrier = value != 0;
		return 0;
	default:
		return 0;
	}
}

static int parse_link(const struct nlmsghdr *message, struct nic_link *link, struct err *err)
{
	const struct ifinfomsg *const header = mnl_nlmsg_get_payload(message);

	*link = (struct nic_link){ 0 };
	const int ret = netlink_attributes(message, sizeof(*header), take_attribute, link, err);

	if (ret) {
		return ret;
	}
	link->ifindex = header->ifi_index;
	link->is_up = header->ifi_flags & IFF_UP;
	return 0;
}

static int take_link(void *context, const struct nlmsghdr *message, struct err *err)
{
	return message->nlmsg_type == RTM_NEWLINK ? parse_link(message, context, err) : 0;
}

static struct nlmsghdr *begin(const struct netlink *netlink, void *buffer, uint16_t flags, int ifindex)
{
	struct nlmsghdr *const message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = RTM_GETLINK;
	message->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	message->nlmsg_pid = netlink->port;
	struct ifinfomsg *const header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	header->ifi_family = AF_UNSPEC;
	header->ifi_index = ifindex;
	mnl_attr_put_u32(message, IFLA_EXT_MASK, SKIP_STATISTICS);
	return message;
}

/* By name unless that is NULL. */
static int ask(const char *name, int ifindex, struct nic_link *link, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct netlink netlink;
	int ret = netlink_open_route(&netlink, err);

	if (ret) {
		return ret;
	}
	struct nlmsghdr *const request = begin(&netlink, buffer, NLM_F_ACK, ifindex);

	if (name) {
		mnl_attr_put_strz(request, IFLA_ALT_IFNAME, name);
	}
	*link = (struct nic_link){ 0 };
	ret = netlink_exchange(&netlink, request, take_link, link, NIC_TIMEOUT_MS, err);
	netlink_close(&netlink);
	if (!ret && (!link->ifindex || !link->name[0])) {
		return err_set(err, -EBADMSG, "the kernel does not say what interface it found");
	}
	return ret;
}

/* -ENODEV with the name that was meant, if one is near. */
static int complain_unknown(const char *name, struct err *err)
{
	enum { NAMES_MAX = 256 };
	char names[NAMES_MAX][IFNAMSIZ];
	const char *pointers[NAMES_MAX];
	int count = nic_list(names, NAMES_MAX, NULL);

	count = count < NAMES_MAX ? count : NAMES_MAX;
	for (int i = 0; i < count; i++) {
		pointers[i] = names[i];
	}
	const char *const nearest = count > 0 ? text_nearest(name, pointers, (size_t)count) : NULL;

	if (nearest) {
		return err_set(err, -ENODEV, "there is no interface \"%.60s\", did you mean %s?", name, nearest);
	}
	return err_set(err, -ENODEV, "there is no interface \"%.60s\"", name);
}

int nic_link_find(const char *name, struct nic_link *link, struct err *err)
{
	const size_t length = strlen(name);

	if (!length || length >= ALTERNATIVE_NAME_MAX) {
		return complain_unknown(name, err);
	}
	const int ret = ask(name, 0, link, err);

	return ret == -ENODEV || ret == -EINVAL ? complain_unknown(name, err) : ret;
}

int nic_link_get(int ifindex, struct nic_link *link, struct err *err)
{
	const int ret = ask(NULL, ifindex, link, err);

	return ret == -ENODEV ? err_set(err, ret, "the interface with index %d is gone", ifindex) : ret;
}

/* ---- all of them ---- */

struct entry {
	int ifindex;
	char name[IFNAMSIZ];
};

struct listing {
	struct entry *entries; /* sorted by ifindex */
	size_t count, room;
};

static int make_room(struct listing *listing, struct err *err)
{
	if (listing->count < listing->room) {
		return 0;
	}
	const size_t room = listing->room ? listing->room * 2 : 64;
	struct entry *const entries = realloc(listing->entries, room * sizeof(*entries));

	if (!entries) {
		return err_set(err, -ENOMEM, "no memory for %zu interfaces", room);
	}
	listing->entries = entries;
	listing->room = room;
	return 0;
}

/* A dump that was interrupted comes again: the same index replaces. */
static int insert(struct listing *listing, const struct nic_link *link, struct err *err)
{
	size_t at = listing->count;
	const int ret = make_room(listing, err);

	if (ret) {
		return ret;
	}
	while (at > 0 && listing->entries[at - 1].ifindex >= link->ifindex) {
		at--;
	}
	if (at == listing->count || listing->entries[at].ifindex != link->ifindex) {
		memmove(&listing->entries[at + 1], &listing->entries[at],
			(listing->count - at) * sizeof(*listing->entries));
		listing->count++;
	}
	listing->entries[at].ifindex = link->ifindex;
	memcpy(listing->entries[at].name, link->name, sizeof(link->name));
	return 0;
}

static int take_entry(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct nic_link link;

	if (message->nlmsg_type != RTM_NEWLINK) {
		return 0;
	}
	const int ret = parse_link(message, &link, err);

	return ret ? ret : insert(context, &link, err);
}

int nic_list(char (*names)[IFNAMSIZ], unsigned max, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct listing listing = { 0 };
	struct netlink netlink;
	int ret = netlink_open_route(&netlink, err);

	if (ret) {
		return ret;
	}
	ret = netlink_exchange(&netlink, begin(&netlink, buffer, NLM_F_DUMP, 0), take_entry, &listing, NIC_TIMEOUT_MS,
			       err);
	netlink_close(&netlink);
	for (size_t i = 0; i < listing.count && i < max; i++) {
		memcpy(names[i], listing.entries[i].name, IFNAMSIZ);
	}
	free(listing.entries);
	return ret ? ret : (int)listing.count;
}
