/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of test/data read whole. Of the tables of ethtool -c every field is held against expect_c.tsv; other figures
 * stand in the reports that the samples are from (README.md beside them).
 */
#include "diagnose/diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tap.h"

static struct diagnosis diagnosis;

static char *load(const char *path, size_t *size)
{
	FILE *const file = fopen(path, "r");
	char *const text = malloc(65536 + 1);

	if (!file || !text) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	*size = fread(text, 1, 65536, file);
	fclose(file);
	return text;
}

static void read_text(const char *name, const char *words)
{
	const struct diagnose_options none = { 0 };
	char text[8192];
	struct err err = { "" };

	snprintf(text, sizeof(text), "%s", words);
	diagnosis_begin(&diagnosis, &none);
	tap_is(diagnosis_read(&diagnosis, name, text, strlen(text), &err), 0, "%s is read", name);
	diagnosis_assign(&diagnosis);
}

static void read_sample(const char *path)
{
	const struct diagnose_options none = { 0 };
	struct err err = { "" };
	size_t size;
	char *const text = load(path, &size);

	diagnosis_begin(&diagnosis, &none);
	if (diagnosis_read(&diagnosis, path, text, size, &err)) {
		tap_ok(false, "%s: %s", path, err.text);
	}
	diagnosis_assign(&diagnosis);
	free(text);
}

/* ---- ethtool -c: expect_c.tsv ---- */

/* The value of a field as the table of expectations has it. */
static const char *field_text(const struct diagnose_device *device, const char *word, char buffer[16])
{
	const enum coalesce_field field = coalesce_field_find(word);

	if (field == COALESCE_FIELDS) {
		return "no such field";
	}
	if (!coalesce_has(&device->settings, field)) {
		return device->absent & COALESCE_BIT(field) ? "n/a" : "not shown";
	}
	if (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
		return device->settings.value[field] ? "on" : "off";
	}
	snprintf(buffer, 16, "%" PRIu32, device->settings.value[field]);
	return buffer;
}

static void check_row(const char *file, const char *name, const char *field, const char *value)
{
	char buffer[16];

	if (strcmp(name, "-") == 0) {
		tap_ok(diagnosis.device_count == 0 || !diagnosis.devices[0].has_settings, "%s has no values", file);
		return;
	}
	const struct diagnose_device *const device = &diagnosis.devices[0];
	const char *const found = field_text(device, field, buffer);
	const bool is_right = diagnosis.device_count == 1 && strcmp(device->name, name) == 0 &&
			      strcmp(found, value) == 0;

	tap_ok(is_right, "%s: %s %s %s", file, name, field, value);
	if (!is_right) {
		tap_note("%s %s", device->name, found);
	}
}

static void test_tables(void)
{
	FILE *const rows = fopen("test/data/persist/expect_c.tsv", "r");
	char line[256], present[64] = "";

	while (rows && fgets(line, sizeof(line), rows)) {
		char *rest = line;
		const char *const file = strsep(&rest, "\t"), *const name = strsep(&rest, "\t"),
				  *const field = strsep(&rest, "\t"), *const value = strsep(&rest, "\n");
		char path[128];

		if (strcmp(file, present) != 0) {
			snprintf(present, sizeof(present), "%s", file);
			snprintf(path, sizeof(path), "test/data/persist/%s", file);
			read_sample(path);
		}
		check_row(file, name, field, value);
	}
	tap_ok(rows != NULL && present[0], "there are expectations");
	if (rows) {
		fclose(rows);
	}
}

