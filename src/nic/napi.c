/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NAPI instances. Since Linux 6.8 the generic netlink family "netdev" lists them with interrupt and thread, since
 * 6.13 with their deferral settings, which can be set then; `threaded` of an instance since 6.17. Before that the
 * two deferral settings and threaded belong to the whole device and are files in /sys/class/net/X; those remain
 * the defaults of new instances.
 *
 * The numbers below are those of include/uapi/linux/netdev.h, which headers of older systems lack; checked with
 * Linux 6.18.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "nic/nic_private.h"

enum {
	COMMAND_NAPI_GET = 11,
	COMMAND_NAPI_SET = 14,
	NAPI_IFINDEX = 1,
	NAPI_ID = 2,
	NAPI_IRQ = 3,
	NAPI_PID = 4,
	NAPI_DEFER_HARD_IRQS = 5,
	NAPI_GRO_FLUSH_TIMEOUT = 6,
	NAPI_IRQ_SUSPEND_TIMEOUT = 7,
	NAPI_THREADED = 8,
};

#define NETDEV_VERSION 1
#define SETTABLE                                                                                           \
	((uint32_t)(NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT | NIC_NAPI_IRQ_SUSPEND_TIMEOUT | \
		    NIC_NAPI_THREADED))

/* ---- netlink ---- */

struct napi_listing {
	int wanted_ifindex, ifindex; /* of the message at hand */
	struct nic_napi *napis;
	unsigned max, count;
	struct nic_napi napi; /* of the message at hand */
};

static int take_attribute(void *context, const struct nlattr *attribute, struct err *err)
{
	struct napi_listing *const listing = context;
	struct nic_napi *const napi = &listing->napi;
	uint64_t value;

	if (mnl_attr_get_type(attribute) < NAPI_IFINDEX || mnl_attr_get_type(attribute) > NAPI_THREADED) {
		return 0;
	}
	const bool is_long = mnl_attr_get_type(attribute) == NAPI_GRO_FLUSH_TIMEOUT ||
			     mnl_attr_get_type(attribute) == NAPI_IRQ_SUSPEND_TIMEOUT;
	const int ret = netlink_number(attribute, is_long ? UINT64_MAX : UINT32_MAX, &value, err);

	if (ret) {
		return ret;
	}
	switch (mnl_attr_get_type(attribute)) {
	case NAPI_IFINDEX:
		listing->ifindex = value > INT32_MAX ? -1 : (int)value;
		break;
	case NAPI_ID:
		napi->id = (uint32_t)value;
		break;
	case NAPI_IRQ:
		napi->present |= NIC_NAPI_IRQ;
		napi->irq = (uint32_t)value;
		break;
	case NAPI_PID:
		napi->present |= NIC_NAPI_PID;
		napi->pid = (uint32_t)value;
		break;
	case NAPI_DEFER_HARD_IRQS:
		napi->present |= NIC_NAPI_DEFER_HARD_IRQS;
		napi->defer_hard_irqs = (uint32_t)value;
		break;
	case NAPI_GRO_FLUSH_TIMEOUT:
		napi->present |= NIC_NAPI_GRO_FLUSH_TIMEOUT;
		napi->gro_flush_timeout_ns = value;
		break;
	case NAPI_IRQ_SUSPEND_TIMEOUT:
		napi->present |= NIC_NAPI_IRQ_SUSPEND_TIMEOUT;
		napi->irq_suspend_timeout_ns = value;
		break;
	default:
		napi->present |= NIC_NAPI_THREADED;
		napi->threaded = (uint32_t)value;
		break;
	}
	return 0;
}

/* In order of id; the same id again (of a dump that was sent twice) replaces. What does not fit is left out. */
static void insert(struct napi_listing *listing)
{
	unsigned at = listing->count;

	while (at > 0 && listing->napis[at - 1].id >= listing->napi.id) {
		at--;
	}
	if (at < listing->count && listing->napis[at].id == listing->napi.id) {
		listing->napis[at] = listing->napi;
		return;
	}
	if (at == listing->max) {
		return;
	}
	const unsigned last = listing->count < listing->max ? listing->count : listing->max - 1;

	memmove(&listing->napis[at + 1], &listing->napis[at], (last - at) * sizeof(*listing->napis));
	listing->napis[at] = listing->napi;
	listing->count = last + 1;
}

