// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tsnep driver binds to a platform device, and on a PC nothing describes one; the bench's tsnep (qemu/device/tsnep.c)
 * is a PCI function. Each such function becomes a platform device here: its first BAR as memory, and its MSI-X vectors
 * under the names that the driver looks for, "mac" for the first pair of queues and "txrx-N" for the others.
 *
 * The driver names its MDIO bus after the platform device, and a name can be taken only once. So the device is called
 * after its PCI function, and is bound to the driver by driver_override in place of its name.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#define TSNEP_VENDOR 0x1af4
#define TSNEP_DEVICE 0x10f5
#define VECTORS_MAX 8
#define NAME_SIZE 8

struct tsnep_names {
	char text[VECTORS_MAX][NAME_SIZE];
};

static struct platform_device *describe(struct pci_dev *pci, const struct tsnep_names *names, int vectors)
{
	struct resource resources[1 + VECTORS_MAX] = {
		DEFINE_RES_MEM(pci_resource_start(pci, 0), pci_resource_len(pci, 0)),
	};
	struct platform_device *platform;
	char name[32];
	int ret;

	resources[0].parent = &pci->resource[0];
	for (int i = 0; i < vectors; i++) {
		resources[1 + i] = DEFINE_RES_IRQ_NAMED(pci_irq_vector(pci, i), names->text[i]);
	}
	snprintf(name, sizeof(name), "tsnep-%s", pci_name(pci));
	platform = platform_device_alloc(name, PLATFORM_DEVID_NONE);
	if (!platform) {
		return ERR_PTR(-ENOMEM);
	}
	platform->dev.parent = &pci->dev;
	ret = platform_device_add_resources(platform, resources, 1 + vectors);
	if (!ret) {
		ret = device_set_driver_override(&platform->dev, "tsnep");
	}
	if (!ret) {
		ret = platform_device_add(platform);
	}
	if (ret) {
		platform_device_put(platform);
		return ERR_PTR(ret);
	}
	return platform;
}

/* The driver takes all of its interrupts or fewer queues; so as many vectors as the function has, or none. */
static int tsnep_pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	int vectors = min(pci_msix_vec_count(pci), VECTORS_MAX);
	struct platform_device *platform;
	struct tsnep_names *names;
	int ret;

	ret = pcim_enable_device(pci);
	if (ret) {
		return ret;
	}
	names = devm_kzalloc(&pci->dev, sizeof(*names), GFP_KERNEL);
	if (!names) {
		return -ENOMEM;
	}
	for (int i = 0; i < vectors; i++) {
		snprintf(names->text[i], NAME_SIZE, i == 0 ? "mac" : "txrx-%d", i);
	}
	pci_set_master(pci);
	ret = pci_alloc_irq_vectors(pci, vectors, vectors, PCI_IRQ_MSIX);
	if (ret < 0) {
		return ret;
	}
	platform = describe(pci, names, vectors);
	if (IS_ERR(platform)) {
		pci_free_irq_vectors(pci);
		return PTR_ERR(platform);
	}
	pci_set_drvdata(pci, platform);
	return 0;
}

static void tsnep_pci_remove(struct pci_dev *pci)
{
	platform_device_unregister(pci_get_drvdata(pci));
	pci_free_irq_vectors(pci);
}

static const struct pci_device_id tsnep_pci_ids[] = { { PCI_DEVICE(TSNEP_VENDOR, TSNEP_DEVICE) }, {} };
MODULE_DEVICE_TABLE(pci, tsnep_pci_ids);

static struct pci_driver tsnep_pci_driver = {
	.name = "tsnep_pci",
	.id_table = tsnep_pci_ids,
	.probe = tsnep_pci_probe,
	.remove = tsnep_pci_remove,
};
module_pci_driver(tsnep_pci_driver);

MODULE_DESCRIPTION("The tsnep of the holdoff bench as a platform device");
MODULE_LICENSE("GPL");
