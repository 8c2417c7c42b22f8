/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic_live NAMESPACE: the parts of src/nic against this kernel. The namespace has a pair hv0 (with the alternative
 * name holdoff-alternative-name) and hv1; tap devices are made here. Sets and deletes: only nic.sh runs it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic/nic.h"
#include "tap.h"

#define NAPIS 8

static bool run(const char *command)
{
	return system(command) == 0;
}

/* Lives as long as the descriptor. */
static int open_tap(const char *name)
{
	struct ifreq request = { .ifr_flags = (short)(IFF_TAP | IFF_NO_PI) };
	const int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (fd >= 0 && ioctl(fd, TUNSETIFF, &request)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void test_names(void)
{
	char names[8][IFNAMSIZ];
	struct nic nic, same;
	struct err err = { "" };

	tap_is(nic_list(names, 8, &err), 3, "lo, hv0 and hv1 are listed: the namespace was entered");
	tap_ok(!strcmp(names[0], "lo"), "lo first");
	tap_is(nic_open(&nic, "hv0", &err), 0, "hv0 is opened");
	tap_is(nic_open(&same, "holdoff-alternative-name", &err), 0, "and by its alternative name");
	tap_is(same.ifindex, nic.ifindex, "which is the same interface");
	tap_is_text(same.name, "hv0", "under its own name");
	nic_close(&same);
	nic_close(&nic);
	tap_is(nic_open(&nic, "hv3", &err), -ENODEV, "hv3: %s", err.text);
	tap_is(nic_enter_netns("no-such-namespace", &err), -ENOENT, "no such namespace: %s", err.text);
}

static void test_veth(void)
{
	struct nic nic;
	struct nic_identity identity;
	struct coalesce settings = { 0 };
	struct err err = { "" };

	nic_open(&nic, "hv0", &err);
	tap_is(nic_identify(&nic, &identity, &err), 0, "veth is identified");
	tap_is_text(identity.driver, "veth", "its driver");
	tap_ok(identity.is_up && identity.has_carrier && identity.speed_mbps == 10000,
	       "up, with carrier, at the 10 Gb/s that veth claims");
	tap_is(identity.address_bytes, 6, "an address");
	tap_ok(identity.has & NIC_HAS_CHANNELS, "channels");
	tap_ok(!(identity.has & (NIC_HAS_PCI_ID | NIC_HAS_CLOCK)), "no PCI id and no clock");
	tap_is(nic_coalesce_get(&nic, &settings, &err), -EOPNOTSUPP, "%s", err.text);
	coalesce_put(&settings, COALESCE_RX_USECS, 1);
	tap_is(nic_coalesce_set(&nic, &settings, &err), -EOPNOTSUPP, "%s", err.text);
	tap_is(nic_queue_coalesce_get(&nic, 0, UINT32_MAX, &settings, &err), -EOPNOTSUPP, "%s", err.text);
	tap_is(settings.present, 0, "and no zeros are made up");
	coalesce_put(&settings, COALESCE_RX_USECS, 1);
	tap_is(nic_queue_coalesce_set(&nic, 0, &settings, &err), -EOPNOTSUPP, "%s", err.text);
	nic_close(&nic);
}

static const struct nic_statistic *find_statistic(const struct nic_statistic *statistics, unsigned count,
						  const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(statistics[i].name, name) == 0) {
			return &statistics[i];
		}
	}
	return NULL;
}

static bool has_active(const struct nic_feature *features, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(features[i].name, name) == 0) {
			return features[i].is_active;
		}
	}
	return false;
}

static void test_counters(void)
{
	struct nic nic;
	struct nic_link_counters before, after;
	struct nic_statistic *statistics;
	struct nic_feature *features;
	struct err err = { "" };
	unsigned count;
	bool is_enabled, is_active;

	nic_open(&nic, "hv0", &err);
	tap_is(nic_link_counters(&nic, &before, &err), 0, "counters are read");
	/* A neighbour solicitation: a frame that needs no address of the other end's. */
	tap_ok(run("ip -n holdoff-test neigh add 192.0.2.1 lladdr 02:00:00:00:00:01 dev hv0 && "
		   "ip -n holdoff-test addr add 192.0.2.2/24 dev hv0 && "
		   "ip netns exec holdoff-test ping -q -c 3 -i 0.002 -W 0.01 192.0.2.1 >/dev/null; test $? = 1"),
	       "three frames are sent that nobody answers");
	tap_is(nic_link_counters(&nic, &after, &err), 0, "and counters again");
	tap_ok(after.tx_frames >= before.tx_frames + 3, "which have gone up by three at least");
	tap_ok(after.tx_bytes >= before.tx_bytes + 3 * 98, "and by their bytes");
	tap_is(nic_statistics(&nic, &statistics, &count, &err), 0, "veth has statistics");
	const struct nic_statistic *const ifindex = find_statistic(statistics, count, "peer_ifindex");
	tap_ok(ifindex && ifindex->value == if_nametoindex("hv1"), "one is the ifindex of its peer");
	free(statistics);
	tap_is(nic_features(&nic, &features, &count, &err), 0, "offloads are read");
	tap_ok(has_active(features, count, "tx-checksum-ip-generic"), "veth leaves check sums out");
	tap_ok(!has_active(features, count, "rx-gro-hw"), "and has no receive offload in hardware");
	free(features);
	tap_is(nic_eee(&nic, &is_enabled, &is_active, &err), -EOPNOTSUPP, "%s", err.text);
	nic_close(&nic);
}

