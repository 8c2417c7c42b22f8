/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diagnose/rules.h"

static const struct rule rules[] = {
	{ "no-settings", "net/ethtool/coalesce.c; redhat-performance/tuned issue 819", rule_no_settings },
	{ "zero-is-not-support", "amzn/amzn-drivers issue 305: a kernel or ethtool before netlink prints 0 for it",
	  rule_zero_is_not_support },
	{ "mode-code", "the driver's source, as in src/nic/quirk.c", rule_mode_code },
	{ "nanoseconds", "usb/r8152.c: the register counts 8 ns, the driver hands the number through",
	  rule_nanoseconds },
	{ "rate-bound", "include/uapi/linux/ethtool.h: an interrupt when the time is over", rule_rate_bound },
	{ "adaptive", "lib/dim, or the driver's own algorithm: static values beside it are not in force",
	  rule_adaptive },
	{ "software-deferral", "Documentation/networking/napi.rst; commit 42f66a44d837 (r8169 sets 20000 and 1)",
	  rule_software_deferral },
	{ "not-supported", "perfsonar/toolkit issue 297; net/ethtool/coalesce.c checks each field",
	  rule_not_supported },
	{ "refused", "the driver's source, as in src/driver/rules_table.c", rule_refused },
	{ "drifted", "intel-wired-lan, June 2025 (idpf); commit 59cf644d9 (stmmac): lost at reset, XDP, -L, -G",
	  rule_drifted },
	{ "hardware-stamps", "Avnu/OpenAvnu issue 437", rule_hardware_stamps },
	{ "registers", "the datasheets and drivers behind src/chip", rule_registers },
	{ "shared-line", "kernel/irq: a count is the line's, not the device's", rule_shared_line },
	{ "one-cpu", "geerlingguy/raspberry-pi-pcie-devices issue 40: 20 to 30 % lost where load and interrupts share",
	  rule_one_cpu },
	{ "no-direction", "GoogleCloudPlatform/compute-virtual-ethernet-linux issue 64", rule_no_direction },
	{ "rate-limit", "amzn/amzn-drivers issue 159: a hold of T allows at most 1/T interrupts a second of a vector",
	  rule_rate_limit },
	{ "softnet", "netdata issues 1076 and 984; net/core/dev.c: the limit is also 2 ms (netdev_budget_usecs)",
	  rule_softnet },
	{ "drops", "xdp-newbies, 2021 (i40e); awesometic/realtek-r8125-dkms issue 90", rule_drops },
	{ "affinity", "kernel/irq/proc.c", rule_affinity },
	{ "ping-rounds", "iputils: flood and adaptive ping send the next one on the reply", rule_ping_rounds },
	{ "lock-step", "netdev, July 2024 (W. Fang): TFTP moves one block a round trip", rule_lock_step },
	{ "ping-shift", "netdev, July 2024: 1.32 ms and 0.51 ms at rx-usecs 1000 and 100", rule_ping_shift },
	{ "hold-too-small", "OpenEtherCATsociety/SOEM issue 184: rx-usecs 1, and hundreds of us of spread",
	  rule_too_small },
	{ "hold-too-long", "OpenEtherCATsociety/SOEM issue 612: 10 ms against a register of at most 2.4 ms",
	  rule_too_long },
	{ "pays-hold", "netdev, July 2024: a ping pays a hold-off in full, a throttle not at all", rule_pays_hold },
	{ "least", "the driver's source, as in src/driver/rules_table.c", rule_least },
	{ "small-frames", "netdev, September 2017 (K. Smelkov): RTL8168d does not hold frames below 128 bytes",
	  rule_small_frames },
	{ "pairs", "OpenEtherCATsociety/SOEM issue 254", rule_pairs },
	{ "trace", "netdev, February 2023 (R. Weinberger): 1011 us and 34 us to the interrupt", rule_trace },
	{ "iperf3", "iperf3 counts its own CPU time", rule_iperf3 },
};

void diagnosis_conclude(struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct remark_origin origin = { .rule = rules[i].name, .source = rules[i].source, .device = -1 };

		rules[i].run(diagnosis, &origin);
	}
}
