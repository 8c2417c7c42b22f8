/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/from_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 16

/* Interfaces of which there are events. */
struct devices {
	char name[DEVICES_MAX][64];
	unsigned count;
	uint64_t events; /* of interfaces or not */
};

struct pass {
	struct from_file *trace;
	struct devices devices;
	struct path *path;
};

static void note_device(struct pass *pass, const struct path_event *event)
{
	struct devices *const devices = &pass->devices;

	devices->events++;
	/* A poll of no interface is the backlog's. */
	if (event->device[0] == '\0' || event->kind == PATH_EVENT_IRQ || event->device[0] == '(') {
		return;
	}
	for (unsigned i = 0; i < devices->count; i++) {
		if (strcmp(devices->name[i], event->device) == 0) {
			return;
		}
	}
	if (devices->count < DEVICES_MAX) {
		memcpy(devices->name[devices->count++], event->device, sizeof(event->device));
	}
}

static void learn(struct pass *pass, const struct path_event *event)
{
	path_learn(pass->path, event);
}

static void match(struct pass *pass, const struct path_event *event)
{
	if (path_take_event(pass->path, event)) {
		pass->trace->events += event->kind != PATH_EVENT_LOST;
	} else {
		pass->trace->unusable++;
	}
}

/* All events of the file, one after the other. */
static int each_event(FILE *file, const char *name, struct pass *pass,
		      void (*take)(struct pass *pass, const struct path_event *event), struct err *err)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	memset(&pass->trace->facts, 0, sizeof(pass->trace->facts));
	rewind(file);
	while ((length = getline(&line, &size, file)) > 0) {
		struct path_event event;
		const enum ftrace_line kind = ftrace_read(line, (size_t)length, &event, &pass->trace->facts);

		if (kind == FTRACE_LOST) {
			event.kind = PATH_EVENT_LOST;
		}
		if (kind != FTRACE_OTHER) {
			take(pass, &event);
		}
	}
	free(line);
	return ferror(file) ? err_set(err, -EIO, "%s: cannot be read", name) : 0;
}

static void list_devices(const struct devices *devices, char text[ERR_TEXT_MAX])
{
	size_t length = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < devices->count && length < ERR_TEXT_MAX; i++) {
		length +=
			(size_t)snprintf(text + length, ERR_TEXT_MAX - length, "%s%s", i ? ", " : "", devices->name[i]);
	}
}

static int choose_device(struct pass *pass, const char *name, struct err *err)
{
	const struct devices *const devices = &pass->devices;
	char *const wanted = pass->trace->device;
	char names[ERR_TEXT_MAX];

	list_devices(devices, names);
	if (devices->events == 0) {
		return err_set(err, -EINVAL,
			       "%s has no event of the kernel's tracer that is of use here (as text, of trace_pipe or "
			       "trace-cmd report)",
			       name);
	}
	if (wanted[0] == '\0' && devices->count > 1) {
		return err_set(err, -EINVAL, "%s has events of several interfaces, name one: %s", name, names);
	}
	if (wanted[0] == '\0' || devices->count == 0) {
		snprintf(wanted, sizeof(pass->trace->device), "%s", devices->count ? devices->name[0] : "");
		return 0;
	}
	for (unsigned i = 0; i < devices->count; i++) {
		if (strcmp(devices->name[i], wanted) == 0) {
			return 0;
		}
	}
	return err_set(err, -EINVAL, "%s has no event of %s, but of %s", name, wanted, names);
}

int from_file_read(FILE *file, const char *name, struct from_file *trace, struct err *err)
{
	struct pass pass = { .trace = trace };
	int ret = each_event(file, name, &pass, note_device, err);

	trace->events = trace->unusable = 0;
	if (ret == 0) {
		ret = choose_device(&pass, name, err);
	}
	pass.path = ret ? NULL : path_new(trace->device);
	if (ret == 0 && !pass.path) {
		ret = err_set(err, -ENOMEM, "no memory for a trace");
	}
	if (ret == 0) {
		ret = each_event(file, name, &pass, learn, err);
	}
	if (ret == 0) {
		ret = each_event(file, name, &pass, match, err);
	}
	if (ret == 0) {
		path_result(pass.path, &trace->result);
	}
	path_free(pass.path);
	return ret;
}
