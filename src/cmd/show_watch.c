/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what there is, then follows the kernel's notifications: after each, the interface's coalescing is read and
 * compared with what it was. A notification without a difference prints nothing. What changes without a notification
 * (a driver that loses settings at ifdown, single queues over the old ioctl) is seen with the next one only.
 */
#include <errno.h>
#include <net/if.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "report/run_json.h"

/* How long a signal may go unnoticed. */
#define WAIT_MS 200

/* An interface, and what it was when last looked at. */
struct watched {
	struct nic *nic;
	bool is_gone;
	bool is_known; /* has been looked at */
	struct coalesce settings;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = stop };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- printing ---- */

static struct coalesce only(const struct coalesce *settings, uint32_t mask)
{
	struct coalesce kept = *settings;

	kept.present &= mask;
	return kept;
}

static void print_time(void)
{
	const time_t now = time(NULL);
	char at[32];
	struct tm local;

	localtime_r(&now, &local);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%S%z", &local);
	printf("%s ", at);
}

/* What changed, or at first all that there is. */
static void print_line(const struct watched *watched, const struct coalesce *after, uint32_t changed)
{
	const struct coalesce was = only(&watched->settings, changed), is = only(after, changed);
	char was_text[COALESCE_TEXT_MAX], is_text[COALESCE_TEXT_MAX];

	print_time();
	printf("%s: %s", watched->nic->name, is.present ? coalesce_print(&is, is_text) : "no coalescing");
	if (watched->is_known) {
		printf(", was %s", was.present ? coalesce_print(&was, was_text) : "unsupported");
	}
	putchar('\n');
}

static void put_document(FILE *out, const struct watched *watched, const struct coalesce *after, uint32_t changed)
{
	const struct coalesce was = only(&watched->settings, changed), is = only(after, changed);
	struct json_writer writer;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.watch/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_integer(&writer, "unix_time_ns", (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec);
	json_put_string(&writer, "name", watched->nic->name);
	json_put_integer(&writer, "ifindex", watched->nic->ifindex);
	if (watched->is_known) {
		run_json_put_settings(&writer, "changed", &is);
		run_json_put_settings(&writer, "before", &was);
	}
	run_json_put_settings(&writer, "coalesce", after);
	json_end_object(&writer);
	json_end(&writer);
}

/* Without its line ends: texts have none of their own. */
static void print_on_one_line(const char *document)
{
	for (const char *at = document; *at; at++) {
		if (*at != '\n') {
			putchar(*at);
			continue;
		}
		if (at > document && at[-1] == ',') {
			putchar(' ');
		}
		at += strspn(at, "\n ") - 1;
	}
	putchar('\n');
}

static void print_json(const struct watched *watched, const struct coalesce *after, uint32_t changed)
{
	char *document = NULL;
	size_t size;
	FILE *out = open_memstream(&document, &size);

	if (!out) {
		return;
	}
	put_document(out, watched, after, changed);
	fclose(out);
	print_on_one_line(document);
	free(document);
}

/* ---- watching ---- */

static struct coalesce read_settings(struct watched *watched)
{
	struct coalesce settings = { 0 };
	struct err err = { "" };
	const int ret = nic_coalesce_get(watched->nic, &settings, &err);

	if (ret == -ENODEV) {
		watched->is_gone = true;
		fprintf(stderr, "holdoff: %s\n", err.text);
	} else if (ret < 0 && ret != -EOPNOTSUPP) {
		fprintf(stderr, "holdoff: %s\n", err.text);
		settings = watched->settings;
	}
	return settings;
}

/* A name may have changed, the number does not. */
static void follow_name(struct nic *nic)
{
	char name[IFNAMSIZ];

	if (if_indextoname((unsigned)nic->ifindex, name)) {
		snprintf(nic->name, sizeof(nic->name), "%s", name);
	}
}

static void look_at(struct watched *watched, bool json)
{
	follow_name(watched->nic);

	const struct coalesce settings = read_settings(watched);
	const uint32_t changed = coalesce_difference(&watched->settings, &settings);

	if (watched->is_gone || (watched->is_known && !changed)) {
		return;
	}
	if (json) {
		print_json(watched, &settings, changed);
	} else {
		print_line(watched, &settings, changed);
	}
	fflush(stdout);
	watched->settings = settings;
	watched->is_known = true;
}

/* The kernel does not notify this group of interfaces that go. */
static void look_for_gone(struct watched *all, unsigned count)
{
	char name[IFNAMSIZ];

	for (unsigned i = 0; i < count; i++) {
		if (!all[i].is_gone && !if_indextoname((unsigned)all[i].nic->ifindex, name) &&
		    (errno == ENXIO || errno == ENODEV)) {
			all[i].is_gone = true;
			fprintf(stderr, "holdoff: the interface %s (index %d) is gone\n", all[i].nic->name,
				all[i].nic->ifindex);
		}
	}
}

static unsigned count_present(const struct watched *all, unsigned count)
{
	unsigned present = 0;

	for (unsigned i = 0; i < count; i++) {
		present += !all[i].is_gone;
	}
	return present;
}

static int follow(struct watched *all, unsigned count, bool json, struct err *err)
{
	int ifindex;

	while (!stopped && !ferror(stdout)) {
		const int ret = nic_watch(all[0].nic, WAIT_MS, &ifindex, err);

		if (ret < 0 && ret != -EINTR) {
			return ret;
		}
		for (unsigned i = 0; ret == 0 && ifindex && i < count; i++) {
			if (!all[i].is_gone && (ifindex == NIC_WATCH_ALL || all[i].nic->ifindex == ifindex)) {
				look_at(&all[i], json);
			}
		}
		look_for_gone(all, count);
		if (count_present(all, count) == 0) {
			return err_set(err, -ENODEV, "no interface is left to watch");
		}
	}
	return 0;
}

int show_watch(struct nic *nics, unsigned count, bool json)
{
	struct watched *all = calloc(count, sizeof(*all));
	struct err err = { "" };

	if (!all) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the interfaces" });
	}
	catch_signals();
	int ret = nic_watch_open(&nics[0], &err);
	for (unsigned i = 0; ret == 0 && i < count; i++) {
		all[i].nic = &nics[i];
		look_at(&all[i], json);
	}
	if (ret == 0) {
		ret = follow(all, count, json, &err);
	}
	free(all);
	return ret < 0 ? cmd_fail(ret, &err) : CMD_FINE;
}
