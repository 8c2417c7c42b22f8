/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/conditions.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/file.h"

#define LINE_MAX_BYTES RUN_CONDITION_VALUE_MAX

/* Of the whole machine, a line of a file each. */
static const struct {
	const char *name, *path;
} machine_files[] = {
	{ "kernel.command-line", "/proc/cmdline" },
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "cpus.online", "/sys/devices/system/cpu/online" },
	{ "cpus.isolated", "/sys/devices/system/cpu/isolated" },
	{ "cpus.nohz-full", "/sys/devices/system/cpu/nohz_full" },
	{ "cpus.smt", "/sys/devices/system/cpu/smt/active" },
	{ "turbo.off", "/sys/devices/system/cpu/intel_pstate/no_turbo" },
	{ "boost", "/sys/devices/system/cpu/cpufreq/boost" },
	{ "idle.driver", "/sys/devices/system/cpu/cpuidle/current_driver" },
	{ "idle.governor", "/sys/devices/system/cpu/cpuidle/current_governor" },
	{ "net.core.netdev_budget", "/proc/sys/net/core/netdev_budget" },
	{ "net.core.netdev_budget_usecs", "/proc/sys/net/core/netdev_budget_usecs" },
	{ "net.core.dev_weight", "/proc/sys/net/core/dev_weight" },
	{ "net.core.busy_poll", "/proc/sys/net/core/busy_poll" },
	{ "net.core.busy_read", "/proc/sys/net/core/busy_read" },
	{ "net.core.rmem_max", "/proc/sys/net/core/rmem_max" },
	{ "net.core.wmem_max", "/proc/sys/net/core/wmem_max" },
	{ "net.core.rps_sock_flow_entries", "/proc/sys/net/core/rps_sock_flow_entries" },
	{ "net.ipv4.tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control" },
};

/* Offloads that change how many frames, packets or interrupts there are. */
static const char *const offloads[] = {
	"rx-gro",
	"rx-gro-hw",
	"rx-gro-list",
	"rx-lro",
	"rx-checksum",
	"rx-hashing",
	"tx-generic-segmentation",
	"tx-tcp-segmentation",
	"tx-tcp6-segmentation",
	"tx-udp-segmentation",
	"tx-checksum-ip-generic",
	"tx-checksum-ipv4",
	"tx-scatter-gather",
};

static void put_machine(struct run_condition_list *list)
{
	char line[LINE_MAX_BYTES];

	for (size_t i = 0; i < sizeof(machine_files) / sizeof(machine_files[0]); i++) {
		if (file_read_line(line, sizeof(line), "%s", machine_files[i].path) && line[0]) {
			run_condition_put(list, machine_files[i].name, "%s", line);
		}
	}
}

/* The CPU's name: "model name" on x86, "Model" or the device tree's elsewhere. */
static void put_cpu_model(struct run_condition_list *list)
{
	char *const text = file_read("/proc/cpuinfo");
	char line[LINE_MAX_BYTES];
	const char *at = text ? strstr(text, "model name") : NULL;

	if (at && (at = strchr(at, ':')) && at[1] == ' ') {
		run_condition_put(list, "cpu", "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
	} else if (file_read_line(line, sizeof(line), "/sys/firmware/devicetree/base/model")) {
		run_condition_put(list, "cpu", "%s", line);
	}
	free(text);
}

/* The same of all CPUs, or "powersave (2), performance (6)"; "" when no CPU says. */
static void put_of_all_cpus(struct run_condition_list *list, const char *name, const char *path_format)
{
	enum { VALUES_MAX = 8 };
	char line[64], values[VALUES_MAX][64], text[RUN_CONDITION_VALUE_MAX] = "";
	unsigned counts[VALUES_MAX] = { 0 }, kinds = 0;
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		unsigned kind = 0;
		char path[256];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/%s", cpu, path_format);
		if (!file_read_line(line, sizeof(line), "%s", path)) {
			continue;
		}
		while (kind < kinds && strcmp(values[kind], line) != 0) {
			kind++;
		}
		if (kind == kinds && kinds < VALUES_MAX) {
			memcpy(values[kinds++], line, sizeof(line));
		}
		if (kind < VALUES_MAX) {
			counts[kind]++;
		}
	}
	for (unsigned i = 0; i < kinds; i++) {
		const size_t used = strlen(text);

		if (kinds == 1) {
			snprintf(text, sizeof(text), "%s", values[0]);
		} else {
			snprintf(text + used, sizeof(text) - used, "%s%.63s (%u)", i ? ", " : "", values[i], counts[i]);
		}
	}
	if (kinds) {
		run_condition_put(list, name, "%s", text);
	}
}

