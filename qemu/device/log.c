/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/log.h"

#include "qemu/timer.h"

static FILE *file;

bool log_open(Error **errp)
{
	const char *path = getenv("HOLDOFF_EVENTS");

	if (file || !path || !*path) {
		return true;
	}
	file = fopen(path, "w");
	if (!file) {
		error_setg_errno(errp, errno, "cannot write the event log \"%s\"", path);
	}
	return file != NULL;
}

bool log_wanted(void)
{
	return file != NULL;
}

void log_event(const char *device, const char *format, ...)
{
	va_list values;

	if (!file) {
		return;
	}
	fprintf(file, "%" PRId64 " %s ", qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), device);
	va_start(values, format);
	vfprintf(file, format, values);
	va_end(values);
	putc('\n', file);
}
