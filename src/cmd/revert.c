/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff revert and holdoff confirm: what becomes of earlier changes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "change/change.h"
#include "change/request.h"
#include "cmd/change_rows.h"
#include "cmd/cmd.h"
#include "report/json_writer.h"

#define LABEL_WIDTH 12
#define NAME_MAX_BYTES 128 /* alternative names may be so long */

enum { REVERT_FORCE, REVERT_LIST, REVERT_NETNS, REVERT_JSON };

static const struct cmd_option revert_options[] = {
	[REVERT_FORCE] = { "force", NULL, "also what somebody else has changed since", false },
	[REVERT_LIST] = { "list", NULL, "only say what there is to put back", false },
	[REVERT_NETNS] = { "netns", "NAME|PATH", "in this network namespace", false },
	[REVERT_JSON] = { "json", NULL, "one JSON document, schema holdoff.revert/1", false },
};

static const struct cmd_usage revert_usage = {
	.name = "revert",
	.synopsis = "[DEV ...]",
	.about = "Puts back what holdoff has changed, whoever ran it: of these interfaces, or of all\n"
		 "that have a journal entry. Back means that the old values are reported again.\n",
	.options = revert_options,
	.option_count = sizeof(revert_options) / sizeof(revert_options[0]),
	.words = "devices",
};

enum { CONFIRM_NETNS, CONFIRM_JSON };

static const struct cmd_option confirm_options[] = {
	[CONFIRM_NETNS] = { "netns", "NAME|PATH", "in this network namespace", false },
	[CONFIRM_JSON] = { "json", NULL, "one JSON document, schema holdoff.confirm/1", false },
};

static const struct cmd_usage confirm_usage = {
	.name = "confirm",
	.synopsis = "[DEV ...]",
	.about = "Keeps what holdoff set --until-confirmed or --for has changed: of these interfaces,\n"
		 "or of all that are on trial. holdoff revert can still put it back later.\n",
	.options = confirm_options,
	.option_count = sizeof(confirm_options) / sizeof(confirm_options[0]),
	.words = "devices",
};

/* One interface and what became of it. */
struct device_result {
	char name[NAME_MAX_BYTES];
	int ifindex;     /* of the entry, 0 when named by the user */
	int error;       /* 0 or negative errno */
	bool is_dropped; /* the entry was stale */
	struct err err;
	struct change_reverted reverted;
};

struct request {
	const struct cmd_usage *usage;
	const char *netns;
	bool force, list, json;
	unsigned count, room;
	struct device_result *devices;
	struct change_listed *listed; /* for those that were not named */
	unsigned listed_count;
};

static bool is_named(const struct request *request, const char *name, int ifindex)
{
	for (unsigned i = 0; i < request->count; i++) {
		if (strcmp(request->devices[i].name, name) == 0 ||
		    (ifindex && request->devices[i].ifindex == ifindex)) {
			return true;
		}
	}
	return false;
}

static bool make_room(struct request *request)
{
	const unsigned room = request->count < request->room ? request->room : 2 * request->room + 8;
	struct device_result *const devices = realloc(request->devices, room * sizeof(*devices));

	if (!devices) {
		return false;
	}
	request->devices = devices;
	request->room = room;
	return true;
}

static int add_device(struct request *request, const char *name, int ifindex)
{
	if (!ifindex && is_named(request, name, 0)) {
		return -1; /* twice is once */
	}
	if (!make_room(request)) {
		fputs("holdoff: out of memory\n", stderr);
		return CMD_USAGE;
	}
	if (strlen(name) >= NAME_MAX_BYTES) {
		return cmd_usage_error(request->usage, "\"%.40s\" is too long to be the name of an interface", name);
	}
	struct device_result *const device = &request->devices[request->count++];

	memset(device, 0, sizeof(*device));
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->ifindex = ifindex;
	return -1;
}

static int take_revert(struct request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option, status = -1;

	while (status < 0 && (option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case REVERT_FORCE:
			request->force = true;
			break;
		case REVERT_LIST:
			request->list = true;
			break;
		case REVERT_NETNS:
			request->netns = value;
			break;
		case REVERT_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			status = add_device(request, value, 0);
			break;
		default:
			return arguments->status;
		}
	}
	return status;
}