/* Idle states of CPU 0: "POLL C1 C1E(off) C6". */
static void put_idle_states(struct run_condition_list *list)
{
	char name[32], disabled[8], text[RUN_CONDITION_VALUE_MAX] = "";

	for (unsigned state = 0;
	     file_read_line(name, sizeof(name), "/sys/devices/system/cpu/cpu0/cpuidle/state%u/name", state); state++) {
		const size_t used = strlen(text);

		file_read_line(disabled, sizeof(disabled), "/sys/devices/system/cpu/cpu0/cpuidle/state%u/disable",
			       state);
		snprintf(text + used, sizeof(text) - used, "%s%s%s", used ? " " : "", name,
			 disabled[0] == '1' ? "(off)" : "");
	}
	if (text[0]) {
		run_condition_put(list, "idle.states", "%s", text);
	}
}

/* The tightest demand that anybody holds: how long CPUs may take to wake up. */
static void put_latency_demand(struct run_condition_list *list)
{
	int32_t us;
	const int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, &us, sizeof(us)) == (ssize_t)sizeof(us)) {
		run_condition_put(list, "idle.latency-demand", "%d us", us);
	}
	if (fd >= 0) {
		close(fd);
	}
}

/* Counts since the machine was started, of all CPUs: more of them after the run mean that it was slowed down. */
static void put_throttling(struct run_condition_list *list)
{
	unsigned long long sum = 0;
	bool any = false;
	char line[32];
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		if (file_read_line(line, sizeof(line),
				   "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", cpu)) {
			sum += strtoull(line, NULL, 10);
			any = true;
		}
	}
	if (any) {
		run_condition_put(list, "thermal-throttling", "%llu times", sum);
	}
}

static void put_irqbalance(struct run_condition_list *list)
{
	DIR *const folder = opendir("/proc");
	bool runs = false;
	char comm[32];

	if (!folder) {
		return;
	}
	for (const struct dirent *entry = readdir(folder); entry && !runs; entry = readdir(folder)) {
		runs = isdigit((unsigned char)entry->d_name[0]) &&
		       file_read_line(comm, sizeof(comm), "/proc/%.20s/comm", entry->d_name) &&
		       strcmp(comm, "irqbalance") == 0;
	}
	closedir(folder);
	run_condition_put(list, "irqbalance", runs ? "running" : "not running");
}

static void put_if_any(struct run_condition_list *list, const char *name, const char *text)
{
	if (text[0]) {
		run_condition_put(list, name, "%s", text);
	}
}

static void put_identity(const struct nic_identity *identity, struct run_condition_list *list)
{
	run_condition_put(list, "kernel", "%s", identity->kernel);
	put_if_any(list, "kernel.build", identity->build);
	put_if_any(list, "driver", identity->driver);
	put_if_any(list, "driver.version", identity->driver_version);
	put_if_any(list, "driver.firmware", identity->firmware);
	put_if_any(list, "driver.bus", identity->bus);
	run_condition_put(list, "link", "%s%s", identity->is_up ? "up" : "down",
			  identity->has_carrier ? ", carrier" : ", no carrier");
	if (identity->has & NIC_HAS_SPEED) {
		run_condition_put(list, "link.speed", "%u Mb/s", identity->speed_mbps);
	}
	if (identity->has & NIC_HAS_RINGS) {
		run_condition_put(list, "rings", "rx %u tx %u", identity->rx_ring, identity->tx_ring);
	}
	if (identity->has & NIC_HAS_CHANNELS) {
		run_condition_put(list, "channels", "combined %u rx %u tx %u other %u", identity->combined_channels,
				  identity->rx_channels, identity->tx_channels, identity->other_channels);
	}
}

static void put_coalesce(struct nic *nic, struct run_condition_list *list)
{
	char text[COALESCE_TEXT_MAX];
	struct coalesce settings, queue;

	if (nic_coalesce_get(nic, &settings, NULL)) {
		return;
	}
	run_condition_put(list, "coalesce", "%s", coalesce_print(&settings, text));
	for (unsigned i = 0; i < NIC_QUEUES_MAX && !nic_queue_coalesce_get(nic, i, settings.present, &queue, NULL);
	     i++) {
		char name[RUN_CONDITION_NAME_MAX];

		/* Those that differ from the device's; the kernel would list 200 alike on some machines. */
		if (memcmp(&queue, &settings, sizeof(queue)) != 0) {
			snprintf(name, sizeof(name), "coalesce.queue.%u", i);
			run_condition_put(list, name, "%s", coalesce_print(&queue, text));
		}
	}
}

static void put_napis(struct nic *nic, struct run_condition_list *list)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count;

	if (nic_napi_list(nic, napis, NIC_NAPIS_MAX, &count, NULL)) {
		return;
	}
	for (unsigned i = 0; i < count && i < NIC_NAPIS_MAX; i++) {
		const struct nic_napi *const napi = &napis[i];
		char name[RUN_CONDITION_NAME_MAX];

		snprintf(name, sizeof(name), napi->id ? "napi.%u" : "napi", napi->id);
		run_condition_put(list, name, "defer-hard-irqs %u gro-flush-timeout %llu irq-suspend-timeout %llu%s",
				  napi->defer_hard_irqs, (unsigned long long)napi->gro_flush_timeout_ns,
				  (unsigned long long)napi->irq_suspend_timeout_ns, napi->threaded ? " threaded" : "");
	}
}