static int take_napi(void *context, const struct nlmsghdr *message, struct err *err)
{
	struct napi_listing *const listing = context;

	if (netlink_command(message) != COMMAND_NAPI_GET) {
		return 0;
	}
	listing->napi = (struct nic_napi){ 0 };
	listing->ifindex = listing->wanted_ifindex;
	const int ret = netlink_attributes(message, GENL_HDRLEN, take_attribute, listing, err);

	if (!ret && listing->napi.id && listing->ifindex == listing->wanted_ifindex) {
		insert(listing);
	}
	return ret;
}

static int list_instances(struct nic *nic, struct nic_napi *napis, unsigned max, unsigned *count, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct napi_listing listing = { .wanted_ifindex = nic->ifindex, .napis = napis, .max = max };
	struct nlmsghdr *const request =
		netlink_request(nic->netdev, buffer, COMMAND_NAPI_GET, NETDEV_VERSION, NLM_F_DUMP);

	mnl_attr_put_u32(request, NAPI_IFINDEX, (uint32_t)nic->ifindex);
	const int ret = netlink_exchange(nic->netdev, request, take_napi, &listing, NIC_TIMEOUT_MS, err);

	*count = ret ? 0 : listing.count;
	return ret;
}

/* The kernel takes times in four or eight bytes. */
static void put_time(struct nlmsghdr *message, uint16_t attribute, uint64_t value_ns)
{
	if (value_ns > UINT32_MAX) {
		mnl_attr_put_u64(message, attribute, value_ns);
	} else {
		mnl_attr_put_u32(message, attribute, (uint32_t)value_ns);
	}
}

static int explain_refusal(const struct nic *nic, const struct nic_napi *change, int ret, struct err *err)
{
	switch (ret) {
	case 0:
		return 0;
	case -EPERM:
		return err_set(err, ret, "%s: changing settings needs root (CAP_NET_ADMIN)", nic->name);
	case -ENOENT:
		return err_set(err, ret, "%s: there is no NAPI instance %u", nic->name, change->id);
	case -EOPNOTSUPP:
		return err_set(err, ret, "%s: this kernel cannot set single NAPI instances (6.13 and later can)",
			       nic->name);
	default:
		return err_prefix(err, ret, "%s: NAPI %u", nic->name, change->id);
	}
}

static int set_instance(struct nic *nic, const struct nic_napi *change, struct err *err)
{
	alignas(struct nlmsghdr) uint8_t buffer[NETLINK_MESSAGE_MAX];
	struct nlmsghdr *const request = netlink_request(nic->netdev, buffer, COMMAND_NAPI_SET, NETDEV_VERSION, 0);

	mnl_attr_put_u32(request, NAPI_ID, change->id);
	if (change->present & NIC_NAPI_DEFER_HARD_IRQS) {
		mnl_attr_put_u32(request, NAPI_DEFER_HARD_IRQS, change->defer_hard_irqs);
	}
	if (change->present & NIC_NAPI_GRO_FLUSH_TIMEOUT) {
		put_time(request, NAPI_GRO_FLUSH_TIMEOUT, change->gro_flush_timeout_ns);
	}
	if (change->present & NIC_NAPI_IRQ_SUSPEND_TIMEOUT) {
		put_time(request, NAPI_IRQ_SUSPEND_TIMEOUT, change->irq_suspend_timeout_ns);
	}
	if (change->present & NIC_NAPI_THREADED) {
		mnl_attr_put_u32(request, NAPI_THREADED, change->threaded);
	}
	return explain_refusal(nic, change, netlink_exchange(nic->netdev, request, NULL, NULL, NIC_TIMEOUT_MS, err),
			       err);
}

/* ---- sysfs ---- */

#define PATH_BYTES_MAX 128