/* What is not shown is neither 0 nor lacking; a whole table of zeros says nothing about support. */
static void test_support(void)
{
	read_sample("test/data/persist/c_vmxnet3_grep.txt");
	tap_ok(!coalesce_has(&diagnosis.devices[0].settings, COALESCE_TX_USECS) && diagnosis.devices[0].absent == 0,
	       "of a table that was cut down the rest is not known");
	read_sample("test/data/persist/c_all_zero_ioctl.txt");
	tap_is(diagnosis.devices[0].support, DIAGNOSE_SUPPORT_UNKNOWN, "zeros of an old table: support unknown");
	read_sample("test/data/persist/c_igb_tab_cqe.txt");
	tap_is(diagnosis.devices[0].support, DIAGNOSE_SUPPORT_SAID, "n/a says what is not supported");
	read_sample("test/data/persist/c_unsupported_netlink.txt");
	tap_is(diagnosis.devices[0].support, DIAGNOSE_SUPPORT_NONE, "no settings, by netlink");
	read_sample("test/data/persist/c_unsupported_ioctl.txt");
	tap_is(diagnosis.devices[0].support, DIAGNOSE_SUPPORT_NONE, "no settings, by ioctl");
	tap_is(diagnosis.piece_count, 2, "its heading and its answer");
	read_sample("test/data/persist/c_no_device_netlink.txt");
	tap_is(diagnosis.device_count, 0, "no device: nothing is said of any");
	tap_is(diagnosis.pieces[0].kind, DIAGNOSE_COMPLAINT, "and it is known as a complaint");
}

/* A line that ethtool may have one day is kept out and counted. */
static void test_unknown_line(void)
{
	read_text("new", "Coalesce parameters for eth0:\nAdaptive RX: off  TX: n/a\nrx-usecs:\t5\n"
			 "rx-wonders:\t3\ntx-usecs:\t7\n");
	tap_is(diagnosis.devices[0].settings.value[COALESCE_TX_USECS], 7, "what is behind an unknown line is read");
	tap_is(diagnosis.pieces[0].odd, 1, "the unknown line is counted");
	tap_is(diagnosis.pieces[0].last, 5, "and is part of the table");
}

/* ---- ethtool -i, -l ---- */

static void check_driver(const char *file, const char *driver, const char *version, const char *bus)
{
	char path[128];

	snprintf(path, sizeof(path), "test/data/cases/%s", file);
	read_sample(path);
	const struct diagnose_device *const device = &diagnosis.devices[0];

	tap_ok(strcmp(device->driver, driver) == 0 && strcmp(device->version, version) == 0 &&
		       strcmp(device->bus, bus) == 0,
	       "%s: %s, version \"%s\", bus %s", file, driver, version, bus);
	tap_is(diagnosis.unread_count, 0, "%s: all of it was read", file);
}

static void check_channels(const char *file, struct diagnose_counts most, struct diagnose_counts now)
{
	char path[128];

	snprintf(path, sizeof(path), "test/data/cases/%s", file);
	read_sample(path);
	const struct diagnose_device *const device = &diagnosis.devices[0];

	tap_ok(memcmp(&device->channels_max, &most, sizeof(most)) == 0, "%s: at most", file);
	tap_ok(memcmp(&device->channels, &now, sizeof(now)) == 0, "%s: now", file);
}

static void test_facts(void)
{
	check_driver("i_igb.txt", "igb", "5.15.0-91-generic", "0000:02:00.0");
	tap_is_text(diagnosis.devices[0].firmware, "3.25, 0x800005cf", "a comma in the firmware's version");
	check_driver("i_virtio.txt", "virtio_net", "1.0.0", "0000:00:03.0");
	check_driver("i_dpaa2.txt", "fsl_dpaa2_eth", "6.1.22", "dprc.1");
	check_driver("i_xen_vif_old.txt", "vif", "", "vif-0");
	check_channels("l_tg3.txt", (struct diagnose_counts){ { 4, 4, -1, -1 } },
		       (struct diagnose_counts){ { 4, 1, -1, -1 } });
	check_channels("l_ice.txt", (struct diagnose_counts){ { -1, -1, 1, 32 } },
		       (struct diagnose_counts){ { -1, -1, 1, 32 } });
	check_channels("l_virtio.txt", (struct diagnose_counts){ { -1, -1, -1, 1 } },
		       (struct diagnose_counts){ { -1, -1, -1, 1 } });
	check_channels("l_old_zero.txt", (struct diagnose_counts){ { 0, 0, 1, 4 } },
		       (struct diagnose_counts){ { 0, 0, 1, 1 } });
}