static int take_confirm(struct request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option, status = -1;

	while (status < 0 && (option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case CONFIRM_NETNS:
			request->netns = value;
			break;
		case CONFIRM_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			status = add_device(request, value, 0);
			break;
		default:
			return arguments->status;
		}
	}
	return status;
}

/* ---- one interface ---- */

/* One of the journal must be the very interface: it may have another name now, and another interface its name. */
static int open_device(struct device_result *device, struct nic *nic, struct err *err)
{
	char name[IFNAMSIZ];

	if (device->ifindex && if_indextoname((unsigned)device->ifindex, name)) {
		memcpy(device->name, name, sizeof(name));
	}
	const int ret = nic_open(nic, device->name, err);

	if (ret == 0 && device->ifindex && nic->ifindex != device->ifindex) {
		nic_close(nic);
		return -ENODEV;
	}
	if (ret == 0) {
		memcpy(device->name, nic->name, sizeof(nic->name)); /* it may have been another one of its names */
	}
	return ret;
}

/* Its interface is gone, and its settings with it. */
static void forget(struct device_result *device)
{
	struct err err = { "" };

	device->error = change_forget(device->ifindex, &err);
	if (device->error) {
		device->err = err;
		return;
	}
	device->is_dropped = true;
	err_set(&device->err, 0, "%s is gone, and with it what was changed (its journal entry is dropped)",
		device->name);
}

static void revert_one(struct device_result *device, bool force)
{
	struct nic nic;

	device->error = open_device(device, &nic, &device->err);
	if (device->error == -ENODEV && device->ifindex) {
		forget(device);
	}
	if (device->error || device->is_dropped) {
		return;
	}
	device->error = change_revert_device(&nic, force, &device->reverted, &device->err);
	device->is_dropped = device->reverted.is_stale;
	nic_close(&nic);
}

static void confirm_one(struct device_result *device)
{
	struct nic nic;

	device->error = open_device(device, &nic, &device->err);
	if (device->error == -ENODEV && !device->err.text[0]) {
		err_set(&device->err, -ENODEV, "%s is not the interface any more that was changed", device->name);
	}
	if (device->error == 0) {
		device->error = change_confirm(&nic, &device->err);
		nic_close(&nic);
	}
}

static int status_of(int error)
{
	switch (error) {
	case 0:
		return CMD_FINE;
	case -EPERM:
	case -EACCES:
		return CMD_PERMISSION;
	case -ENODEV:
		return CMD_NO_DEVICE;
	case -ENOENT:
	case -ESTALE:
	case -EBUSY:
		return CMD_NEGATIVE;
	default:
		return CMD_REVERT_FAILED;
	}
}

/* The worst of all: a revert that failed before everything else. */
static int worse(int a, int b)
{
	return a > b ? a : b;
}

static void say_failure(const struct device_result *device)
{
	const bool failed = status_of(device->error) == CMD_REVERT_FAILED;
	const char *const text = device->err.text[0] ? device->err.text : strerror(-device->error);

	if (failed) {
		fprintf(stderr, "holdoff: %s COULD NOT BE PUT BACK and its journal entry is kept: %s\n", device->name,
			text);
	} else {
		fprintf(stderr, "holdoff: %s\n", text);
	}
}

/* ---- text ---- */

static void print_reverted(const struct request *request, const struct device_result *device)
{
	char netns[CMD_NETNS_MAX];

	fprintf(stdout, "%-*s%s\n", LABEL_WIDTH, "interface", device->name);
	change_set_print(&device->reverted.back, "put back", stdout);
	change_set_print(&device->reverted.foreign, "left alone", stdout);
	if (device->error == 0) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "verdict", "%s",
				   change_set_is_empty(&device->reverted.back) ? "it was so already"
									       : "as it was before");
	} else {
		cmd_print_labelled(stdout, LABEL_WIDTH, "verdict",
				   "not all is as it was before: holdoff revert %s%s --force puts the rest back too",
				   device->name, cmd_netns_words(request->netns, netns));
	}
}

/* A user's journal is not root's: what root has changed is not seen there. */
static void print_nothing(void)
{
	cmd_print_labelled(stdout, LABEL_WIDTH, "verdict", "there is nothing to put back%s",
			   geteuid() == 0 ? "" : " that this user has changed");
}

