/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few members of the kernel's types that our BPF programs read. libbpf finds where they are in the running kernel
 * by its BTF (CO-RE), so only their names matter here, not their place.
 */
#ifndef HOLDOFF_TRACE_KERNEL_H
#define HOLDOFF_TRACE_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>

/* include/linux/interrupt.h; part of the tracepoints' interface since they exist. */
enum { SOFTIRQ_NET_TX = 2, SOFTIRQ_NET_RX = 3 };

#ifdef __bpf__
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct ns_common {
	unsigned inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

struct napi_struct {
	struct net_device *dev;
};

struct sk_buff {
	struct net_device *dev;
	unsigned char *head, *data;
	unsigned len;
	__u16 network_header;
	__be16 protocol;
};

struct irqaction {
	const char *name;
};

struct task_struct {
	int pid;
};

#ifdef __bpf__
#pragma clang attribute pop
#endif

#endif