static void test_device_knobs(void)
{
	struct nic nic;
	struct nic_napi napis[NAPIS], change = { .present = NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT,
						 .defer_hard_irqs = 3,
						 .gro_flush_timeout_ns = 20000 };
	struct err err = { "" };
	unsigned count;

	nic_open(&nic, "hv0", &err);
	tap_is(nic_napi_set(&nic, &change, &err), 0, "deferral of the device is set");
	tap_is(nic_napi_list(&nic, napis, NAPIS, &count, &err), 0, "and listed");
	tap_is(napis[0].id, 0, "as the device's");
	tap_ok(napis[0].defer_hard_irqs == 3 && napis[0].gro_flush_timeout_ns == 20000, "with the values set");
	change = (struct nic_napi){ .present = NIC_NAPI_GRO_FLUSH_TIMEOUT, .gro_flush_timeout_ns = 0 };
	tap_is(nic_napi_set(&nic, &change, &err), 0, "one of them alone");
	nic_napi_list(&nic, napis, NAPIS, &count, &err);
	tap_ok(napis[0].defer_hard_irqs == 3 && napis[0].gro_flush_timeout_ns == 0, "leaves the other one");
	change = (struct nic_napi){ .present = NIC_NAPI_DEFER_HARD_IRQS, .defer_hard_irqs = UINT32_MAX };
	tap_is(nic_napi_set(&nic, &change, &err), -ERANGE, "%s", err.text);
	nic_close(&nic);
}

/* veth has NAPI instances while GRO is on. */
static bool switch_gro_on(const char *name)
{
	struct ethtool_value value = { .cmd = ETHTOOL_SGRO, .data = 1 };
	struct ifreq request = { .ifr_data = (void *)&value };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	const int ret = ioctl(fd, SIOCETHTOOL, &request);

	close(fd);
	return ret == 0;
}

/* Needs the netdev family with napi-set: Linux 6.13. The device's knobs are the defaults of new instances. */
static void test_instances(void)
{
	struct nic_napi napis[NAPIS], change;
	struct err err = { "" };
	struct nic nic;
	unsigned count;

	nic_open(&nic, "hv0", &err);
	tap_ok(switch_gro_on("hv0"), "GRO of a veth device is on");
	tap_is(nic_napi_list(&nic, napis, NAPIS, &count, &err), 0, "its NAPI instances are listed");
	if (!count || !napis[0].id || !(napis[0].present & NIC_NAPI_DEFER_HARD_IRQS)) {
		tap_skip("this kernel does not tell settings of NAPI instances", "settings of an instance");
		nic_close(&nic);
		return;
	}
	tap_is(napis[0].defer_hard_irqs, 3, "they begin with the device's");
	change = (struct nic_napi){ .id = napis[0].id,
				    .present = NIC_NAPI_GRO_FLUSH_TIMEOUT | NIC_NAPI_IRQ_SUSPEND_TIMEOUT,
				    .gro_flush_timeout_ns = 7000000000,
				    .irq_suspend_timeout_ns = 9 };
	tap_is(nic_napi_set(&nic, &change, &err), 0, "two settings of an instance%s", err.text);
	nic_napi_list(&nic, napis, NAPIS, &count, &err);
	tap_ok(napis[0].gro_flush_timeout_ns == 7000000000 && napis[0].irq_suspend_timeout_ns == 9,
	       "as they were set, in 8 and 4 bytes");
	tap_is(napis[0].defer_hard_irqs, 3, "the third untouched");
	change = (struct nic_napi){ .id = napis[0].id,
				    .present = NIC_NAPI_DEFER_HARD_IRQS,
				    .defer_hard_irqs = UINT32_MAX };
	tap_ok(nic_napi_set(&nic, &change, &err) < 0 && strstr(err.text, "the kernel says: "), "%s", err.text);
	change.id = 4000000000u;
	change.defer_hard_irqs = 1;
	tap_is(nic_napi_set(&nic, &change, &err), -ENOENT, "%s", err.text);
	nic_close(&nic);
}

