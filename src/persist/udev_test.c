/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "persist/persist_testing.h"

#define RULE "ACTION==\"add\", SUBSYSTEM==\"net\", ENV{ID_PATH}==\"pci-0000:00:03.0\", "
#define RUNS "RUN+=\"/usr/sbin/ethtool -C $name rx-usecs 3\"\n"
#define ADD "1 note before the link is up"

static void test_rules(void)
{
	static const struct reading_case cases[] = {
		{ "99-a.rules", RULE RUNS, "rx-usecs 3", ADD },
		{ "99-a.rules", RULE "\\\n  " RUNS, "rx-usecs 3", ADD },
		{ "99-a.rules", "# c\n\n" RULE RUNS, "rx-usecs 3", "3 note before the link is up" },
		{ "99-a.conf", RULE RUNS, "rx-usecs 3", "1 note names end in .rules|" ADD },
		{ "99-a.rules", "ACTION==\"change\", SUBSYSTEM==\"net\", DRIVERS==\"ena\", " RUNS, "rx-usecs 3", "" },
		{ "99-a.rules", "ACTION!=\"remove\", SUBSYSTEM==\"net\", DRIVERS==\"ena\", " RUNS, "rx-usecs 3", ADD },
		{ "99-a.rules", "SUBSYSTEM==\"net\", DRIVERS==\"ena\", " RUNS, "rx-usecs 3",
		  "1 warning without ACTION==" },
		{ "99-a.rules", "ACTION==\"change\", DRIVERS==\"ena\", " RUNS, "rx-usecs 3",
		  "1 warning without SUBSYSTEM==" },
		{ "99-a.rules", "ACTION==\"remove\", GOTO=\"end\"\nDRIVERS==\"ena\", " RUNS "LABEL=\"end\"\n",
		  "rx-usecs 3", "2 note before the link is up" },
		{ "99-a.rules", "ACTION=\"change\", SUBSYSTEM==\"net\", DRIVERS==\"ena\", " RUNS, "rx-usecs 3",
		  "1 wrong does not compare" },
		{ "99-a.rules", "ACTION==\"change\", SUBSYSTEM==\"net\", KERNEL==\"eth0\", " RUNS, "rx-usecs 3",
		  "1 warning changes with the order of discovery" },
		{ "99-a.rules", "ACTION==\"change\", SUBSYSTEM==\"net\", KERNEL==\"DEV\", " RUNS, "rx-usecs 3",
		  "1 warning was to be put here" },
		{ "99-a.rules", "ACTION==\"change\", SUBSYSTEM==\"net\", " RUNS, "rx-usecs 3",
		  "1 warning which device" },
		{ "99-a.rules", RULE "RUN+=\"ethtool -C $name rx-usecs 3\"\n", "rx-usecs 3",
		  "1 wrong the whole path, /usr/sbin/ethtool|" ADD },
		{ "99-a.rules", RULE "RUN=\"/usr/sbin/ethtool -C $name rx-usecs 3\"\n", "rx-usecs 3",
		  "1 warning RUN+= is meant|" ADD },
		{ "99-a.rules", RULE "RUN==\"/usr/sbin/ethtool -C $name rx-usecs 3\"\n", "rx-usecs 3",
		  "1 wrong RUN+= is meant|" ADD },
		{ "99-a.rules", RULE "RUN+=\"/usr/sbin/ethtool -C %k rx-usecs 3\"\n", "rx-usecs 3",
		  "1 warning name before renaming|" ADD },
		{ "99-a.rules", RULE "RUN+=\"/usr/sbin/ethtool -C eth0 rx-usecs 3\"\n", "rx-usecs 3",
		  "1 warning named outright|" ADD },
		{ "99-a.rules", RULE "RUN+=\"/bin/sh -c 'sleep 1; ethtool -C $name rx-usecs 3'\"\n", "rx-usecs 3",
		  ADD },
		{ "99-a.rules", RULE "RUN+=\"/usr/sbin/ethtool -C $name rx-usec 3\"\n", "",
		  "1 wrong did you mean rx-usecs|" ADD },
		{ "99-a.rules", RULE "RUN+=\"/usr/sbin/ethtool -G $name rx 4096\"\n", "", "" },
		{ "99-a.rules",
		  RULE RUNS "ACTION==\"change\", SUBSYSTEM==\"net\", DRIVERS==\"ena\", RUN+=\"/usr/sbin/ethtool "
			    "-C $name rx-usecs 4\"\n",
		  "rx-usecs 3", ADD "|2 note settings shown are those of line 1" },
		{ "99-a.rules", RULE RUNS RULE "RUN+=\"/usr/sbin/ethtool -C $name tx-usecs 4\"\n",
		  "rx-usecs 3 tx-usecs 4", ADD "|2 note before the link is up" },
		{ "99-a.rules", "SUBSYSTEM==\"net\" \"x\"\n", "", "1 wrong udev ignores the line" },
		{ "99-a.rules", "SUBSYSTEM==\"net\n", "", "1 wrong udev ignores the line" },
		{ "99-a.rules",
		  "SUBSYSTEM==\"net\", ATTR{queues/rx-0/rps_cpus}=\"f\", ATTR{gro_flush_timeout}=\"20000\"\n", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

int main(void)
{
	test_rules();
	testing_sample("99-coalesce.rules", "rx-usecs 0", ADD);
	return tap_done();
}
