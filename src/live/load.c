/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/load.h"

#include <errno.h>
#include <stdio.h>

#include "base/text.h"
#include "base/time.h"
#include "live/clocks.h"
#include "live/load_private.h"
#include "nic/nic.h"

void load_spoil(struct load_result *result, const char *why)
{
	if (!result->is_incomplete) {
		result->is_incomplete = true;
		snprintf(result->why, sizeof(result->why), "%s", why);
	}
}

bool load_look_at_link(const struct load *load, struct load_result *result)
{
	enum link_change change;
	char name[IFNAMSIZ], at[TEXT_DURATION_MAX];

	while (link_watch_next(&load->link->watch, &change, name)) {
		const int64_t at_ns = clocks_monotonic_ns() - load->link->since_ns;

		if (result->link_trouble[0] || change == LINK_RENAMED || change == LINK_CAME_UP ||
		    change == LINK_HAS_CARRIER) {
			continue;
		}
		snprintf(result->link_trouble, sizeof(result->link_trouble), "%s %s, %s into the load", name,
			 link_change_words(change), text_print_duration(at_ns / NS_PER_MS * NS_PER_MS, at));
	}
	return !load->link->watch.told.is_gone;
}

/* The index alone is needed: the interface may be renamed meanwhile. */
static int find_device(const char *name, int *ifindex, struct err *err)
{
	struct nic nic;
	const int ret = nic_open(&nic, name, err);

	if (ret == 0) {
		*ifindex = nic.ifindex;
		nic_close(&nic);
	}
	return ret;
}

static int find_addresses(struct load *load, struct err *err)
{
	const struct load_request *const request = load->request;
	int ret = request->device ? find_device(request->device, &load->ifindex, err) : 0;

	if (ret == 0) {
		ret = address_resolve(request->host, &load->to, err);
	}
	if (ret == 0) {
		ret = address_on_route(&load->to, load->ifindex, &load->from, err);
	}
	if (ret == 0) {
		load->out_ifindex = load->ifindex ? load->ifindex : address_interface(&load->from);
	}
	return ret;
}

static int run(const struct load *load, struct load_result *result, struct err *err)
{
	switch (load->request->means) {
	case FIT_PEER:
		return load_with_peer(load, result, err);
	case FIT_ECHO:
		return load_with_echo(load, result, err);
	case FIT_IPERF3:
		return load_with_iperf3(load, result, err);
	}
	return -EINVAL;
}

int load_run(const struct load_request *request, struct load_result *result, struct err *err)
{
	struct load_link link = { .watch = { .fd = -1 } };
	struct load load = { .request = request, .link = &link };

	*result = (struct load_result){ .has_rtt = false };
	int ret = fit_check(&request->workload, request->both, request->means, err);

	if (ret == 0) {
		ret = find_addresses(&load, err);
	}
	if (ret) {
		return ret;
	}
	address_print(&load.to, result->address);
	address_print(&load.from, result->source);
	if (load.out_ifindex && !if_indextoname((unsigned)load.out_ifindex, result->device)) {
		result->device[0] = '\0';
	}
	/* Without it nothing is missing but the reason when something is lost. */
	if (load.out_ifindex) {
		link_watch_open(&link.watch, load.out_ifindex, NULL);
	}
	link.since_ns = clocks_monotonic_ns();
	ret = run(&load, result, err);
	load_look_at_link(&load, result);
	link_watch_close(&link.watch);
	return ret;
}
