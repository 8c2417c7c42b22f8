/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/stamp.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

/* Three stamps of one message: software, unused, hardware (scm_timestamping). */
enum { SOFTWARE_PLACE = 0, HARDWARE_PLACE = 2, PLACES = 3 };

#define RECEIVE (SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_RX_HARDWARE)
#define REPORT (SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RAW_HARDWARE)
#define NUMBERED (SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY | SOF_TIMESTAMPING_OPT_CMSG)

static int64_t to_ns(const struct timespec *at)
{
	return (int64_t)at->tv_sec * NS_PER_S + at->tv_nsec;
}

static bool set_flags(struct stamps *stamps, uint32_t flags)
{
	if (setsockopt(stamps->fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) < 0) {
		return false;
	}
	stamps->flags = flags;
	return true;
}

int stamps_open(struct stamps *stamps, int fd, const char *device, struct err *err)
{
	/* Best first: numbers since 4.0, both clocks of one packet since 4.13. */
	static const uint32_t wishes[] = {
		RECEIVE | REPORT | NUMBERED | SOF_TIMESTAMPING_OPT_TX_SWHW,
		RECEIVE | REPORT | NUMBERED,
		RECEIVE | REPORT,
	};

	struct stamp_offer offer;
	const bool has_hardware = device && stamp_offer_get(device, &offer, NULL) == 0 && offer.tx_hardware;

	*stamps = (struct stamps){
		.fd = fd,
		.transmit = SOF_TIMESTAMPING_TX_SOFTWARE | (has_hardware ? SOF_TIMESTAMPING_TX_HARDWARE : 0),
	};
	for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		if (set_flags(stamps, wishes[i])) {
			stamps->is_numbered = wishes[i] & SOF_TIMESTAMPING_OPT_ID;
			return 0;
		}
	}
	return err_set(err, -EOPNOTSUPP, "the kernel has no time stamps for this socket: %s", strerror(errno));
}

/* Through copies: control messages need not be aligned for what they hold. */
static void copy_stamps(const struct cmsghdr *control, struct stamp *stamp)
{
	struct timespec at[PLACES];

	if (control->cmsg_len < CMSG_LEN(sizeof(at))) {
		return;
	}
	memcpy(at, CMSG_DATA(control), sizeof(at));
	if (at[SOFTWARE_PLACE].tv_sec || at[SOFTWARE_PLACE].tv_nsec) {
		stamp->has |= STAMP_SOFTWARE;
		stamp->software_at_ns = to_ns(&at[SOFTWARE_PLACE]);
	}
	if (at[HARDWARE_PLACE].tv_sec || at[HARDWARE_PLACE].tv_nsec) {
		stamp->has |= STAMP_HARDWARE;
		stamp->hardware_at_ns = to_ns(&at[HARDWARE_PLACE]);
	}
}

/* CMSG_NXTHDR is for messages that one may write. */
static struct cmsghdr *next_control(const struct msghdr *message, struct cmsghdr *control)
{
	return CMSG_NXTHDR((struct msghdr *)(uintptr_t)message, control);
}

bool stamps_received(const struct msghdr *message, struct stamp *stamp)
{
	*stamp = (struct stamp){ 0 };
	for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control; control = next_control(message, control)) {
		if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPING) {
			copy_stamps(control, stamp);
		}
	}
	return stamp->has != 0;
}

/* ---- what was sent ---- */

uint32_t stamps_request(const struct stamps *stamps, struct msghdr *message)
{
	const uint32_t flags = stamps->transmit;
	struct cmsghdr *const control = (struct cmsghdr *)((char *)message->msg_control + message->msg_controllen);

	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SO_TIMESTAMPING;
	control->cmsg_len = CMSG_LEN(sizeof(flags));
	memcpy(CMSG_DATA(control), &flags, sizeof(flags));
	message->msg_controllen += CMSG_SPACE(sizeof(flags));
	return stamps->next_id;
}

/* Turning numbers off and on sets the kernel's counter to 0. */
static void begin_again(struct stamps *stamps)
{
	const uint32_t flags = stamps->flags;
	struct stamp_report report;

	while (stamps_next_report(stamps, &report, NULL) == 0 && report.kind != STAMP_REPORT_NONE) {
	}
	if (set_flags(stamps, flags & ~(uint32_t)SOF_TIMESTAMPING_OPT_ID)) {
		stamps->is_numbered = set_flags(stamps, flags) && flags & SOF_TIMESTAMPING_OPT_ID;
	}
	stamps->next_id = 0;
}

