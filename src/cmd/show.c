/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff show: what real interfaces are set to, and what it comes to. Reads only, and needs no privilege; what only
 * root may read (the clock of fec in debugfs) is said to be missing. Interfaces are collected, shown and forgotten
 * one by one.
 */
#include "cmd/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

#define DEVICES_MAX 1024
#define CHANGED_MAX 64

enum { OPTION_QUEUES, OPTION_WATCH, OPTION_NETNS, OPTION_JSON };

static const struct cmd_option show_options[] = {
	[OPTION_QUEUES] = { "queues", NULL, "each queue's values, not only those that differ", false },
	[OPTION_WATCH] = { "watch", NULL, "a line for each change of coalescing, until interrupted", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "interfaces of another network namespace (root)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.show/1", false },
};

static const struct cmd_usage show_usage = {
	.name = "show",
	.synopsis = "[OPTIONS] [DEV ...]",
	.about = "Says what interfaces of this machine are set to, and what that comes to: coalescing,\n"
		 "single queues, NAPI instances, interrupt vectors; what the hardware holds back, what\n"
		 "NAPI defers, and the longest delay of both. Nothing is changed. Without DEV: all\n"
		 "interfaces but lo.\n",
	.options = show_options,
	.option_count = sizeof(show_options) / sizeof(show_options[0]),
	.words = "devices",
};

struct show_request {
	const char *names[DEVICES_MAX]; /* of the user, or of list */
	unsigned count;
	bool is_named; /* by the user */
	char list[DEVICES_MAX][IFNAMSIZ];
	bool all_queues, watch, json;
	const char *netns;
};

/* ---- collecting ---- */

static void read_queues(struct nic *nic, struct show_device *device)
{
	const struct nic_identity *identity = &device->identity;
	const uint32_t separate = identity->rx_channels > identity->tx_channels ? identity->rx_channels
										: identity->tx_channels;
	const uint32_t count = identity->has & NIC_HAS_CHANNELS ? identity->combined_channels + separate
								: NIC_QUEUES_MAX;

	for (unsigned i = 0; i < count && i < NIC_QUEUES_MAX; i++) {
		struct show_fault fault = { 0 };

		fault.error = nic_queue_coalesce_get(nic, i, device->coalesce.present, &device->queues[i], &fault.err);
		if (fault.error < 0) {
			/* Without the number of queues the first that does not exist is the end. */
			if (i == 0 || fault.error != -EINVAL) {
				device->queues_fault = fault;
			}
			return;
		}
		device->queue_count++;
	}
}

/* This user's change, else root's. Of a journal that this user cannot read nothing is known, which is no fault. */
static void find_change(struct show_device *device)
{
	struct change_listed *listed = calloc(CHANGED_MAX, sizeof(*listed));

	for (int of_root = 0; listed && of_root < 2 && !device->is_changed; of_root++) {
		const int found = of_root ? change_list_of_root(listed, CHANGED_MAX, NULL)
					  : change_list(listed, CHANGED_MAX, NULL, NULL);

		for (int i = 0; i < found && i < CHANGED_MAX; i++) {
			if (listed[i].ifindex == device->identity.ifindex) {
				device->is_changed = true;
				device->changed = listed[i];
			}
		}
	}
	free(listed);
}

/* -ENODEV: it has vanished. Every other fault is a fact of the device. */
static int collect(struct nic *nic, struct show_device *device, struct err *err)
{
	*device = (struct show_device){ 0 };
	device->identity_fault.error = nic_identify(nic, &device->identity, &device->identity_fault.err);
	if (device->identity_fault.error == -ENODEV) {
		*err = device->identity_fault.err;
		return -ENODEV;
	}
	memcpy(device->name, nic->name, sizeof(device->name));
	device->coalesce_fault.error = nic_coalesce_get(nic, &device->coalesce, &device->coalesce_fault.err);
	if (device->coalesce_fault.error == 0) {
		read_queues(nic, device);
	}
	device->napis_fault.error =
		nic_napi_list(nic, device->napis, NIC_NAPIS_MAX, &device->napi_count, &device->napis_fault.err);
	device->vectors_fault.error = nic_vector_list(nic, device->vectors, NIC_VECTORS_MAX, &device->vector_count,
						      &device->vectors_fault.err);
	if (device->coalesce_fault.error == 0 || device->coalesce_fault.error == -EOPNOTSUPP) {
		nic_model_find(&device->model, &device->identity,
			       device->coalesce_fault.error ? NULL : &device->coalesce);
	}
	show_moderation_find(device);
	find_change(device);
	return 0;
}

