/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's time stamps (SO_TIMESTAMPING, Documentation/networking/timestamping.rst) on any datagram or raw socket:
 * when a packet was received and when one was sent, by the kernel (software) and by the NIC (hardware).
 *
 * Software stamps are of CLOCK_REALTIME, which may be stepped: whoever subtracts one from a reading of the clock looks
 * that it was not. A receive stamp is made where the driver hands the packet to the stack, a transmit stamp where the
 * driver hands it to the hardware. Hardware stamps are of the NIC's own clock; two of the same NIC can be subtracted.
 *
 * Nothing of the interface is changed: hardware stamps come where somebody has turned them on (hwstamp_ctl, ptp4l).
 * Stamps of what was sent come back through the socket's error queue, with the errors that ICMP told; a socket that
 * wants the latter sets IP_RECVERR or IPV6_RECVERR itself.
 */
#ifndef HOLDOFF_LIVE_STAMP_H
#define HOLDOFF_LIVE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h> /* needs struct timespec */

#include "base/err.h"

enum stamp_clock { STAMP_SOFTWARE = 1u << 0, STAMP_HARDWARE = 1u << 1 };

/* When one packet passed. */
struct stamp {
	uint32_t has; /* enum stamp_clock */
	int64_t software_at_ns, hardware_at_ns;
};

/* The stamps of a socket that stays the caller's. */
struct stamps {
	int fd;
	uint32_t flags;    /* of SO_TIMESTAMPING, as the kernel took them */
	bool is_numbered;  /* transmit stamps carry the number of their request */
	uint32_t transmit; /* the flags that ask for a transmit stamp */
	uint32_t next_id;  /* that the next requested transmit stamp will carry */
};

/*
 * Turns the stamps of the socket on. device: the interface that its packets leave by, or NULL; hardware is asked for
 * transmit stamps only where it makes them already, since some drivers (e1000e) begin to look for one, and go on for
 * seconds, though they are off. -EOPNOTSUPP: the kernel has no stamps for this socket.
 */
int stamps_open(struct stamps *stamps, int fd, const char *device, struct err *err);

/*
 * The receive stamp among the control messages of a packet; false when there is none. For the first milliseconds after
 * stamps_open the kernel may fill in the time of recvmsg itself: such a stamp is later than a reading of the clock from
 * before a recvmsg that did not wait.
 */
bool stamps_received(const struct msghdr *message, struct stamp *stamp);

#define STAMP_CONTROL_BYTES 512 /* room for the control messages of a received packet or report */
#define STAMP_REQUEST_BYTES 64  /* room for stamps_request */

/*
 * Asks for the transmit stamp of the packet that message describes: adds a control message. message->msg_control points
 * to room for it behind the msg_controllen bytes that are there. Returns the number that the stamp's report will carry,
 * counted from 0. After sending, stamps_requested says whether the kernel took the packet.
 */
uint32_t stamps_request(const struct stamps *stamps, struct msghdr *message);

/*
 * was_sent false: reports that are still due are dropped, and numbers begin at 0 again, since kernels differ in whether
 * a packet that was not sent has taken one.
 */
void stamps_requested(struct stamps *stamps, bool was_sent);

enum stamp_report_kind {
	STAMP_REPORT_NONE,     /* the queue is empty */
	STAMP_REPORT_TRANSMIT, /* a transmit stamp */
	STAMP_REPORT_ERROR     /* the network, or the kernel itself, refused a packet */
};

#define STAMP_PACKET_BYTES 256

struct stamp_report {
	enum stamp_report_kind kind;
	uint32_t id;                        /* of a transmit stamp: its request's */
	struct stamp at;                    /* of a transmit stamp: one clock at a time */
	struct sock_extended_err error;     /* ee_errno, ee_origin, ee_type, ee_code, ee_info (a new MTU) */
	struct sockaddr_storage from;       /* who sent the error; family AF_UNSPEC: this host */
	struct sockaddr_storage to;         /* where the refused packet went */
	uint8_t packet[STAMP_PACKET_BYTES]; /* its beginning, as the socket sends it */
	unsigned packet_bytes;
};

/* Takes the next report out of the error queue, never waits. 0, also when it is empty, or a negative errno. */
int stamps_next_report(struct stamps *stamps, struct stamp_report *report, struct err *err);

/* What an interface says of its stamps. */
struct stamp_offer {
	bool tx_software;              /* its driver makes transmit stamps */
	bool has_hardware;             /* the NIC could stamp */
	bool rx_hardware, tx_hardware; /* ... and somebody has turned it on, for all packets that are received */
};

/* -EOPNOTSUPP: the driver does not say. Reads only, and needs no privilege. */
int stamp_offer_get(const char *device, struct stamp_offer *offer, struct err *err);

#endif