static int open_knob(const struct nic *nic, const char *knob, int flags)
{
	char path[PATH_BYTES_MAX];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", nic->name, knob);
	const int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* False where the kernel has no such file. */
static bool read_knob(const struct nic *nic, const char *knob, uint64_t *value)
{
	char text[32];
	const int fd = open_knob(nic, knob, O_RDONLY);

	if (fd < 0) {
		return false;
	}
	const ssize_t bytes = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (bytes <= 0) {
		return false;
	}
	text[bytes] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text_parse_u64(text, knob, value, NULL) == 0;
}

static int write_knob(const struct nic *nic, const char *knob, uint64_t value, struct err *err)
{
	char text[32];
	const int length = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	const int fd = open_knob(nic, knob, O_WRONLY);

	if (fd == -EACCES || fd == -EPERM) {
		return err_set(err, -EPERM, "%s: writing %s needs root", nic->name, knob);
	}
	if (fd == -ENOENT) {
		return err_set(err, -EOPNOTSUPP, "%s: this kernel has no %s of a device", nic->name, knob);
	}
	if (fd < 0) {
		return err_set(err, fd, "%s: opening %s: %s", nic->name, knob, strerror(-fd));
	}
	const ssize_t written = write(fd, text, (size_t)length);
	const int error = errno;

	close(fd);
	return written == length ? 0
				 : err_set(err, written < 0 ? -error : -EIO, "%s: %s %llu is refused: %s", nic->name,
					   knob, (unsigned long long)value, strerror(written < 0 ? error : EIO));
}

static void read_device(const struct nic *nic, struct nic_napi *napi)
{
	uint64_t value;

	*napi = (struct nic_napi){ 0 };
	if (read_knob(nic, "napi_defer_hard_irqs", &value)) {
		napi->present |= NIC_NAPI_DEFER_HARD_IRQS;
		napi->defer_hard_irqs = (uint32_t)value;
	}
	if (read_knob(nic, "gro_flush_timeout", &value)) {
		napi->present |= NIC_NAPI_GRO_FLUSH_TIMEOUT;
		napi->gro_flush_timeout_ns = value;
	}
	if (read_knob(nic, "threaded", &value)) {
		napi->present |= NIC_NAPI_THREADED;
		napi->threaded = (uint32_t)value;
	}
}

static int set_device(struct nic *nic, const struct nic_napi *change, struct err *err)
{
	int ret = nic_refresh_name(nic, err);

	ret = ret ? ret : nic_check_sysfs(nic, err);
	if (!ret && (change->present & NIC_NAPI_IRQ_SUSPEND_TIMEOUT)) {
		return err_set(err, -EOPNOTSUPP,
			       "%s: irq-suspend-timeout belongs to a NAPI instance, not to the device", nic->name);
	}
	if (!ret && (change->present & NIC_NAPI_DEFER_HARD_IRQS)) {
		ret = write_knob(nic, "napi_defer_hard_irqs", change->defer_hard_irqs, err);
	}
	if (!ret && (change->present & NIC_NAPI_GRO_FLUSH_TIMEOUT)) {
		ret = write_knob(nic, "gro_flush_timeout", change->gro_flush_timeout_ns, err);
	}
	if (!ret && (change->present & NIC_NAPI_THREADED)) {
		ret = write_knob(nic, "threaded", change->threaded, err);
	}
	return ret;
}

/* ---- both ---- */

static bool any_deferral(const struct nic_napi *napis, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (napis[i].present & NIC_NAPI_DEFER_HARD_IRQS) {
			return true;
		}
	}
	return false;
}

int nic_napi_list(struct nic *nic, struct nic_napi *napis, unsigned max, unsigned *count, struct err *err)
{
	int ret = nic_refresh_name(nic, err);

	*count = 0;
	if (!ret && nic->netdev) {
		ret = list_instances(nic, napis, max, count, err);
	}
	if (ret == -EOPNOTSUPP) {
		ret = 0;
	}
	if (ret) {
		return err_prefix(err, ret, "%s: listing its NAPI instances", nic->name);
	}
	if (any_deferral(napis, *count) || !max) {
		return 0;
	}
	ret = nic_check_sysfs(nic, err);
	if (ret) {
		return ret;
	}
	const unsigned kept = *count < max ? *count : max - 1;

	memmove(&napis[1], &napis[0], kept * sizeof(*napis));
	read_device(nic, &napis[0]);
	*count = kept + 1;
	return 0;
}

int nic_napi_set(struct nic *nic, const struct nic_napi *change, struct err *err)
{
	if (change->present & ~SETTABLE) {
		return err_set(err, -EINVAL, "interrupt and thread of a NAPI instance cannot be set");
	}
	if (!change->present) {
		return 0;
	}
	if (!change->id) {
		return set_device(nic, change, err);
	}
	if (!nic->netdev) {
		return explain_refusal(nic, change, -EOPNOTSUPP, err);
	}
	return set_instance(nic, change, err);
}