/* ---- showing ---- */

/* Where the interfaces go, one after the other. */
struct output {
	const struct show_request *request;
	unsigned shown;
	struct json_writer writer;
};

/* Only when there is something to show: a complaint has no output before it. */
static void begin_document(struct output *output)
{
	if (output->request->json && output->shown == 0) {
		json_begin(&output->writer, stdout);
		json_begin_object(&output->writer, NULL);
		json_put_string(&output->writer, "schema", "holdoff.show/1");
		json_put_string(&output->writer, "version", HOLDOFF_VERSION);
		json_begin_array(&output->writer, "devices");
	}
}

static void end_document(struct output *output)
{
	if (output->request->json) {
		json_end_array(&output->writer);
		json_end_object(&output->writer);
		json_end(&output->writer);
	}
}

static void put_device(struct output *output, const struct show_device *device)
{
	begin_document(output);
	output->shown++;
	if (output->request->json) {
		show_put_json(&output->writer, device);
	} else if (!output->request->is_named && !show_is_worth_a_page(device)) {
		show_print_line(device, stdout);
	} else {
		show_print(device, output->request->all_queues, output->request->netns, stdout);
	}
}

static int show_one(struct output *output, const char *name, struct show_device *device, struct err *err)
{
	struct nic nic;
	int ret = nic_open(&nic, name, err);

	if (ret < 0) {
		return ret;
	}
	ret = collect(&nic, device, err);
	nic_close(&nic);
	if (ret == 0) {
		put_device(output, device);
	}
	return ret;
}

/* One that cannot be shown is said, and the others go on; the status is about it only where none was shown. */
static int show_all(const struct show_request *request)
{
	struct show_device *device = calloc(1, sizeof(*device));
	struct output output = { .request = request };
	int status = CMD_FINE;

	if (!device) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for an interface" });
	}
	for (unsigned i = 0; i < request->count; i++) {
		struct err err = { "" };
		const int ret = show_one(&output, request->names[i], device, &err);

		if (ret < 0) {
			status = cmd_fail(ret, &err);
		}
	}
	free(device);
	if (output.shown == 0 && request->count > 0) {
		return status;
	}
	begin_document(&output);
	end_document(&output);
	if (request->count == 0 && !request->json) {
		puts("there is no interface but lo");
	}
	return CMD_FINE;
}

static int watch_all(const struct show_request *request)
{
	struct nic *nics = calloc(request->count ? request->count : 1, sizeof(*nics));
	unsigned opened = 0;
	int status = CMD_FINE;

	if (!nics) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the interfaces" });
	}
	for (unsigned i = 0; i < request->count; i++) {
		struct err err = { "" };
		const int ret = nic_open(&nics[opened], request->names[i], &err);

		if (ret < 0) {
			status = cmd_fail(ret, &err);
		} else {
			opened++;
		}
	}
	if (opened) {
		status = show_watch(nics, opened, request->json);
	}
	for (unsigned i = 0; i < opened; i++) {
		nic_close(&nics[i]);
	}
	free(nics);
	return status;
}

/* ---- the command line ---- */

static int take(struct show_request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_QUEUES:
			request->all_queues = true;
			break;
		case OPTION_WATCH:
			request->watch = true;
			break;
		case OPTION_NETNS:
			request->netns = value;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			if (request->count == DEVICES_MAX) {
				return cmd_usage_error(&show_usage, "too many interfaces: at most %d", DEVICES_MAX);
			}
			request->names[request->count++] = value;
			break;
		default:
			return arguments->status;
		}
	}
	request->is_named = request->count > 0;
	return -1;
}

static int list_all(struct show_request *request, struct err *err)
{
	const int found = nic_list(request->list, DEVICES_MAX, err);

	for (int i = 0; i < found && i < DEVICES_MAX; i++) {
		if (strcmp(request->list[i], "lo") != 0) {
			request->names[request->count++] = request->list[i];
		}
	}
	return found < 0 ? found : 0;
}

static int run(struct show_request *request)
{
	struct err err = { "" };
	int ret = request->netns ? nic_enter_netns(request->netns, &err) : 0;

	if (ret == 0 && !request->is_named) {
		ret = list_all(request, &err);
	}
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	return request->watch ? watch_all(request) : show_all(request);
}

int cmd_show(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct show_request *request = calloc(1, sizeof(*request));

	if (!request) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for a list of interfaces" });
	}
	cmd_arguments_init(&arguments, &show_usage, argc, argv);
	int status = take(request, &arguments);
	if (status < 0) {
		status = run(request);
	}
	free(request);
	return status;
}