/* ---- measurements ---- */

static void check_ping(const char *file, enum diagnose_ping_program program, uint64_t n, int64_t min_ns,
		       int64_t mean_ns, int64_t max_ns)
{
	struct diagnose_span span = { 0 };
	char path[128];

	snprintf(path, sizeof(path), "test/data/cases/%s", file);
	read_sample(path);
	tap_is(diagnosis.ping_count, 1, "%s: one ping", file);
	tap_is(diagnosis.pings[0].program, program, "%s: by %s", file, diagnose_ping_program_name(program));
	tap_ok(diagnose_ping_span(&diagnosis.pings[0], &span), "%s has times", file);
	tap_is((int64_t)span.n, (int64_t)n, "%s: n", file);
	tap_is(span.min_ns, min_ns, "%s: min", file);
	tap_is(span.mean_ns, mean_ns, "%s: mean", file);
	tap_is(span.max_ns, max_ns, "%s: max", file);
}

static void test_pings(void)
{
	check_ping("ping_fec_1000.txt", DIAGNOSE_PING_IPUTILS, 4, 1310000, 1322500, 1330000);
	check_ping("ping_fec_100.txt", DIAGNOSE_PING_IPUTILS, 4, 486000, 510250, 554000);
	check_ping("ping_busybox.txt", DIAGNOSE_PING_BUSYBOX, 3, 1311000, 1324000, 1339000);
	check_ping("ping_r8169_82_after.txt", DIAGNOSE_PING_IPUTILS, 45815, 36000, 51000, 368000);
	check_ping("ping_r8169_82_before.txt", DIAGNOSE_PING_IPUTILS, 5905, 274000, 485000, 607000);
	tap_is(diagnosis.pings[0].ipg_ns, 508000, "ipg");
	tap_is(diagnosis.pings[0].payload_bytes, 82, "payload");
	tap_is((int64_t)diagnosis.pings[0].sent, 5906, "sent");
	tap_is(diagnosis.pings[0].lasted_ns, 2999000000, "time");
}

/* The words of further programs, from their sources: fping 5.1, ping of Windows 10, BSD's ping, hping3. */
static void test_other_pings(void)
{
	struct diagnose_span span;

	read_text("windows",
		  "Pinging 192.0.2.1 with 32 bytes of data:\r\n"
		  "Reply from 192.0.2.1: bytes=32 time=2ms TTL=64\r\nReply from 192.0.2.1: bytes=32 time<1ms TTL=64\r\n"
		  "\r\nPing statistics for 192.0.2.1:\r\n    Packets: Sent = 3, Received = 2, Lost = 1 (33% loss),\r\n"
		  "Approximate round trip times in milli-seconds:\r\n    Minimum = 0ms, Maximum = 2ms, Average = "
		  "1ms\r\n");
	tap_is(diagnosis.pings[0].program, DIAGNOSE_PING_WINDOWS, "windows");
	tap_ok(diagnose_ping_span(&diagnosis.pings[0], &span) && span.n == 2 && span.max_ns == 2000000, "its times");
	tap_is(diagnosis.pings[0].below, 1, "one is only known to be below 1 ms");
	tap_is((int64_t)diagnosis.pings[0].sent, 3, "three were sent");
	tap_is(diagnosis.unread_count, 0, "all of it was read");
	read_text("fping", "192.0.2.1 : [0], 84 bytes, 0.05 ms (0.05 avg, 0% loss)\n"
			   "192.0.2.1 : [1], 84 bytes, 0.07 ms (0.06 avg, 0% loss)\n\n"
			   "192.0.2.1 : xmt/rcv/%loss = 2/2/0%, min/avg/max = 0.05/0.06/0.07\n");
	tap_is(diagnosis.pings[0].program, DIAGNOSE_PING_FPING, "fping");
	tap_ok(diagnose_ping_span(&diagnosis.pings[0], &span) && span.n == 2 && span.mean_ns == 60000, "its times");
	read_text("bsd", "PING 192.0.2.1 (192.0.2.1): 56 data bytes\n"
			 "64 bytes from 192.0.2.1: icmp_seq=0 ttl=64 time=0.045 ms\n--- 192.0.2.1 ping statistics ---\n"
			 "1 packets transmitted, 1 packets received, 0.0% packet loss\n"
			 "round-trip min/avg/max/stddev = 0.045/0.045/0.045/0.000 ms\n");
	tap_is(diagnosis.pings[0].sample_sum_ns, 45000, "bsd");
	tap_is(diagnosis.pings[0].payload_bytes, 56, "its payload");
	read_text("hping3", "HPING 192.0.2.1 (eth0 192.0.2.1): icmp mode set, 28 headers + 0 data bytes\n"
			    "len=46 ip=192.0.2.1 ttl=64 id=1 icmp_seq=0 rtt=0.3 ms\n");
	tap_is(diagnosis.pings[0].program, DIAGNOSE_PING_HPING, "hping3");
	tap_is(diagnosis.pings[0].sample_sum_ns, 300000, "its time");
}