static void put_offloads(struct nic *nic, struct run_condition_list *list)
{
	struct nic_feature *features;
	unsigned count;
	bool is_enabled, is_active;

	if (nic_features(nic, &features, &count, NULL) == 0) {
		for (unsigned i = 0; i < count; i++) {
			for (size_t j = 0; j < sizeof(offloads) / sizeof(offloads[0]); j++) {
				if (strcmp(features[i].name, offloads[j]) == 0) {
					run_condition_put(list, features[i].name, features[i].is_active ? "on" : "off");
				}
			}
		}
		free(features);
	}
	if (nic_eee(nic, &is_enabled, &is_active, NULL) == 0) {
		run_condition_put(list, "eee", "%s%s", is_enabled ? "on" : "off", is_active ? ", active" : "");
	}
}

static void put_vectors(struct nic *nic, struct run_condition_list *list)
{
	static struct nic_vector vectors[NIC_VECTORS_MAX];
	unsigned count;

	if (nic_vector_list(nic, vectors, NIC_VECTORS_MAX, &count, NULL)) {
		return;
	}
	for (unsigned i = 0; i < count && i < NIC_VECTORS_MAX; i++) {
		char name[RUN_CONDITION_NAME_MAX];

		snprintf(name, sizeof(name), "irq.%u", vectors[i].irq);
		run_condition_put(list, name, "%s on CPUs %s%s%s%s", vectors[i].action, vectors[i].affinity,
				  vectors[i].effective[0] ? ", in effect " : "", vectors[i].effective,
				  vectors[i].is_shared ? ", shared with other devices" : "");
	}
}

/* rps_cpus and its like of each queue, where it is set. */
static void put_steering(const struct nic *nic, const char *direction, const char *file,
			 struct run_condition_list *list)
{
	char line[LINE_MAX_BYTES], name[RUN_CONDITION_NAME_MAX];

	for (unsigned i = 0; i < NIC_QUEUES_MAX; i++) {
		if (!file_read_line(line, sizeof(line), "/sys/class/net/%s/queues/%s-%u/%s", nic->name, direction, i,
				    file)) {
			return;
		}
		if (line[strspn(line, "0,")] != '\0') {
			snprintf(name, sizeof(name), "%s-%u.%s", direction, i, file);
			run_condition_put(list, name, "%s", line);
		}
	}
}

static void put_device_files(const struct nic *nic, struct run_condition_list *list)
{
	static const char *const names[] = { "mtu", "tx_queue_len", "threaded" };
	char line[LINE_MAX_BYTES];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (file_read_line(line, sizeof(line), "/sys/class/net/%s/%s", nic->name, names[i])) {
			run_condition_put(list, names[i], "%s", line);
		}
	}
	put_steering(nic, "rx", "rps_cpus", list);
	put_steering(nic, "rx", "rps_flow_cnt", list);
	put_steering(nic, "tx", "xps_cpus", list);
}

int conditions_read(struct nic *nic, struct run_condition_list *list, struct err *err)
{
	static struct nic_identity identity;
	const int ret = nic_identify(nic, &identity, err);

	memset(list, 0, sizeof(*list));
	if (ret) {
		return ret;
	}
	put_identity(&identity, list);
	put_coalesce(nic, list);
	put_napis(nic, list);
	put_offloads(nic, list);
	put_vectors(nic, list);
	put_device_files(nic, list);
	put_cpu_model(list);
	put_machine(list);
	put_of_all_cpus(list, "frequency.governor", "cpufreq/scaling_governor");
	put_of_all_cpus(list, "frequency.driver", "cpufreq/scaling_driver");
	put_of_all_cpus(list, "frequency.least-kHz", "cpufreq/scaling_min_freq");
	put_of_all_cpus(list, "frequency.most-kHz", "cpufreq/scaling_max_freq");
	put_idle_states(list);
	put_latency_demand(list);
	put_throttling(list);
	put_irqbalance(list);
	return 0;
}

int conditions_describe(struct nic *nic, struct run_conditions *conditions, struct err *err)
{
	static struct nic_identity identity;
	char host[RUN_NAME_MAX] = "";
	const int ret = nic_identify(nic, &identity, err);

	if (ret) {
		return ret;
	}
	gethostname(host, sizeof(host) - 1);
	conditions->source = RUN_MEASURED;
	snprintf(conditions->host, sizeof(conditions->host), "%.24s, Linux %.30s", host, identity.kernel);
	snprintf(conditions->driver, sizeof(conditions->driver), "%s", identity.driver);
	snprintf(conditions->measured.device, sizeof(conditions->measured.device), "%s", nic->name);
	conditions->speed_mbps = identity.has & NIC_HAS_SPEED ? identity.speed_mbps : 0;
	conditions->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	conditions->reports_settings = nic_coalesce_get(nic, &conditions->reported, NULL) == 0;
	return 0;
}