/* tun has one setting, rx-frames: the whole way over the kernel's ethtool family. */
static void test_tap(void)
{
	const int tap = open_tap("ht0");
	struct nic nic;
	struct coalesce change = { 0 }, settings;
	struct err err = { "" };
	int ifindex;

	if (tap < 0) {
		tap_skip("no tap device can be made here", "settings of a tap device");
		return;
	}
	run("ip link set ht0 up");
	tap_is(nic_open(&nic, "ht0", &err), 0, "a tap device%s", err.text);
	tap_is(nic_coalesce_get(&nic, &settings, &err), 0, "has settings");
	tap_is(settings.present, COALESCE_BIT(COALESCE_RX_FRAMES), "just rx-frames, and nothing else is made up");
	tap_is(nic_watch_open(&nic, &err), 0, "notifications are joined");
	coalesce_put(&change, COALESCE_RX_FRAMES, 5);
	tap_is(nic_coalesce_set(&nic, &change, &err), 0, "rx-frames 5");
	nic_coalesce_get(&nic, &settings, &err);
	tap_is(settings.value[COALESCE_RX_FRAMES], 5, "is reported");
	tap_is(nic_watch(&nic, 2000, &ifindex, &err), 0, "and told");
	tap_is(ifindex, nic.ifindex, "of this interface");
	tap_is(nic_watch(&nic, 50, &ifindex, &err), 0, "then");
	tap_is(ifindex, 0, "nothing more");
	coalesce_put(&change, COALESCE_TX_USECS, 0);
	tap_is(nic_coalesce_set(&nic, &change, &err), -EINVAL, "a field that tun lacks, with the value 0");
	tap_is_text(err.text, "ht0: tx-usecs: the kernel says: cannot modify an unsupported parameter (EINVAL)",
		    "named from the offset");
	tap_is(nic_queue_coalesce_get(&nic, 0, settings.present, &settings, &err), -EOPNOTSUPP, "%s", err.text);
	nic_close(&nic);
	close(tap);
}

static void test_changes_meanwhile(void)
{
	struct nic nic;
	struct nic_identity identity;
	struct nic_napi napis[NAPIS];
	struct coalesce settings;
	struct err err = { "" };
	unsigned count;

	nic_open(&nic, "hv0", &err);
	run("ip link set hv0 down && ip link set hv0 name other0 && ip link set hv1 down && ip link set hv1 name hv0");
	tap_is(nic_identify(&nic, &identity, &err), 0, "renamed meanwhile");
	tap_is_text(identity.name, "other0", "the new name");
	tap_is_text(identity.driver, "veth", "the ioctl goes to it, not to the one that has the old name");
	tap_is_text(nic.name, "other0", "and is kept");
	tap_is(nic_napi_list(&nic, napis, NAPIS, &count, &err), 0, "/sys is found under it");
	tap_is(napis[0].defer_hard_irqs, 3, "with the value that was set before");
	run("ip link del other0");
	tap_is(nic_identify(&nic, &identity, &err), -ENODEV, "deleted meanwhile: %s", err.text);
	tap_is(nic_coalesce_get(&nic, &settings, &err), -ENODEV, "%s", err.text);
	tap_is(nic_napi_list(&nic, napis, NAPIS, &count, &err), -ENODEV, "%s", err.text);
	tap_is(nic_queue_coalesce_get(&nic, 0, 1, &settings, &err), -ENODEV, "%s", err.text);
	nic_close(&nic);
}

/* More interfaces than fit into one message or the first piece of memory. */
static void test_many(void)
{
	enum { PAIRS = 150, MAX = 2 * PAIRS + 8 };
	char(*const names)[IFNAMSIZ] = calloc(MAX, sizeof(*names));
	char command[160];
	struct err err = { "" };

	snprintf(command, sizeof(command),
		 "for i in $(seq %d); do echo link add m$i type veth peer name n$i; done | ip -batch -", PAIRS);
	if (!names || !run(command)) {
		tap_ok(false, "%d pairs can be made", PAIRS);
		return;
	}
	tap_is(nic_list(names, MAX, &err), 2 * PAIRS + 1, "all of many interfaces");
	snprintf(command, sizeof(command), "m%d", PAIRS);
	tap_ok(!strcmp(names[2 * PAIRS], command) || !strcmp(names[2 * PAIRS - 1], command),
	       "in order: the last pair is last");
	tap_is(nic_list(names, 3, &err), 2 * PAIRS + 1, "and are counted beyond the room for them");
	free(names);
}

static void test_without_root(const char *name)
{
	struct nic nic;
	struct coalesce change = { .present = COALESCE_BIT(COALESCE_RX_FRAMES) }, settings;
	struct nic_napi knob = { .present = NIC_NAPI_DEFER_HARD_IRQS, .defer_hard_irqs = 1 };
	struct err err = { "" };
	const int tap = open_tap(name);

	if (tap < 0 || setresuid(65534, 65534, 65534)) {
		tap_skip("no tap device, or no other user", "without root");
		return;
	}
	tap_is(nic_open(&nic, name, &err), 0, "opened without root");
	tap_is(nic_coalesce_get(&nic, &settings, &err), 0, "settings are read");
	tap_is(nic_coalesce_set(&nic, &change, &err), -EPERM, "%s", err.text);
	tap_is(nic_napi_set(&nic, &knob, &err), -EPERM, "%s", err.text);
	nic_close(&nic);
}

int main(int argc, char **argv)
{
	struct err err = { "" };

	if (argc != 2 || nic_enter_netns(argv[1], &err)) {
		printf("Bail out! %s\n", err.text);
		return 1;
	}
	test_names();
	test_veth();
	test_counters();
	test_device_knobs();
	test_instances();
	test_tap();
	test_changes_meanwhile();
	test_many();
	test_without_root("ht1");
	return tap_done();
}