static void test_traces(void)
{
	read_sample("test/data/trace/trace_fec_imx8mm.txt");
	tap_is(diagnosis.traces[0].to_irq_ns, 1011000, "imx8mm: to the interrupt");
	tap_is(diagnosis.traces[0].to_done_ns, 1034000, "imx8mm: to completion");
	tap_ok(diagnosis.traces[0].by_hand, "imx8mm: marks by hand");
	read_sample("test/data/trace/trace_fec_imx6q.txt");
	tap_is(diagnosis.traces[0].to_irq_ns, 34000, "imx6q: to the interrupt");
	tap_is(diagnosis.traces[0].to_done_ns, 72000, "imx6q: to completion");
}

static void test_figures(void)
{
	read_sample("test/data/cases/tshark_pairs.txt");
	tap_is(diagnosis.pair_count, 3, "three pairs");
	tap_is(diagnosis.pairs_ns[0], 310000, "first");
	tap_is(diagnosis.pairs_ns[1], 191000, "second");
	tap_is(diagnosis.pairs_ns[2], 241000, "third");
	read_sample("test/data/cases/dstat_c5n_queues.txt");
	tap_is(diagnosis.rate_count, 4, "four columns");
	tap_is(diagnosis.rates[2].irq, 29, "of interrupt 29");
	tap_is((int64_t)diagnosis.rates[2].max, 3894, "at most");
	tap_is(diagnosis.rates[0].rows, 5, "rows");
	read_sample("test/data/proc/softnet_9col.txt");
	tap_is(diagnosis.softnet.cpus, 2, "nine columns: CPUs");
	tap_is(diagnosis.softnet.rows[0].processed, 2567585, "processed");
	tap_is((int64_t)diagnosis.softnet.time_squeeze, 20, "time_squeeze");
	read_sample("test/data/proc/softnet_11col.txt");
	tap_is(diagnosis.softnet.rows[0].dropped, 42, "eleven columns: dropped");
	tap_is(diagnosis.softnet.rows[0].time_squeeze, 5090, "time_squeeze");
	read_sample("test/data/interrupts/smp_affinity_irq.txt");
	tap_is_text(diagnosis.affinity, "100", "a mask of four groups");
	read_sample("test/data/iperf3/udp.json");
	tap_ok(diagnosis.iperf3_count == 1 && diagnosis.iperf3[0].is_udp && diagnosis.iperf3[0].bytes > 0, "iperf3");
}

