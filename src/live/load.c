/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/load.h"

#include <errno.h>
#include <stdio.h>

#include "live/load_private.h"
#include "nic/nic.h"

void load_spoil(struct load_result *result, const char *why)
{
	if (!result->is_incomplete) {
		result->is_incomplete = true;
		snprintf(result->why, sizeof(result->why), "%s", why);
	}
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

int load_run(const struct load_request *request, struct load_result *result, struct err *err)
{
	struct load load = { .request = request };

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
	switch (request->means) {
	case FIT_PEER:
		return load_with_peer(&load, result, err);
	case FIT_ECHO:
		return load_with_echo(&load, result, err);
	case FIT_IPERF3:
		return load_with_iperf3(&load, result, err);
	}
	return -EINVAL;
}
