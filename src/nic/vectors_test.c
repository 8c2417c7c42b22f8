/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts of interfaces in a tree made for the test, with /proc/interrupts from test/data/interrupts. */
#include "vectors.c"

#include <stdarg.h>

#include "tap.h"

static char root[64];

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A shell line inside the tree. */
static void run(const char *format, ...)
{
	char line[1024], command[1200];
	va_list values;

	va_start(values, format);
	vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	snprintf(command, sizeof(command), "cd %s && { %s; }", root, line);
	if (system(command) != 0) {
		printf("Bail out! failed: %s\n", line);
		exit(1);
	}
}

/* An interface on a device: DEVICE is a path below sys/devices, BUS what its subsystem is called. */
static void make_interface(const char *name, const char *device, const char *bus)
{
	run("mkdir -p sys/devices/%s/net/%s sys/bus/%s sys/class/net/%s", device, name, bus, name);
	run("ln -sfn %s/sys/bus/%s sys/devices/%s/subsystem", root, bus, device);
	run("ln -sfn %s/sys/devices/%s sys/class/net/%s/device", root, device, name);
}

static void use_interrupts(const char *sample)
{
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here))) {
		here[0] = '\0';
	}
	run("cp '%s/test/data/interrupts/%s.txt' proc/interrupts", here, sample);
}

/* "40- 41": as in interrupts_test, with "m" for MSI, "l" for a legacy line, "n" for a name. */
static char *vectors_of(const char *name, struct nic_vector *vectors)
{
	static char result[512];
	char sys[80], proc[80];
	const struct roots roots = { sys, proc };
	unsigned count = 99;
	struct err err = { "" };

	snprintf(sys, sizeof(sys), "%s/sys", root);
	snprintf(proc, sizeof(proc), "%s/proc", root);
	const int ret = vector_list(&roots, name, vectors, NIC_VECTORS_MAX, &count, &err);
	snprintf(result, sizeof(result), "%s", ret < 0 ? err.text : "");
	for (unsigned i = 0; ret == 0 && i < count; i++) {
		const size_t length = strlen(result);

		snprintf(result + length, sizeof(result) - length, "%s%u%c%s%s", i ? " " : "", vectors[i].irq,
			 "mln"[vectors[i].source], vectors[i].is_data ? "" : "-", vectors[i].is_shared ? "+" : "");
	}
	return result;
}

static struct nic_vector vectors[NIC_VECTORS_MAX];

static void test_sources(void)
{
	make_interface("ens2f0", "pci0000:00/0000:02:00.0", "pci");
	run("mkdir sys/devices/pci0000:00/0000:02:00.0/msi_irqs");
	run("cd sys/devices/pci0000:00/0000:02:00.0; for i in 98 94 93 95 97 96 101; do echo msix >msi_irqs/$i; done; "
	    "echo 16 >irq");
	use_interrupts("irq_i40e_fdir");
	tap_is_text(vectors_of("ens2f0", vectors), "93m- 94m 95m 96m 97m 98m- 101m-",
		    "MSI vectors are those of /sys, in order");
	tap_is_text(vectors[1].action, "i40e-ens2f0-TxRx-0", "their actions those of /proc/interrupts");
	tap_is_text(vectors[6].action, "", "one that nobody has requested has none");

	make_interface("eth2", "pci0000:00/0000:03:00.0", "pci");
	run("echo 18 >sys/devices/pci0000:00/0000:03:00.0/irq");
	use_interrupts("irq_shared_line");
	tap_is_text(vectors_of("eth2", vectors), "18l+", "a legacy line, shared");
	run("echo 0 >sys/devices/pci0000:00/0000:03:00.0/irq");
	tap_is_text(vectors_of("eth2", vectors), "18n+", "a line 0 is none: then by name");

	make_interface("eth0", "platform/1f00100000.ethernet", "platform");
	use_interrupts("irq_arm_gic_nodename");
	tap_is_text(vectors_of("eth0", vectors), "39n 40n 41n-", "a platform device by its names, its PHY beside it");
}

static void test_parents(void)
{
	make_interface("eth9", "pci0000:00/0000:00:04.0/virtio3", "virtio");
	run("mkdir -p sys/devices/pci0000:00/0000:00:04.0/msi_irqs; touch "
	    "sys/devices/pci0000:00/0000:00:04.0/msi_irqs/24");
	use_interrupts("irq_xen_gve_new");
	tap_is_text(vectors_of("eth9", vectors), "24m", "those of virtio are its parent's");

	make_interface("usb1", "pci0000:00/0000:00:14.0/usb1/1-1", "usb");
	run("mkdir -p sys/devices/pci0000:00/0000:00:14.0/msi_irqs; touch "
	    "sys/devices/pci0000:00/0000:00:14.0/msi_irqs/16");
	use_interrupts("irq_shared_line");
	tap_is_text(vectors_of("usb1", vectors), "", "those of a USB controller are not its interfaces'");

	run("mkdir -p sys/class/net/lo");
	tap_is_text(vectors_of("lo", vectors), "", "an interface without a device has none");
	tap_is_text(vectors_of("gone0", vectors), "", "nor has one that is gone");
}

static void test_ports(void)
{
	make_interface("eth1", "pci0000:00/0000:05:00.0", "pci");
	run("mkdir -p sys/devices/pci0000:00/0000:05:00.0/msi_irqs sys/devices/pci0000:00/0000:05:00.0/net/eth10");
	run("for i in 40 41 42 55 56 57; do touch sys/devices/pci0000:00/0000:05:00.0/msi_irqs/$i; done");
	use_interrupts("irq_prefix_names");
	tap_is_text(vectors_of("eth1", vectors), "40m- 41m 42m",
		    "two ports of one device: each has those with its own name");
}

static void test_affinity(void)
{
	run("mkdir -p proc/irq/41 proc/irq/42; echo 0-3 >proc/irq/41/smp_affinity_list; echo 2 "
	    ">proc/irq/41/effective_affinity_list");
	run("echo 00000010,00000000,00000000,00000000 >proc/irq/42/smp_affinity");
	vectors_of("eth1", vectors);
	tap_is_text(vectors[1].affinity, "0-3", "CPUs that are allowed");
	tap_is_text(vectors[1].effective, "2", "the one that it is");
	tap_is_text(vectors[2].affinity, "100", "from the mask where there is no list");
	tap_is_text(vectors[2].effective, "", "not readable is empty");
}

static void test_unreadable(void)
{
	run("rm proc/interrupts");
	tap_ok(strstr(vectors_of("eth1", vectors), "/proc/interrupts: No such file") != NULL,
	       "without /proc/interrupts that is said");
}

int main(void)
{
	snprintf(root, sizeof(root), "/tmp/holdoff-vectors-XXXXXX");
	if (!mkdtemp(root)) {
		printf("Bail out! cannot make a folder in /tmp\n");
		return 1;
	}
	run("mkdir proc");
	test_sources();
	test_parents();
	test_ports();
	test_affinity();
	test_unreadable();
	run("rm -rf '%s'", root);
	return tap_done();
}
