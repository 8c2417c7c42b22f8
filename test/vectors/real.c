/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests go as ethtool's do: over generic netlink, the fields in the order of the words. Registers come out of the
 * driver's dump (ETHTOOL_GREGS) or, where that lacks them, out of the card itself, mapped through sysfs; a kernel
 * with CONFIG_IO_STRICT_DEVMEM wants iomem=relaxed on its command line for that.
 */
#include "vectors/real.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic/old_settings.h"

#define LINK_WAIT_US 20000
#define LINK_TRIES 1000
#define BAR_BYTES 4096

static struct vector_real *real_of(struct vector_subject *subject)
{
	return (struct vector_real *)subject;
}

static int ask(const struct vector_real *real, unsigned long command, void *data, struct ifreq *request)
{
	*request = (struct ifreq){ .ifr_data = data };
	strcpy(request->ifr_name, real->device);
	return ioctl(real->socket_fd, command, request) ? -errno : 0;
}

static int ask_ethtool(const struct vector_real *real, void *data)
{
	struct ifreq request;

	return ask(real, SIOCETHTOOL, data, &request);
}

/* ---- the link ---- */

static unsigned speed_now(const struct vector_real *real)
{
	struct ethtool_cmd settings = { .cmd = ETHTOOL_GSET };
	struct ethtool_value link = { .cmd = ETHTOOL_GLINK };

	if (ask_ethtool(real, &link) || !link.data || ask_ethtool(real, &settings)) {
		return 0;
	}
	return ethtool_cmd_speed(&settings);
}

/* A driver that tells no speed has one all the same. */
static int wait_for_link(const struct vector_real *real, struct err *err)
{
	const bool has_choice = real->subject.kind->speeds[1];
	unsigned mbps = 0;

	for (unsigned tries = 0; tries < LINK_TRIES; tries++) {
		mbps = speed_now(real);
		if (has_choice ? mbps == real->mbps : mbps != 0) {
			return 0;
		}
		usleep(LINK_WAIT_US);
	}
	return err_set(err, -ETIMEDOUT, "%s: no link at %u Mb/s, it has %u", real->device, real->mbps, mbps);
}

static int set_up(struct vector_subject *subject, bool is_up, struct err *err)
{
	struct vector_real *const real = real_of(subject);
	struct ifreq request;
	int ret = ask(real, SIOCGIFFLAGS, NULL, &request);
	const int flags = request.ifr_flags;

	if (ret == 0) {
		request = (struct ifreq){ .ifr_flags = (short)(is_up ? flags | IFF_UP : flags & ~IFF_UP) };
		strcpy(request.ifr_name, real->device);
		ret = ioctl(real->socket_fd, SIOCSIFFLAGS, &request) ? -errno : 0;
	}
	if (ret) {
		return err_set(err, ret, "%s: taking it %s: %s", real->device, is_up ? "up" : "down", strerror(-ret));
	}
	return is_up ? wait_for_link(real, err) : 0;
}

static int set_link(struct vector_subject *subject, unsigned mbps, struct err *err)
{
	struct vector_real *const real = real_of(subject);
	struct genetlink_message message;
	struct genetlink_answer answer;
	const uint8_t autoneg = AUTONEG_ENABLE, duplex = DUPLEX_FULL;
	const uint32_t speed = mbps;

	genetlink_begin(&real->genetlink, &message, ETHTOOL_MSG_LINKMODES_SET, real->device);
	genetlink_put(&message, ETHTOOL_A_LINKMODES_AUTONEG, &autoneg, sizeof(autoneg));
	genetlink_put(&message, ETHTOOL_A_LINKMODES_SPEED, &speed, sizeof(speed));
	genetlink_put(&message, ETHTOOL_A_LINKMODES_DUPLEX, &duplex, sizeof(duplex));
	const int ret = genetlink_exchange(&real->genetlink, &message, NULL, &answer, err);

	if (ret || answer.error) {
		return ret ? ret
			   : err_set(err, answer.error, "%s: link %u is refused: %s", real->device, mbps, answer.text);
	}
	real->mbps = mbps;
	return wait_for_link(real, err);
}

/* ---- the kernel's log ---- */

/*
 * A record of /dev/kmsg: "4,812,5140900,-;fec 20b4000.ethernet eth0: Rx coalesced ..."; what is wanted stands last.
 */
static void take_record(const char *record, char log[128])
{
	const char *text = strchr(record, ';');
	const char *colon;

	while (text && (colon = strstr(text, ": "))) {
		text = colon + 2;
	}
	if (text) {
		snprintf(log, 128, "%.*s", (int)strcspn(text, "\n"), text);
	}
}

