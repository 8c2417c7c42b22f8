/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A peer that plays the kernel at the other end of a netlink connection: the families "ethtool" (coalescing,
 * speed, rings, channels), "netdev" (NAPI instances) and "holdoff-peer" (nic/stand_in.h), with the rules of the
 * kernel's ethtool core in front of one of our driver models or of a device that just stores. It can misbehave in
 * the ways that a kernel, a lossy socket or a test would.
 *
 * peer_answer is a pure function from a request to the datagrams that answer it; peer_serve does that for many
 * connections, until nobody is left who could ask. The program peer.c wraps both for scripts.
 */
#ifndef HOLDOFF_TEST_PEER_PEER_H
#define HOLDOFF_TEST_PEER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "coalesce/settings.h"
#include "driver/driver.h"

#define PEER_QUEUES_MAX CHIP_QUEUES_MAX
#define PEER_NAPIS_MAX 16

enum peer_misbehaviour {
	PEER_WELL,
	PEER_MISSING,         /* the first attribute that the driver supports is left out of the answer */
	PEER_UNKNOWN,         /* attributes of newer kernels, a profile nest among them, are in the answer */
	PEER_SHORT_ATTRIBUTE, /* a number of three bytes */
	PEER_REORDERED,       /* attributes in reverse order */
	PEER_CUT_ATTRIBUTE,   /* the last attribute says that it is longer than the message */
	PEER_TRUNCATED,       /* the datagram ends in the middle of its message */
	PEER_EMPTY,           /* a generic netlink message without its header */
	PEER_HUGE,            /* a datagram longer than any buffer */
	PEER_STALE,           /* first the answer to an earlier request, with other values */
	PEER_WRONG_SEQUENCE,  /* only answers to requests that nobody made */
	PEER_WRONG_PORT,      /* only answers to somebody else */
	PEER_MULTIPART,       /* NLM_F_MULTI, each message in a datagram of its own, NLMSG_DONE at the end */
	PEER_PACKED,          /* all messages in one datagram */
	PEER_EARLY_ACK,       /* the acknowledgement comes before the answer */
	PEER_NO_ACK,          /* no acknowledgement */
	PEER_NO_REPLY,        /* an acknowledgement without an answer */
	PEER_BAD_ERRNO,       /* an acknowledgement with a positive number */
	PEER_OVERRUN,         /* NLMSG_OVERRUN in place of the answer */
	PEER_INTERRUPTED,     /* NLM_F_DUMP_INTR */
	PEER_SILENT,          /* nothing */
	PEER_HANG_UP,         /* the connection is closed in place of the answer; what was asked is not done */
	PEER_HANG_UP_AFTER,   /* it is done, then the connection is closed without an answer */
	PEER_GONE,            /* -ENODEV: the interface has vanished */
	PEER_BUSY,            /* -EBUSY with words */
	PEER_FORBIDDEN,       /* -EPERM to what changes something */
	PEER_MISBEHAVIOURS
};

extern const char *const peer_misbehaviour_names[PEER_MISBEHAVIOURS]; /* "missing", "short-attribute", ... */

/* What a refusal says besides its errno. */
enum peer_extack {
	PEER_EXTACK_FULL, /* text and offset, the request left out: what Linux sends to a socket with NETLINK_CAP_ACK */
	PEER_EXTACK_UNCAPPED, /* the same behind a copy of the request */
	PEER_EXTACK_POLICY,   /* a policy nest and missing attributes besides (5.10, 6.1) */
	PEER_EXTACK_MESSAGE,  /* text only */
	PEER_EXTACK_NONE,
	PEER_EXTACKS
};

extern const char *const peer_extack_names[PEER_EXTACKS];

struct peer_config {
	/* A driver variant such as "r8169@6.12"; "virtio" or "store" for a device that keeps what it is given,
	 * "store@igb" for one whose driver is called igb. */
	char device[24];
	unsigned speed_mbps, queues, napis;
	uint32_t clock_hz;  /* fec, stmmac */
	uint32_t supported; /* "store": which fields there are */
	bool has_multi_queues, has_per_queue;
	char kernel[65];     /* decides what families and attributes there are; told in place of uname -r;
			      * "": 6.18.0, or 6.1.100 for the variants of such */
	char compatible[64]; /* told as the device tree name, unless "" */
	uint32_t pci_id;     /* told unless 0 */
	bool hides_identity; /* "holdoff-peer" is not offered */
	bool has_no_link;    /* though a speed is told */
	enum peer_extack extack;
	enum peer_misbehaviour misbehaviour;
	unsigned misbehave_at; /* only in the request of this number (of ethtool and netdev, from 1); 0: in all */
	unsigned delay_ms;     /* before each answer, for who wants to kill somebody meanwhile */
};

struct peer_napi {
	uint32_t id, irq, pid, defer_hard_irqs, threaded;
	uint64_t gro_flush_timeout_ns, irq_suspend_timeout_ns;
};

struct peer {
	struct peer_config config;
	bool has_model;
	struct driver driver;                    /* with a model */
	struct coalesce stored[PEER_QUEUES_MAX]; /* without */
	uint32_t supported;
	struct peer_napi napis[PEER_NAPIS_MAX];
	unsigned kernel;            /* 6012000 for 6.12.0 */
	unsigned requests;          /* of ethtool and netdev, so far */
	unsigned sets;              /* that changed something */
	enum peer_misbehaviour now; /* in the request at hand */
	char log[256];              /* the request at hand in words, and what became of it */
};

#define PEER_DATAGRAMS_MAX 32
#define PEER_BYTES_MAX 131072

struct peer_replies {
	unsigned count;
	size_t begins[PEER_DATAGRAMS_MAX], sizes[PEER_DATAGRAMS_MAX];
	size_t used;
	bool hangs_up;
	bool changed;              /* something was set: the state is to be saved */
	size_t notification_bytes; /* for members of the group, or 0 */
	uint8_t notification[2048] __attribute__((aligned(8)));
	uint8_t bytes[PEER_BYTES_MAX] __attribute__((aligned(8)));
};

/* r8169@6.12 at 1 Gb/s, one queue, a kernel that goes with the device, well behaved. */
struct peer_config peer_config_default(void);
/* One option as the program takes it ("--driver", "fec@old"); -ENOENT if there is no such. */
int peer_config_option(struct peer_config *config, const char *name, const char *value, struct err *err);
int peer_init(struct peer *peer, const struct peer_config *config, struct err *err);
/* As the core and the driver do it; 0 or -errno. */
int peer_set(struct peer *peer, const struct coalesce *request);
int peer_get(const struct peer *peer, struct coalesce *reported);
/* What NLMSG_NOOP means is the server's business; all else is answered here. */
void peer_answer(struct peer *peer, const void *request, size_t bytes, struct peer_replies *replies);

/*
 * Text of the whole state: for people, for grep, and to continue from. peer_load leaves a peer alone whose device
 * the text is not about.
 */
void peer_save(const struct peer *peer, const char *path);
void peer_load(struct peer *peer, const char *path);

/*
 * Serves control descriptors (over which clients pass connections, see nic/netlink.h) and listening, a seqpacket
 * socket that gives further ones (or -1), until no control descriptor and no connection is left. Saves to
 * state_path after each change and appends a line per request to log_path; both may be NULL.
 */
void peer_serve(struct peer *peer, int control, int listening, const char *state_path, const char *log_path);

/*
 * Forks a server for a test program; returns the descriptor for HOLDOFF_NETLINK_FD. It ends when the descriptor is
 * closed everywhere.
 */
int peer_start(const struct peer_config *config, const char *state_path, const char *log_path, pid_t *server);

#endif