static void print_listed(const struct change_listed *listed)
{
	char left[TEXT_DURATION_MAX];

	fprintf(stdout, "%-*s%s\n", LABEL_WIDTH, "interface", listed->name);
	if (!listed->is_damaged) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "changed by", "%s", listed->command);
		cmd_print_labelled(stdout, LABEL_WIDTH, "since", "%s", listed->since);
	}
	if (listed->helper_is_gone) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "put back",
				   "not by itself any more, its helper is gone: holdoff revert %s does it",
				   listed->name);
	} else if (listed->left_ns != NEVER_AT_NS) {
		text_print_duration(listed->left_ns - listed->left_ns % NS_PER_MS, left);
		cmd_print_labelled(stdout, LABEL_WIDTH, "put back", "in %s%s", left,
				   listed->until_confirmed ? " unless confirmed" : "");
	}
	if (listed->failure[0]) {
		cmd_print_labelled(stdout, LABEL_WIDTH, listed->is_damaged ? "damaged" : "failed", "%s",
				   listed->failure);
	}
}

/* ---- JSON ---- */

static void put_reverted(struct json_writer *writer, const struct device_result *device)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "device", device->name);
	json_put_string(writer, "verdict",
			device->is_dropped         ? "stale"
			: device->error == 0       ? "put_back"
			: device->error == -ENOENT ? "nothing_to_do"
			: device->error == -ESTALE ? "changed_by_others"
						   : "failed");
	change_set_put(&device->reverted.back, "put_back", writer);
	change_set_put(&device->reverted.foreign, "left_alone", writer);
	if (device->err.text[0]) {
		json_put_string(writer, "message", device->err.text);
	}
	json_end_object(writer);
}

static void put_confirmed(struct json_writer *writer, const struct device_result *device)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "device", device->name);
	json_put_boolean(writer, "confirmed", device->error == 0);
	if (device->err.text[0]) {
		json_put_string(writer, "message", device->err.text);
	}
	json_end_object(writer);
}

static void put_listed(struct json_writer *writer, const struct change_listed *listed)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "device", listed->name);
	json_put_string(writer, "verdict", listed->is_damaged ? "damaged" : "listed");
	if (!listed->is_damaged) {
		json_put_string(writer, "command", listed->command);
		json_put_string(writer, "since", listed->since);
	}
	if (listed->left_ns != NEVER_AT_NS) {
		json_put_integer(writer, "put_back_after_ns", listed->left_ns);
		json_put_boolean(writer, "until_confirmed", listed->until_confirmed);
	}
	if (listed->helper_is_gone) {
		json_put_boolean(writer, "helper_is_gone", true);
	}
	if (listed->failure[0]) {
		json_put_string(writer, "message", listed->failure);
	}
	json_end_object(writer);
}