static void read_log(const struct vector_real *real, char log[128])
{
	char record[1024];
	ssize_t bytes;

	log[0] = '\0';
	while ((bytes = read(real->log_fd, record, sizeof(record) - 1)) > 0 || (bytes < 0 && errno == EPIPE)) {
		record[bytes > 0 ? bytes : 0] = '\0';
		take_record(record, log);
	}
}

/* ---- requests ---- */

static void put_field(struct genetlink_message *message, const struct coalesce *request, enum coalesce_field field)
{
	const struct coalesce_field_info *const info = &coalesce_fields[field];
	const uint8_t is_on = request->value[field] != 0;

	if (info->unit == COALESCE_UNIT_SWITCH) {
		genetlink_put(message, info->attribute, &is_on, sizeof(is_on));
	} else {
		genetlink_put(message, info->attribute, &request->value[field], sizeof(request->value[field]));
	}
}

static void put_old(const struct vector_step *step, struct ethtool_coalesce *settings)
{
	for (unsigned i = 0; i < step->field_count; i++) {
		uint32_t *const value = old_settings_field(settings, step->fields[i]);

		if (value) {
			*value = step->request.value[step->fields[i]];
		}
	}
}

/* What systemd and NetworkManager do: all is read, changed, and sent back. */
static int set_by_ioctl(const struct vector_real *real, const struct vector_step *step)
{
	struct ethtool_coalesce settings = { .cmd = ETHTOOL_GCOALESCE };
	const int ret = ask_ethtool(real, &settings);

	put_old(step, &settings);
	settings.cmd = ETHTOOL_SCOALESCE;
	return ret ? ret : ask_ethtool(real, &settings);
}

/* What ethtool -Q does. */
static int set_queue(const struct vector_real *real, const struct vector_step *step)
{
	union {
		struct ethtool_per_queue_op operation;
		uint8_t room[sizeof(struct ethtool_per_queue_op) + sizeof(struct ethtool_coalesce)];
	} request = { .operation = { .cmd = ETHTOOL_PERQUEUE, .sub_command = ETHTOOL_GCOALESCE } };
	struct ethtool_coalesce *const settings = (struct ethtool_coalesce *)(void *)request.operation.data;

	request.operation.queue_mask[step->number / 32] = UINT32_C(1) << step->number % 32;
	settings->cmd = ETHTOOL_GCOALESCE;
	const int ret = ask_ethtool(real, &request);

	put_old(step, settings);
	settings->cmd = request.operation.sub_command = ETHTOOL_SCOALESCE;
	return ret ? ret : ask_ethtool(real, &request);
}

static int set_over_netlink(struct vector_real *real, const struct vector_step *step, struct vector_answer *answer,
			    struct err *err)
{
	struct genetlink_message message;
	struct genetlink_answer from_kernel;

	genetlink_begin(&real->genetlink, &message, ETHTOOL_MSG_COALESCE_SET, real->device);
	for (unsigned i = 0; i < step->field_count; i++) {
		put_field(&message, &step->request, step->fields[i]);
	}
	const int ret = genetlink_exchange(&real->genetlink, &message, NULL, &from_kernel, err);

	answer->error = from_kernel.error;
	answer->unsupported = strcmp(from_kernel.text, "cannot modify an unsupported parameter") == 0;
	answer->offset = from_kernel.offset;
	return ret;
}

static int request(struct vector_subject *subject, const struct vector_step *step, struct vector_answer *answer,
		   struct err *err)
{
	struct vector_real *const real = real_of(subject);
	int ret = 0;

	*answer = (struct vector_answer){ 0 };
	switch (step->action) {
	case VECTOR_SET_IOCTL:
		answer->error = set_by_ioctl(real, step);
		break;
	case VECTOR_SET_QUEUE:
		answer->error = set_queue(real, step);
		break;
	default:
		ret = set_over_netlink(real, step, answer, err);
	}
	if (ret == 0 && subject->kind->has_log) {
		read_log(real, answer->log);
	}
	return ret;
}

static void take_field(const struct genetlink_message *reply, enum coalesce_field field, struct coalesce *reported)
{
	const struct coalesce_field_info *const info = &coalesce_fields[field];
	const bool is_switch = info->unit == COALESCE_UNIT_SWITCH;
	const void *const value = genetlink_find(reply, info->attribute, is_switch ? 1 : 4);
	uint32_t number = 0;

	if (value) {
		memcpy(&number, value, is_switch ? 1 : 4);
		coalesce_put(reported, field, is_switch ? *(const uint8_t *)value : number);
	}
}