static void iperf3_text(const char *file, unsigned runs, bool is_udp, uint64_t bytes, uint64_t retransmitted,
			int64_t cpu_permille)
{
	read_sample(file);
	const struct diagnose_iperf3 *const run = &diagnosis.iperf3[0];

	tap_is(diagnosis.iperf3_count, runs, "%s: runs", file);
	tap_is((int64_t)run->bytes, (int64_t)bytes, "bytes, from the rate at the receiver");
	tap_ok(run->is_udp == is_udp && run->has_packets == is_udp, "%s", is_udp ? "UDP" : "TCP");
	tap_is((int64_t)run->retransmitted, (int64_t)retransmitted, "segments sent again, at the sender");
	tap_is(run->cpu_permille, cpu_permille, "CPU");
	tap_is(diagnosis.unread_lines, 0, "each line is known");
}

static void test_traffic(void)
{
	iperf3_text("test/data/iperf3/tcp.txt", 1, false, 875800000, 4, -1);
	iperf3_text("test/data/iperf3/tcp_two_verbose.txt", 1, false, 781387500, 3, 115);
	tap_is_text(diagnosis.iperf3[0].program, "iperf 3.12", "its version, where it is said");
	iperf3_text("test/data/iperf3/udp_reverse.txt", 1, true, 2500000, 0, -1);
	tap_ok(diagnosis.iperf3[0].packets == 1727 && diagnosis.iperf3[0].lost == 0, "of 1727 datagrams none is lost");
	iperf3_text("test/data/iperf3/both.txt", 2, false, 608525000, 330, -1);
	tap_is((int64_t)diagnosis.iperf3[1].retransmitted, 317, "and back");
	iperf3_text("test/data/iperf3/server.txt", 1, false, 781387500, 0, -1);
	read_sample("test/data/proc/ip_s_link.txt");
	tap_ok(diagnosis.device_count == 1 && strcmp(diagnosis.devices[0].name, "eth0") == 0,
	       "of ip's interfaces lo is none");
	tap_is(diagnosis.devices[0].drops.missed, 345, "missed");
	tap_is(diagnosis.devices[0].drops.dropped, 12, "dropped");
	read_sample("test/data/proc/ip_s_s_link.txt");
	tap_ok(diagnosis.devices[0].has_drops && diagnosis.devices[0].drops.missed == 0, "twice -s is read as well");
}

/* ---- interrupts ---- */

/* "40- 41 42+": of an interface, those without frames marked "-", shared ones "+". */
static void vectors_are(const char *file, const char *name, const char *expected)
{
	char path[128], found[200] = "";
	size_t used = 0;

	snprintf(path, sizeof(path), "test/data/interrupts/%s.txt", file);
	read_sample(path);
	for (unsigned device = 0; device < diagnosis.device_count; device++) {
		const bool is_it =
			strcmp(diagnosis.devices[device].name, name) == 0 ||
			(diagnosis.devices[device].bus[0] && strcmp(diagnosis.devices[device].bus, name) == 0);

		for (unsigned i = 0; is_it && i < diagnosis.vector_count; i++) {
			const struct diagnose_vector *const vector = &diagnosis.vectors[i];

			if (vector->devices >> device & 1) {
				used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%u%s%s",
							 used ? " " : "", vector->irq, vector->is_data ? "" : "-",
							 vector->is_shared ? "+" : "");
			}
		}
	}
	tap_is_text(found, expected, "%s of %s", file, name);
}

static void test_interrupts(void)
{
	uint64_t sum = 0;

	vectors_are("irq_prefix_names", "eth10", "55- 56 57");
	vectors_are("irq_prefix_names", "eth1", "40- 41 42");
	for (unsigned i = 0; i < diagnosis.vector_count; i++) {
		sum += diagnosis.vectors[i].is_data && strncmp(diagnosis.vectors[i].action, "eth1-", 5) == 0
			       ? diagnosis.vectors[i].last
			       : 0;
	}
	tap_is((int64_t)sum, 3431035, "eth1 is not eth10: its queues together");
	vectors_are("irq_i40e_fdir", "ens2f0", "94 95 96 97");
	vectors_are("irq_arm_gic_nodename", "eth0", "39 40 41-");
	vectors_are("irq_shared_line", "eth2", "18+");
	vectors_are("irq_shared_line", "eth1", "16+");
	vectors_are("irq_xen_gve_new", "0000:00:04.0", "24 25 26-");
	vectors_are("irq_xen_gve_new", "eth0", "683 684");
}

