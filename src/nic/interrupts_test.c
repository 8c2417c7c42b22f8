/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of test/data/interrupts (their sources stand in README there), then lines made for one point each. */
#include "interrupts.c"

#include <stdlib.h>

#include "tap.h"

static char *read_sample(const char *name)
{
	static char text[8192];
	char path[160];

	snprintf(path, sizeof(path), "test/data/interrupts/%s.txt", name);
	FILE *file = fopen(path, "r");
	if (!file) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* "40- 41 42": the interrupts that match by name, those without frames marked "-", shared ones "+". */
static char *match_all(const char *text, const struct interrupts_names *names, uint64_t *data_count)
{
	static char result[256];
	struct nic_vector vectors[32];
	uint64_t counts[32];
	unsigned count = 0;
	struct interrupts_reader reader;
	struct interrupts_line line;

	interrupts_begin(&reader, text);
	while (count < 32 && interrupts_next(&reader, &line)) {
		if (!interrupts_match(line.action, names)) {
			continue;
		}
		vectors[count] = (struct nic_vector){ .irq = line.irq, .is_shared = strstr(line.action, ", ") != NULL };
		snprintf(vectors[count].action, sizeof(vectors[count].action), "%.79s", line.action);
		counts[count++] = line.count;
	}
	interrupts_classify(vectors, count, names);
	result[0] = '\0';
	*data_count = 0;
	for (unsigned i = 0; i < count; i++) {
		const size_t length = strlen(result);

		snprintf(result + length, sizeof(result) - length, "%s%u%s%s", i ? " " : "", vectors[i].irq,
			 vectors[i].is_data ? "" : "-", vectors[i].is_shared ? "+" : "");
		*data_count += vectors[i].is_data ? counts[i] : 0;
	}
	return result;
}

static void matches(const char *text, const struct interrupts_names *names, const char *expected)
{
	uint64_t count;

	tap_is_text(match_all(text, names, &count), expected, "vectors of %s", names->interface);
}

static void test_samples(void)
{
	const struct interrupts_names eth0 = { .interface = "eth0" }, eth1 = { .interface = "eth1" };
	const struct interrupts_names eth2 = { .interface = "eth2" }, eth10 = { .interface = "eth10" };
	const struct interrupts_names i40e = { .interface = "ens2f0" };
	const struct interrupts_names i40e_device = { .interface = "ens2f0", .devices = { "0000:02:00.0" } };
	const struct interrupts_names macb = { .interface = "eth0", .devices = { "1f00100000.ethernet" } };
	const struct interrupts_names gve = { .interface = "ens4", .devices = { "0000:00:04.0" } };
	uint64_t count;

	tap_is_text(match_all(read_sample("irq_prefix_names"), &eth1, &count), "40- 41 42", "eth1 is not eth10");
	tap_is((int64_t)count, 3431035, "frames of eth1 are counted by its queues alone");
	matches(read_sample("irq_prefix_names"), &eth10, "55- 56 57");
	matches(read_sample("irq_i40e_fdir"), &i40e, "94 95 96 97");
	matches(read_sample("irq_i40e_fdir"), &i40e_device, "93- 94 95 96 97 98-");
	matches(read_sample("irq_arm_gic_nodename"), &eth0, "39 40");
	matches(read_sample("irq_arm_gic_nodename"), &macb, "39 40 41-");
	matches(read_sample("irq_shared_line"), &eth2, "18+");
	matches(read_sample("irq_shared_line"), &eth0, "18+");
	matches(read_sample("irq_shared_line"), &eth1, "16+");
	matches(read_sample("irq_xen_gve_new"), &gve, "24 25 26-");
	matches(read_sample("irq_xen_gve_new"), &eth0, "683 684");
}

/* What one line becomes: "IRQ COUNT ACTION". */
static char *line_of(const char *text)
{
	static char result[256];
	struct interrupts_reader reader;
	struct interrupts_line line;

	interrupts_begin(&reader, text);
	if (!interrupts_next(&reader, &line)) {
		return "none";
	}
	snprintf(result, sizeof(result), "%u %llu %s", line.irq, (unsigned long long)line.count, line.action);
	return result;
}

static void test_lines(void)
{
	tap_is_text(line_of(" CPU0 CPU1\n 42:  0  2315 PCI-MSIX-0000:00:04.0   1-edge      virtio3-rx\n"),
		    "42 2315 virtio3-rx", "a chip that is named after its device");
	tap_is_text(line_of(" CPU0\n106:  41  pinctrl-rp1  37 Level     PCIe PME\n"), "106 41 PCIe PME",
		    "an action of two words");
	tap_is_text(line_of(" CPU0\n 18: 5  IO-APIC  18-fasteoi   uhci_hcd:usb3, eth0, eth2\n"),
		    "18 5 uhci_hcd:usb3, eth0, eth2", "several actions");
	tap_is_text(line_of(" CPU0\n 9: 5  IO-APIC   9-fasteoi   \n"), "9 5 ", "no action");
	tap_is_text(line_of(" CPU0\n 33: 7  GICv3  65\n"), "33 7 ", "no action, and no name of a trigger either");
	tap_is_text(line_of(" CPU0\n 33: 7  GICv3  65 Level     \n"), "33 7 ", "no action behind a trigger");
	tap_is_text(line_of("683:       6374          0  xen-pirq-msi-x     eth0-Tx-Rx-0\n"), "683 6374 eth0-Tx-Rx-0",
		    "a line cut out of its text");
	tap_is_text(line_of(" CPU0\nNMI: 4   Non-maskable interrupts\nIPI0: 1  Rescheduling\nErr: 0\n"), "none",
		    "labels are no interrupts");
	tap_is_text(line_of(" CPU0\n 4294967296: 4  X  eth0\n"), "none", "a number that is none of the kernel's");
	tap_is_text(line_of(""), "none", "an empty text");
	tap_is_text(line_of("garbage\n:\n 7\n 7:\n"), "7 0 ", "rubbish is passed over");
}

static void classifies(const char *action, const char *interface, bool is_data)
{
	const struct interrupts_names names = { .interface = interface, .devices = { "30be0000.ethernet" } };
	struct nic_vector vector = { .irq = 1 };

	snprintf(vector.action, sizeof(vector.action), "%s", action);
	interrupts_classify(&vector, 1, &names);
	tap_is(vector.is_data, is_data, "\"%s\" of %s %s", action, interface,
	       is_data ? "carries frames" : "carries none");
}

static void test_kinds(void)
{
	classifies("30be0000.ethernet", "eth0", true);
	classifies("enp3s0", "enp3s0", true);
	classifies("eth0-mac", "eth0", true);
	classifies("eth0:mac", "eth0", false);
	classifies("eth0:rx-3", "eth0", true);
	classifies("eth0:lpi", "eth0", false);
	classifies("virtio3-config", "eth0", false);
	classifies("virtio3-input.0", "eth0", true);
	classifies("mlx5_comp3@pci:0000:03:00.0", "eth0", true);
	classifies("mlx5_async0@pci:0000:03:00.0", "eth0", false);
	classifies("ena-mgmnt@pci:0000:00:05.0", "eth0", false);
	classifies("link-TxRx-0", "link", true);
	classifies("r8169-0-300:00", "eth0", false);
	classifies("", "eth0", false);
}

static void test_shared(void)
{
	const struct interrupts_names names = { .interface = "eth0" };
	struct nic_vector vector = { .irq = 1, .action = "ACPI:event, eth0", .is_shared = true };

	interrupts_classify(&vector, 1, &names);
	tap_ok(vector.is_data, "of a shared line the others' words say nothing");
}

static void test_names(void)
{
	const char *const others[] = { "lan-1", "wan", NULL };
	const struct interrupts_names lan = { .interface = "lan", .others = others };
	const struct interrupts_names lan1 = { .interface = "lan-1", .others = (const char *const[]){ "lan", NULL } };

	tap_ok(!interrupts_action_has("veth0-rx", "eth0"), "eth0 is not veth0");
	tap_ok(interrupts_action_has("veth0, eth0", "eth0"), "found behind one that only looks like it");
	tap_ok(!interrupts_action_has("eth0", ""), "an empty name is nowhere");
	tap_ok(interrupts_match("lan-rx-0", &lan), "lan-rx-0 is of lan");
	tap_ok(!interrupts_match("lan-1-rx-0", &lan), "lan-1-rx-0 is not of lan where there is a lan-1");
	tap_ok(interrupts_match("lan-1-rx-0", &lan1), "but of lan-1");
}

static void mask_is(const char *mask, const char *expected)
{
	char list[64] = "untouched";

	tap_ok(interrupts_mask_to_list(mask, list, sizeof(list)), "mask %.*s is one", (int)strcspn(mask, "\n"), mask);
	tap_is_text(list, expected, "its CPUs");
}

static void test_masks(void)
{
	char list[8];

	mask_is(read_sample("smp_affinity_irq"), "100");
	mask_is("f", "0-3");
	mask_is("00000001,8000000f\n", "0-3,31-32");
	mask_is("5", "0,2");
	tap_ok(!interrupts_mask_to_list("0", list, sizeof(list)), "no CPU is no list");
	tap_ok(!interrupts_mask_to_list("3x", list, sizeof(list)), "rubbish is no mask");
	tap_ok(!interrupts_mask_to_list("", list, sizeof(list)), "nothing is no mask");
	tap_ok(!interrupts_mask_to_list("55555555", list, sizeof(list)), "a list that does not fit is said");
}

int main(void)
{
	test_samples();
	test_lines();
	test_kinds();
	test_shared();
	test_names();
	test_masks();
	return tap_done();
}
