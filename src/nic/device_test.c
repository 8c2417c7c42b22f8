/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks out of debugfs. The forms are those of drivers/clk/clk.c in Linux 6.1 and 6.12; rates as an i.MX8MP has
 * them.
 */
#include "nic/device.c"

#include "tap.h"

/* 6.12: who uses a clock stands at the end of its line, further users on lines of their own. */
static const char summary_612[] =
	"                                 enable  prepare  protect                                duty  hardware"
	"                            connection\n"
	"   clock                          count    count    count        rate   accuracy phase  cycle    enable   "
	"consumer"
	"                         id\n"
	"--------------------------------------------------------------------------------------------------------------"
	"-------\n"
	" clock-osc-24m                       8       9        0        24000000    0          0     50000      Y   "
	"deviceless"
	"                      no_connection_id\n"
	"    sys_pll1_266m                    3       3        0        266666667   0          0     50000      Y      "
	"deviceless"
	"  no_connection_id\n"
	"       enet_axi                      2       2        0        266666666   0          0     50000      Y      "
	"   deviceless"
	" no_connection_id\n"
	"          enet1_root_clk             3       3        0        266666666   0          0     50000      Y"
	"            30be0000.ethernet               ipg\n"
	"                                                                                                        "
	"            30be0000.ethernet               ahb\n"
	"                                                                                                        "
	"            deviceless                      no_connection_id\n"
	"       enet_timer                    1       1        0        100000000   0          0     50000      Y"
	"            30be0000.ethernet               ptp\n"
	"       off_clk                       0       0        0        0           0          0     50000      N"
	"            30bf0000.ethernet               ahb\n";

/* 6.1: nobody is named. */
static const char summary_61[] =
	" osc_24m                              8        9        0    24000000          0     0  50000         Y\n"
	"       enet_axi                       2        2        0   266666666          0     0  50000         Y\n";

static bool find(const char *text, const char *device, const char *connection, struct nic_identity *identity)
{
	FILE *const file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	bool found;

	*identity = (struct nic_identity){ 0 };
	found = find_in_summary(file, device, connection, identity);
	fclose(file);
	return found;
}

int main(void)
{
	struct nic_identity identity;
	char word[8];

	tap_ok(find(summary_612, "30be0000.ethernet", "ahb", &identity), "the second user of a clock");
	tap_is(identity.clock_hz, 266666666, "its rate");
	tap_is_text(identity.clock, "enet1_root_clk", "its name");
	tap_is(identity.has, NIC_HAS_CLOCK, "is had");
	tap_ok(find(summary_612, "30be0000.ethernet", "ptp", &identity), "a user on the clock's own line");
	tap_is(identity.clock_hz, 100000000, "its rate");
	tap_ok(!find(summary_612, "30be0000.ethernet", "stmmaceth", &identity),
	       "a connection that the device does not have");
	tap_ok(!find(summary_612, "30bf0000.ethernet", "ahb", &identity), "a clock of 0 Hz says nothing");
	tap_is(identity.has, 0, "and is not had");
	tap_ok(!find(summary_61, "30be0000.ethernet", "ahb", &identity), "an older kernel names no users");
	tap_ok(!find("\n \n x\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n", "18", "19", &identity), "rubbish");
	copy_word(word, sizeof(word), "N/A", 32);
	tap_is_text(word, "", "N/A is no word");
	copy_word(word, sizeof(word), "abcdefghij", 10);
	tap_is_text(word, "abcdefg", "a long word is cut");
	copy_word(word, sizeof(word), "abcXXX", 3);
	tap_is_text(word, "abc", "a word without an end ends with its space");
	return tap_done();
}