static void put_document(const struct request *request, const char *schema,
			 void (*put)(struct json_writer *, const struct device_result *))
{
	struct json_writer writer;

	json_begin(&writer, stdout);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", schema);
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_begin_array(&writer, "devices");
	for (unsigned i = 0; request->list && i < request->listed_count; i++) {
		put_listed(&writer, &request->listed[i]);
	}
	for (unsigned i = 0; !request->list && i < request->count; i++) {
		put(&writer, &request->devices[i]);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_end(&writer);
}

/* ---- all of them ---- */

/* What the journal holds; stale entries are dropped, and said once. */
static int read_list(struct request *request)
{
	struct err err = { "" };
	unsigned stale;
	int count = change_list(NULL, 0, &stale, &err);

	if (count >= 0 && stale) {
		fprintf(stderr, "holdoff: %s\n", err.text);
	}
	const unsigned room = count > 0 ? (unsigned)count : 0;

	request->listed = room ? calloc(room, sizeof(*request->listed)) : NULL;
	if (request->listed) {
		count = change_list(request->listed, room, NULL, &err);
	} else if (room) {
		count = err_set(&err, -ENOMEM, "out of memory");
	}
	if (count < 0) {
		fprintf(stderr, "holdoff: %s\n", err.text);
		return status_of(count);
	}
	request->listed_count = (unsigned)count < room ? (unsigned)count : room;
	return -1;
}

/* Alternative names are those of an interface too. */
static void find_named(struct request *request)
{
	struct nic nic;

	for (unsigned i = 0; i < request->count; i++) {
		if (nic_open(&nic, request->devices[i].name, NULL) == 0) {
			request->devices[i].ifindex = nic.ifindex;
			nic_close(&nic);
		}
	}
}

static int list_them(struct request *request)
{
	unsigned count = 0;
	int status = CMD_FINE;

	find_named(request);
	for (unsigned i = 0; i < request->listed_count; i++) {
		if (!request->count || is_named(request, request->listed[i].name, request->listed[i].ifindex)) {
			status = request->listed[i].is_damaged ? CMD_REVERT_FAILED : status;
			request->listed[count++] = request->listed[i];
		}
	}
	request->listed_count = count;
	if (request->json) {
		put_document(request, "holdoff.revert/1", put_reverted);
		return status;
	}
	for (unsigned i = 0; i < count; i++) {
		print_listed(&request->listed[i]);
	}
	if (!count) {
		print_nothing();
	}
	return status;
}

static int add_listed(struct request *request, bool only_trials)
{
	int status = -1;

	for (unsigned i = 0; status < 0 && i < request->listed_count; i++) {
		if (!only_trials || request->listed[i].has_trial || request->listed[i].is_damaged) {
			status = add_device(request, request->listed[i].name, request->listed[i].ifindex);
		}
	}
	return status;
}

static int revert_all(struct request *request)
{
	int status = CMD_FINE;

	for (unsigned i = 0; i < request->count; i++) {
		struct device_result *const device = &request->devices[i];

		revert_one(device, request->force);
		status = worse(status, status_of(device->error));
		if (device->error || device->is_dropped) {
			say_failure(device);
		}
		if (!request->json && !device->is_dropped && (device->error == 0 || device->error == -ESTALE)) {
			print_reverted(request, device);
		}
	}
	if (request->json) {
		put_document(request, "holdoff.revert/1", put_reverted);
	} else if (!request->count) {
		print_nothing();
	}
	return status;
}

static int confirm_all(struct request *request)
{
	char netns[CMD_NETNS_MAX];
	int status = CMD_FINE;

	for (unsigned i = 0; i < request->count; i++) {
		struct device_result *const device = &request->devices[i];

		confirm_one(device);
		status = worse(status,
			       status_of(device->error) == CMD_REVERT_FAILED ? CMD_NEGATIVE : status_of(device->error));
		if (device->error) {
			fprintf(stderr, "holdoff: %s\n",
				device->err.text[0] ? device->err.text : strerror(-device->error));
		} else if (!request->json) {
			cmd_print_labelled(stdout, LABEL_WIDTH, "confirmed",
					   "%s stays as it is; holdoff revert %s%s puts it back", device->name,
					   device->name, cmd_netns_words(request->netns, netns));
		}
	}
	if (request->json) {
		put_document(request, "holdoff.confirm/1", put_confirmed);
	} else if (!request->count) {
		fprintf(stderr, "holdoff: nothing is on trial\n");
	}
	return request->count ? status : CMD_NEGATIVE;
}

static int enter(const struct request *request)
{
	struct err err = { "" };
	const int ret = request->netns ? nic_enter_netns(request->netns, &err) : 0;

	return ret ? cmd_fail(ret, &err) : -1;
}

typedef int take_fn(struct request *request, struct cmd_arguments *arguments);

static int run(struct request *request, take_fn *take, bool is_confirm, int argc, char **argv)
{
	struct cmd_arguments arguments;

	cmd_arguments_init(&arguments, request->usage, argc, argv);
	int status = take(request, &arguments);
	const bool is_open = status < 0 && (request->count == 0 || request->list);

	status = status < 0 ? enter(request) : status;
	if (status < 0 && is_open) {
		status = read_list(request);
	}
	if (status < 0 && request->list) {
		return list_them(request);
	}
	if (status < 0 && is_open) {
		status = add_listed(request, is_confirm);
	}
	if (status >= 0) {
		return status;
	}
	return is_confirm ? confirm_all(request) : revert_all(request);
}

static int run_with_memory(const struct cmd_usage *usage, take_fn *take, bool is_confirm, int argc, char **argv)
{
	struct request request = { .usage = usage };
	const int status = run(&request, take, is_confirm, argc, argv);

	free(request.devices);
	free(request.listed);
	return status;
}

int cmd_revert(int argc, char **argv)
{
	return run_with_memory(&revert_usage, take_revert, false, argc, argv);
}

int cmd_confirm(int argc, char **argv)
{
	return run_with_memory(&confirm_usage, take_confirm, true, argc, argv);
}
