/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "persist/persist_testing.h"

#define DEVICE "[ethernet]\nmac-address=02:00:00:00:00:01\n[ethtool]\n"

static void test_values(void)
{
	static const struct reading_case cases[] = {
		{ "a.nmconnection", DEVICE "coalesce-adaptive-rx=0\ncoalesce-rx-usecs=50\n",
		  "rx-usecs 50 adaptive-rx off", "" },
		{ "a.nmconnection", DEVICE "coalesce-adaptive-tx=1\n", "adaptive-tx on", "" },
		{ "a.nmconnection", DEVICE "coalesce-adaptive-rx=off\n", "", "4 wrong here it must be 0" },
		{ "a.nmconnection", DEVICE "coalesce-adaptive-rx=yes\n", "", "4 wrong here it must be 1" },
		{ "a.nmconnection", DEVICE "coalesce-adaptive-rx=2\n", "", "4 wrong refuses the whole profile" },
		{ "a.nmconnection", DEVICE "coalesce-adaptive-rx=maybe\n", "", "4 wrong it takes 0 or 1" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=-1\n", "", "4 wrong nothing negative is allowed" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=ignore\n", "", "4 wrong a word of nmcli" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=50us\n", "",
		  "4 wrong a bare number from 0 to 4294967295, in us" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=0x10\n", "", "4 wrong is dropped" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=4294967296\n", "", "4 wrong is dropped" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=4294967295\n", "rx-usecs 4294967295", "" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usecs=1\ncoalesce-rx-usecs=2\n", "rx-usecs 2",
		  "5 warning given in line 4 already" },
		{ "a.nmconnection", DEVICE "coalesce-rx-usec=1\n", "", "4 wrong coalesce-rx-usecs may be meant" },
		{ "a.nmconnection", DEVICE "rx-usecs=1\n", "", "4 wrong coalesce-rx-usecs may be meant" },
		{ "a.nmconnection", DEVICE "coalesce-cqe-mode-rx=1\n", "", "4 wrong no key for cqe-mode-rx" },
		{ "a.nmconnection", DEVICE "coalesce-tx-aggr-max-bytes=1\n", "",
		  "4 wrong no key for tx-aggr-max-bytes" },
		{ "a.nmconnection", DEVICE "xyzzy=1\n", "", "4 wrong there is no key \"xyzzy\"" },
		{ "a.nmconnection", DEVICE "ring-rx=4096\nfeature-gro=true\npause-autoneg=false\n", "", "" },
		{ "a.nmconnection", DEVICE "rubbish\n", "", "4 wrong refuses the file" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

static void test_device(void)
{
	static const struct reading_case cases[] = {
		{ "a.nmconnection", "[ethtool]\ncoalesce-rx-usecs=1\n", "rx-usecs 1", "1 warning which device" },
		{ "a.nmconnection", "[connection]\ninterface-name=eth0\n[ethtool]\ncoalesce-rx-usecs=1\n", "rx-usecs 1",
		  "2 warning interface-name=eth0 is what the kernel happens" },
		{ "a.nmconnection", "[connection]\ninterface-name=enp1s0\n[ethtool]\ncoalesce-rx-usecs=1\n",
		  "rx-usecs 1", "" },
		{ "a.nmconnection", "[connection]\ninterface-name=DEV\n[ethtool]\n", "",
		  "2 warning was to be put here" },
		{ "a.nmconnection", "[match]\npath=pci-0000:00:03.0;\n[ethtool]\ncoalesce-rx-usecs=1\n", "rx-usecs 1",
		  "" },
		{ "a.nmconnection", "[match]\ndriver=igb;\n[ethtool]\ncoalesce-rx-frames=8\n", "rx-frames 8",
		  "4 wrong igb has no rx-frames" },
		{ "-", "[connection]\nid=x\n[ethernet]\n", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

int main(void)
{
	test_values();
	test_device();
	testing_sample("nm_good.nmconnection", "rx-usecs 50 tx-usecs 50 adaptive-rx off", "");
	testing_sample("nm_bad_bool.nmconnection", "",
		       "7 wrong here it must be 0|8 wrong coalesce-rx-usecs may be meant|10 wrong nothing negative is "
		       "allowed");
	return tap_done();
}