static int report(struct vector_subject *subject, struct coalesce *reported, int *error, struct err *err)
{
	struct vector_real *const real = real_of(subject);
	struct genetlink_message message, reply = { 0 };
	struct genetlink_answer answer;

	genetlink_begin(&real->genetlink, &message, ETHTOOL_MSG_COALESCE_GET, real->device);
	const int ret = genetlink_exchange(&real->genetlink, &message, &reply, &answer, err);

	*reported = (struct coalesce){ 0 };
	*error = answer.error;
	for (enum coalesce_field field = 0; ret == 0 && !answer.error && field < COALESCE_FIELDS; field++) {
		take_field(&reply, field, reported);
	}
	return ret;
}

/* ---- registers ---- */

/* Little endian, as every bus here has it. */
static uint32_t word_at(const volatile uint8_t *bytes, const struct vector_register *shown)
{
	const volatile uint8_t *const at = bytes + shown->offset;

	/* A register wants to be read whole. */
	switch (shown->bytes) {
	case 1:
		return *at;
	case 2:
		return *(const volatile uint16_t *)(const volatile void *)at;
	default:
		return *(const volatile uint32_t *)(const volatile void *)at;
	}
}

static int read_dump(const struct vector_real *real, uint32_t words[VECTOR_REGISTERS_MAX], struct err *err)
{
	const struct vector_kind *const kind = real->subject.kind;
	struct ethtool_regs *const dump = calloc(1, sizeof(*dump) + real->dump_bytes);
	int ret = -ENOMEM;

	if (dump) {
		dump->cmd = ETHTOOL_GREGS;
		dump->len = real->dump_bytes;
		ret = ask_ethtool(real, dump);
	}
	for (unsigned i = 0; ret == 0 && i < kind->register_count; i++) {
		words[i] = word_at(dump->data, &kind->registers[i]);
	}
	free(dump);
	return ret ? err_set(err, ret, "%s: registers cannot be read: %s", real->device, strerror(-ret)) : 0;
}

static int read_registers(struct vector_subject *subject, uint32_t words[VECTOR_REGISTERS_MAX], struct err *err)
{
	const struct vector_real *const real = real_of(subject);

	if (!real->bar) {
		return read_dump(real, words, err);
	}
	for (unsigned i = 0; i < subject->kind->register_count; i++) {
		words[i] = word_at(real->bar, &subject->kind->registers[i]);
	}
	return 0;
}

static int map_resource(struct vector_real *real, struct err *err)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/resource%d", real->device, real->subject.kind->resource);
	const int fd = open(path, O_RDWR | O_SYNC);
	void *const bar = fd < 0 ? MAP_FAILED : mmap(NULL, BAR_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	const int error = errno;

	if (fd >= 0) {
		close(fd);
	}
	if (bar == MAP_FAILED) {
		return err_set(err, -error, "%s: %s (is iomem=relaxed on the kernel's command line?)", path,
			       strerror(error));
	}
	real->bar = bar;
	return 0;
}

/* ---- opening ---- */

static int find_kind(struct vector_real *real, struct err *err)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	const int ret = ask_ethtool(real, &info);

	if (ret) {
		return err_set(err, ret, "%s: %s", real->device, strerror(-ret));
	}
	real->dump_bytes = info.regdump_len;
	real->subject.kind = vector_kind_find(info.driver);
	if (!real->subject.kind) {
		return err_set(err, -EINVAL, "%s: there is nothing about vectors of the driver \"%.32s\"", real->device,
			       info.driver);
	}
	real->mbps = real->subject.kind->speeds[0];
	return 0;
}

/* The log from here on. */
static int open_log(struct vector_real *real, struct err *err)
{
	real->log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (real->log_fd < 0 || lseek(real->log_fd, 0, SEEK_END) < 0) {
		return err_set(err, -errno, "/dev/kmsg: %s", strerror(errno));
	}
	return 0;
}

int vector_real_init(struct vector_real *real, const char *device, struct err *err)
{
	static const struct vector_subject_ops ops = {
		.set_up = set_up,
		.set_link = set_link,
		.request = request,
		.report = report,
		.read_registers = read_registers,
	};

	*real = (struct vector_real){ .subject = { .ops = &ops } };
	if (strlen(device) >= sizeof(real->device)) {
		return err_set(err, -EINVAL, "\"%.40s\" is no name of an interface", device);
	}
	strcpy(real->device, device);
	real->socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = real->socket_fd < 0 ? err_set(err, -errno, "socket: %s", strerror(errno)) : find_kind(real, err);

	ret = ret ? ret : genetlink_open(&real->genetlink, ETHTOOL_GENL_NAME, err);
	ret = ret ? ret : open_log(real, err);
	if (ret == 0 && real->subject.kind->resource != VECTOR_IN_DUMP) {
		ret = map_resource(real, err);
	}
	return ret ? ret : wait_for_link(real, err);
}