void stamps_requested(struct stamps *stamps, bool was_sent)
{
	if (was_sent) {
		stamps->next_id++;
	} else {
		begin_again(stamps);
	}
}

static bool is_error(const struct cmsghdr *control)
{
	return (control->cmsg_level == SOL_IP && control->cmsg_type == IP_RECVERR) ||
	       (control->cmsg_level == SOL_IPV6 && control->cmsg_type == IPV6_RECVERR);
}

static void copy_error(const struct cmsghdr *control, struct stamp_report *report)
{
	struct sock_extended_err *const error = &report->error;
	const size_t bytes = control->cmsg_len - CMSG_LEN(0);

	if (control->cmsg_len < CMSG_LEN(sizeof(*error))) {
		return;
	}
	memcpy(error, CMSG_DATA(control), sizeof(*error));
	if (error->ee_origin == SO_EE_ORIGIN_TIMESTAMPING) {
		report->kind = STAMP_REPORT_TRANSMIT;
		report->id = error->ee_data;
		return;
	}
	report->kind = STAMP_REPORT_ERROR;
	/* Behind it stands the address of who complained (SO_EE_OFFENDER). */
	const size_t left = bytes - sizeof(*error);

	memcpy(&report->from, CMSG_DATA(control) + sizeof(*error),
	       left < sizeof(report->from) ? left : sizeof(report->from));
	if (error->ee_origin == SO_EE_ORIGIN_LOCAL) {
		report->from.ss_family = AF_UNSPEC;
	}
}

static void read_controls(const struct msghdr *message, struct stamp_report *report)
{
	for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control; control = next_control(message, control)) {
		if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPING) {
			copy_stamps(control, &report->at);
		} else if (is_error(control)) {
			copy_error(control, report);
		}
	}
}

/* Other reports of stamps (SCM_TSTAMP_SCHED, _ACK) are not asked for, and passed over. */
static bool is_wanted(const struct stamp_report *report)
{
	return report->kind == STAMP_REPORT_ERROR ||
	       (report->kind == STAMP_REPORT_TRANSMIT && report->error.ee_info == SCM_TSTAMP_SND && report->at.has);
}

int stamps_next_report(struct stamps *stamps, struct stamp_report *report, struct err *err)
{
	for (;;) {
		_Alignas(struct cmsghdr) char control[STAMP_CONTROL_BYTES];

		*report = (struct stamp_report){ .kind = STAMP_REPORT_NONE };
		struct iovec data = { report->packet, sizeof(report->packet) };
		struct msghdr message = {
			.msg_name = &report->to,
			.msg_namelen = sizeof(report->to),
			.msg_iov = &data,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		const ssize_t bytes = recvmsg(stamps->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT);

		if (bytes < 0) {
			if (errno == EINTR) {
				continue;
			}
			return errno == EAGAIN ? 0
					       : err_set(err, -errno, "reading the error queue: %s", strerror(errno));
		}
		report->packet_bytes = (unsigned)bytes;
		read_controls(&message, report);
		if (is_wanted(report)) {
			return 0;
		}
	}
}

/* ---- the interface ---- */

static int control_device(const char *device, unsigned long request, void *data)
{
	struct ifreq ifreq = { .ifr_data = data };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		return -errno;
	}
	snprintf(ifreq.ifr_name, sizeof(ifreq.ifr_name), "%s", device);
	const int ret = ioctl(fd, request, &ifreq) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

int stamp_offer_get(const char *device, struct stamp_offer *offer, struct err *err)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct hwtstamp_config config = { 0 };
	const int ret = control_device(device, SIOCETHTOOL, &info);

	*offer = (struct stamp_offer){ 0 };
	if (ret < 0) {
		return err_set(err, ret, "%s: the driver does not say what time stamps it makes: %s", device,
			       strerror(-ret));
	}
	offer->tx_software = info.so_timestamping & SOF_TIMESTAMPING_TX_SOFTWARE;
	offer->has_hardware = info.so_timestamping & SOF_TIMESTAMPING_RAW_HARDWARE;
	/* Older drivers cannot tell; then they count as off, and what comes all the same is used. */
	if (control_device(device, SIOCGHWTSTAMP, &config) == 0) {
		offer->rx_hardware = config.rx_filter == HWTSTAMP_FILTER_ALL;
		offer->tx_hardware = config.tx_type == HWTSTAMP_TX_ON;
	}
	return 0;
}
