/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "persist/persist_testing.h"

static void test_commands(void)
{
	static const struct reading_case cases[] = {
		{ "-", "ethtool -C eth0 rx-usecs 3 adaptive-rx off\n", "rx-usecs 3 adaptive-rx off", "" },
		{ "a.sh", "#!/bin/sh\n/usr/sbin/ethtool --coalesce \"eth0\" rx-usecs '3' || true # c\n", "rx-usecs 3",
		  "" },
		{ "a.sh", "ethtool -C eth0 \\\n\trx-usecs 3 \\\n\ttx-usecs 4\n", "rx-usecs 3 tx-usecs 4", "" },
		{ "a.sh", "sudo ethtool -C eth0 rx-usecs 3 >/dev/null 2>&1; ethtool -C eth0 tx-usecs 4",
		  "rx-usecs 3 tx-usecs 4", "" },
		{ "a.sh", "# ethtool -C eth0 rx-usecs 3\nethtool -c eth0\n", "", "" },
		{ "a.sh", "ethtool -C eth0 rx-usecs 3\nethtool -C eth1 rx-usecs 4\n", "rx-usecs 3",
		  "2 note those of eth0, which came first" },
		{ "a.sh", "ethtool -C eth0 rx-usecs 3\nethtool -C eth0 rx-usecs 4\n", "rx-usecs 4",
		  "2 warning given in line 1 already" },
		{ "a.sh", "ethtool -C $IFACE rx-usecs $USECS tx-usecs 4\n", "tx-usecs 4",
		  "1 note has a variable in it" },
		{ "a.sh", "ethtool -C eth0 adpative-rx off\n", "", "1 wrong did you mean adaptive-rx?" },
		{ "a.sh", "ethtool -C eth0 rx-usec 1 rx-frame 2\n", "",
		  "1 wrong mean rx-usecs?|1 wrong mean rx-frames?" },
		{ "a.sh", "ethtool -C eth0 rx-usecs -1\n", "", "1 wrong must not be negative" },
		{ "a.sh", "ethtool -C eth0 rx-usecs 10us\n", "", "1 wrong is no number" },
		{ "a.sh", "ethtool -C eth0 adaptive-rx 0\n", "", "1 wrong neither on nor off" },
		{ "a.sh", "ethtool -C eth0 rx-usecs\n", "", "1 wrong lacks its value" },
		{ "a.sh", "ethtool -C eth0\n", "", "1 wrong nothing to set" },
		{ "a.sh", "ethtool -C\n", "", "1 wrong lacks the name of the device" },
		{ "a.sh", "ethtool -C DEV rx-usecs 3\n", "rx-usecs 3", "1 warning was to be put here" },
		{ "a.sh", "ethtool -Q eth0 queue_mask 0x3 --coalesce rx-usecs 3\n", "",
		  "1 note single queues (mask 0x3)" },
		{ "a.sh", "ethtool -Q eth0 queue_mask zz --coalesce rx-usec 3\n", "",
		  "1 wrong no hexadecimal|1 note single queues|1 wrong did you mean rx-usecs" },
		{ "a.sh", "ethtool -Q eth0 --show-coalesce\nethtool -c eth0\nethtool -G eth0 rx 4096\n", "", "" },
		{ "a.sh", "ethtool -C eth0 cqe-mode-rx on tx-aggr-max-bytes 4096\n",
		  "cqe-mode-rx on tx-aggr-max-bytes 4096", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

static void test_interfaces(void)
{
	static const struct reading_case cases[] = {
		{ "interfaces", "auto eth0\niface eth0 inet dhcp\n\tup ethtool -C eth0 rx-usecs 3\n", "rx-usecs 3",
		  "" },
		{ "interfaces", "iface eth0 inet dhcp\n\tpre-up ethtool -C $IFACE rx-usecs 3\n", "rx-usecs 3",
		  "2 note pre-up runs before the interface is up" },
		{ "interfaces",
		  "iface eth0 inet dhcp\n\thardware-irq-coalesce-rx-usecs 3\n\thardware-irq-coalesce-adaptive-rx off\n",
		  "rx-usecs 3 adaptive-rx off", "" },
		{ "interfaces", "iface eth0 inet dhcp\n\thardware-irq-coalesce-rx-usec 3\n", "",
		  "2 wrong did you mean rx-usecs" },
		{ "interfaces",
		  "iface eth0 inet dhcp\n\tup ethtool -C $IFACE rx-usecs 3\niface eth1 inet dhcp\n\tup ethtool -C "
		  "$IFACE rx-usecs 4\n",
		  "rx-usecs 3", "4 note this is for eth1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

/* Traps that every format has. */
static void test_settings(void)
{
	static const struct reading_case cases[] = {
		{ "a.sh", "ethtool -C eth0 adaptive-rx on rx-usecs 3\n", "rx-usecs 3 adaptive-rx on",
		  "1 warning rx-usecs 3 stands beside adaptive-rx on" },
		{ "a.sh", "ethtool -C eth0 adaptive-tx on tx-frames 3\n", "tx-frames 3 adaptive-tx on",
		  "1 warning tx-frames 3 stands beside adaptive-tx on" },
		{ "a.sh", "ethtool -C eth0 adaptive-rx on tx-usecs 3\n", "tx-usecs 3 adaptive-rx on", "" },
		{ "a.sh", "ethtool -C eth0 rx-usecs 0 rx-frames 0\n", "rx-usecs 0 rx-frames 0", "1 warning both 0" },
		{ "a.sh", "ethtool -C eth0 tx-usecs 0 tx-frames 0\n", "tx-usecs 0 tx-frames 0", "1 warning both 0" },
		{ "a.sh", "ethtool -C eth0 rx-usecs 0 rx-frames 1\n", "rx-usecs 0 rx-frames 1", "" },
		{ "a.sh", "ethtool -C eth0 rx-usecs-low 40 rx-usecs-high 8\n", "rx-usecs-low 40 rx-usecs-high 8",
		  "1 warning rx-usecs-low 40 is above rx-usecs-high 8" },
		{ "99-a.rules",
		  "ACTION==\"change\", SUBSYSTEM==\"net\", DRIVERS==\"be2net\", RUN+=\"/usr/sbin/ethtool -C $name "
		  "rx-frames 1\"",
		  "rx-frames 1", "1 warning turns LRO off" },
		{ "99-a.rules",
		  "ACTION==\"change\", SUBSYSTEM==\"net\", DRIVERS==\"tg3\", RUN+=\"/usr/sbin/ethtool -C $name "
		  "rx-usecs 0\"",
		  "rx-usecs 0", "1 wrong tg3 refuses" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

static void test_complaints(void)
{
	testing_sample("c_unsupported_netlink.txt", "", "1 warning has no coalescing settings");
	testing_sample("c_unsupported_ioctl.txt", "", "2 warning has no coalescing settings");
	testing_sample("c_no_device_netlink.txt", "", "1 warning no such device|2 warning no such device");
	testing_sample("err_set_524.txt", "", "1 warning ENOTSUPP, not supported");
	testing_sample("err_set_opnotsupp_ioctl.txt", "", "1 warning no coalescing settings, or not those");
	testing_sample("err_set_typo_old.txt", "", "1 wrong \"adpative-rx\", did you mean adaptive-rx");
	testing_sample("err_set_typo_netlink.txt", "", "1 wrong \"adpative-rx\", did you mean adaptive-rx");
	testing_sample("err_set_badvalue_netlink.txt", "", "1 wrong invalid value 'abc' for parameter 'rx-usecs'");
	testing_sample(
		"c_all_zero_ioctl.txt",
		"rx-usecs 0 rx-frames 0 rx-usecs-irq 0 rx-frames-irq 0 tx-usecs 0 tx-frames 0 tx-usecs-irq 0 "
		"tx-frames-irq 0 stats-block-usecs 0 adaptive-rx off adaptive-tx off pkt-rate-low 0 rx-usecs-low 0 "
		"rx-frames-low 0 tx-usecs-low 0 tx-frames-low 0 pkt-rate-high 0 rx-usecs-high 0 rx-frames-high 0 "
		"tx-usecs-high 0 tx-frames-high 0 sample-interval 0",
		"1 note no such setting");
	testing_sample("c_virtio_frames_only_tab_aggr.txt", "rx-frames 23", "");
	testing_reading(&(struct reading_case){ "-", "Coalesce parameters for eth0:\nrx-usecs: 3\nrx-spoons: 4\n",
						"rx-usecs 3", "3 note it is kept out" });
}

/* Every row of the table of expectations: what is n/a is absent, all else is there. */
static void check_expected(const char *name, const char *device, const char *word, const char *value)
{
	static struct persist_file file;
	char *const text = testing_load(name);
	const enum coalesce_field field = coalesce_field_find(word);
	char got[16] = "n/a";

	if (!text || field == COALESCE_FIELDS || persist_read(&file, name, text, NULL) || !file.is_readout) {
		tap_ok(false, "%s: %s can be read", name, word);
		free(text);
		return;
	}
	if (coalesce_has(&file.settings, field) && coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
		snprintf(got, sizeof(got), "%s", file.settings.value[field] ? "on" : "off");
	} else if (coalesce_has(&file.settings, field)) {
		snprintf(got, sizeof(got), "%u", file.settings.value[field]);
	}
	tap_ok(strcmp(got, value) == 0 && strcmp(file.match.name, device) == 0, "%s of %s: %s %s", name, device, word,
	       value);
	free(text);
}

/* A table without any values is a complaint, tested above. */
static void test_tables(void)
{
	FILE *const rows = fopen("test/data/persist/expect_c.tsv", "r");
	char row[200], *parts[4];
	unsigned count = 0;

	while (rows && fgets(row, sizeof(row), rows)) {
		char *rest = row;

		for (unsigned i = 0; i < 4; i++) {
			parts[i] = strsep(&rest, "\t\n");
		}
		if (parts[3] && strcmp(parts[2], "(no values)") != 0) {
			check_expected(parts[0], parts[1], parts[2], parts[3]);
			count++;
		}
	}
	tap_ok(count > 300, "there are expectations (%u)", count);
	if (rows) {
		fclose(rows);
	}
}

int main(void)
{
	test_commands();
	test_interfaces();
	test_settings();
	test_complaints();
	test_tables();
	return tap_done();
}