/* ---- texts as they come ---- */

static void test_pasted(void)
{
	read_text("mail", "> Hi all,\r\n> # ethtool -i eth0\r\n> driver: igb\r\n> version: 5.15.0\r\n> \r\n"
			  "> root@box:~# ethtool -c eth0\r\n> Coalesce parameters for eth0:\r\n"
			  "> Adaptive RX: n/a  TX: n/a\r\n> rx-usecs:\t3\r\n>\r\n> tx-usecs:\t3\r\n> any ideas?\r\n");
	tap_is(diagnosis.device_count, 1, "one interface");
	tap_is_text(diagnosis.devices[0].driver, "igb", "the driver without a name is that of the command before");
	tap_is(diagnosis.devices[0].settings.value[COALESCE_TX_USECS], 3, "the table goes on behind an empty line");
	tap_is(diagnosis.unread_count, 2, "what people say is not read");
	tap_is(diagnosis.unread[1].first, 12, "and where it is is said");
	tap_is_text(diagnosis.unread[1].text, "any ideas?", "without the quoting");

	read_text("two", "Coalesce parameters for eth0:\nrx-usecs: 1\n\nCoalesce parameters for eth1:\nrx-usecs: 2\n");
	tap_is(diagnosis.device_count, 2, "two interfaces");
	tap_is(diagnosis.devices[1].settings.value[COALESCE_RX_USECS], 2, "each with its own");

	read_text("sosreport/ethtool_-i_eth7", "driver: ena\nversion: 6.1.0\n");
	tap_is_text(diagnosis.devices[0].name, "eth7", "files that are named after the command");

	read_text("prose", "The rest: is silence\n\n# a remark\n");
	tap_is(diagnosis.piece_count, 0, "prose is not taken for output");
}

static void test_snapshots(void)
{
	read_text("irqs", "# cat /proc/interrupts; sleep 10; cat /proc/interrupts\n      CPU0   CPU1\n"
			  " 41:  1000  5  PCI-MSI 524289-edge  eth1-TxRx-0\n      CPU0   CPU1\n"
			  " 41:  3500  5  PCI-MSI 524289-edge  eth1-TxRx-0\n");
	tap_is(diagnosis.snapshots, 2, "two looks");
	tap_is(diagnosis.snapshots_apart_ns, 10000000000, "ten seconds apart");
	tap_is((int64_t)(diagnosis.vectors[0].last - diagnosis.vectors[0].first), 2500, "what was counted between");
	tap_is(diagnosis.vectors[0].cpu, 0, "by CPU 0");
}

static void test_queues(void)
{
	read_text("queues", "# ethtool -Q eth0 queue_mask 0x5 --show-coalesce\nQueue: 0\nAdaptive RX: off  TX: off\n"
			    "rx-usecs: 64\n\nQueue: 2\nAdaptive RX: off  TX: off\nrx-usecs: 32\n");
	tap_is(diagnosis.devices[0].queue_count, 2, "two queues");
	tap_is(diagnosis.devices[0].queues[1].queue, 2, "the second is queue 2");
	tap_is(diagnosis.devices[0].queues[1].settings.value[COALESCE_RX_USECS], 32, "with its value");
	tap_ok(!diagnosis.devices[0].has_settings, "and the device's own are not known");
}

int main(void)
{
	test_tables();
	test_support();
	test_unknown_line();
	test_facts();
	test_pings();
	test_other_pings();
	test_traces();
	test_figures();
	test_traffic();
	test_interrupts();
	test_pasted();
	test_snapshots();
	test_queues();
	return tap_done();
}
