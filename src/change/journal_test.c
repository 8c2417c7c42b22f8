/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal entries: as written, torn, changed, foreign, on a full disk; and how layers are merged. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "change/journal.h"
#include "change/request.h"
#include "tap.h"

static char folder[64] = "/tmp/holdoff-journal-XXXXXX";
static char path[JOURNAL_PATH_MAX];
static struct journal journal, again;
static struct err err;

static const struct nic_identity identity = {
	.has = NIC_HAS_DRIVER | NIC_HAS_PERMANENT_ADDRESS,
	.name = "eth7",
	.ifindex = 7,
	.permanent_address = { 2, 0, 0, 0, 0, 7 },
	.permanent_address_bytes = 6,
	.driver = "r8169",
	.bus = "0000:00:03.0",
};

static void fill(void)
{
	struct journal_layer *const open = &journal.open;

	journal_init(&journal, &identity, &err);
	open->is_present = open->is_applied = open->until_confirmed = true;
	open->token = 0x1234567890abcdef >> 2;
	open->deadline_at_ns = 123456789012345;
	open->speed_mbps = 100;
	open->pid = 4711;
	snprintf(open->command, sizeof(open->command), "holdoff set eth7 # rx-usecs 20; \"x\" = [y]");
	snprintf(open->since, sizeof(open->since), "2026-11-30 21:10:00 +0000");
	snprintf(open->failure, sizeof(open->failure), "the kernel says: \n no");
	coalesce_put(&open->old.device, COALESCE_RX_USECS, 1229);
	coalesce_put(&open->old.device, COALESCE_ADAPTIVE_RX, 1);
	coalesce_put(&open->left.device, COALESCE_RX_USECS, 21);
	coalesce_put(&open->left.device, COALESCE_ADAPTIVE_RX, 0);
	open->device_changed = COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_ADAPTIVE_RX);
	coalesce_put(&change_set_queue(&open->old, 3, true)->settings, COALESCE_TX_USECS, UINT32_MAX);
	coalesce_put(&change_set_queue(&open->left, 3, true)->settings, COALESCE_TX_USECS, 0);
	change_napi_put(change_set_napi(&open->old, 513, true), NIC_NAPI_GRO_FLUSH_TIMEOUT, UINT64_MAX);
	change_napi_put(change_set_napi(&open->left, 513, true), NIC_NAPI_GRO_FLUSH_TIMEOUT, 20000);
	journal.kept = *open;
	journal.kept.deadline_at_ns = NEVER_AT_NS;
	journal.kept.until_confirmed = false;
	journal.kept.token = 1;
}

static void check_same(const struct journal_layer *a, const struct journal_layer *b, const char *name)
{
	tap_ok(a->is_present == b->is_present && a->is_applied == b->is_applied &&
		       a->until_confirmed == b->until_confirmed,
	       "%s: the switches", name);
	tap_is((int64_t)b->token, (int64_t)a->token, "%s: the token", name);
	tap_is(b->deadline_at_ns, a->deadline_at_ns, "%s: the deadline", name);
	tap_is(b->speed_mbps, a->speed_mbps, "%s: the speed", name);
	tap_is(b->device_changed, a->device_changed, "%s: which fields", name);
	tap_ok(memcmp(&a->old, &b->old, sizeof(a->old)) == 0, "%s: what was", name);
	tap_ok(memcmp(&a->left, &b->left, sizeof(a->left)) == 0, "%s: what was left", name);
}

static void check_round(void)
{
	fill();
	tap_is(journal_write(&journal, folder, &err), 0, "an entry is written %s", err.text);
	tap_is(journal_read(&again, path, &err), 0, "and read %s", err.text);
	check_same(&journal.open, &again.open, "open");
	check_same(&journal.kept, &again.kept, "kept");
	tap_is_text(again.open.command, "holdoff set eth7 ? rx-usecs 20? \"x\" = [y]",
		    "a command line cannot break the form");
	tap_is_text(again.open.failure, "the kernel says: ? no", "nor can a kernel's words");
	tap_is_text(again.name, "eth7", "the name");
	tap_is_text(again.boot, journal.boot, "the boot");
	tap_is((int64_t)again.netns, (int64_t)journal_netns(), "the namespace");
	tap_is(again.permanent_address_bytes, 6, "the address");
	tap_ok(!journal_is_stale(&again, &identity, &err), "it is not stale");
	memset(&journal.open, 0, sizeof(journal.open));
	memset(&journal.kept, 0, sizeof(journal.kept));
	tap_is(journal_write(&journal, folder, &err), 0, "without a layer");
	tap_is(access(path, F_OK), -1, "there is no file");
	tap_is(journal_read(&again, path, &err), -ENOENT, "and reading says so");
}

/* As large as a set can be: every queue with every field. */
static void check_large(void)
{
	fill();
	for (uint32_t queue = 0; queue < CHANGE_QUEUES_MAX; queue++) {
		struct coalesce *const old = &change_set_queue(&journal.open.old, queue, true)->settings;
		struct coalesce *const left = &change_set_queue(&journal.open.left, queue, true)->settings;

		for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
			coalesce_put(old, field, coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? 1 : UINT32_MAX);
			coalesce_put(left, field, 0);
		}
	}
	journal.kept = journal.open;
	tap_is(journal_write(&journal, folder, &err), 0, "an entry of %d queues is written", CHANGE_QUEUES_MAX);
	tap_is(journal_read(&again, path, &err), 0, "and read");
	check_same(&journal.open, &again.open, "open, large");
	unlink(path);
}

static size_t slurp(char *text, size_t size)
{
	FILE *const file = fopen(path, "r");
	const size_t length = file ? fread(text, 1, size - 1, file) : 0;

	if (file) {
		fclose(file);
	}
	return length;
}

static void spill(const char *text, size_t length)
{
	FILE *const file = fopen(path, "w");

	if (file) {
		fwrite(text, 1, length, file);
		fclose(file);
	}
}

static void check_torn(void)
{
	static char text[65536], changed[65536];
	unsigned accepted = 0, flipped = 0;

	fill();
	journal_write(&journal, folder, &err);
	const size_t length = slurp(text, sizeof(text));

	tap_ok(length > 500, "the entry has %zu bytes", length);
	for (size_t cut = 0; cut < length; cut++) {
		spill(text, cut);
		accepted += journal_read(&again, path, &err) != -EBADMSG;
	}
	tap_is(accepted, 0, "no entry that was cut is accepted");
	for (size_t at = 0; at < length; at++) {
		memcpy(changed, text, length);
		changed[at] = (char)(changed[at] ^ 1 << at % 7);
		spill(changed, length);
		flipped += journal_read(&again, path, &err) != -EBADMSG;
	}
	tap_is(flipped, 0, "none with a changed bit");
	memcpy(changed, text, length);
	memcpy(changed + length, text, length);
	spill(changed, 2 * length);
	tap_is(journal_read(&again, path, &err), -EBADMSG, "none that is there twice");
	spill("", 0);
	tap_is(journal_read(&again, path, &err), -EBADMSG, "no empty file");
	memset(changed, 0xa5, 5000);
	spill(changed, 5000);
	tap_is(journal_read(&again, path, &err), -EBADMSG, "no garbage");
	memset(changed, 0, 5000);
	spill(changed, 5000);
	tap_is(journal_read(&again, path, &err), -EBADMSG, "no zeros");
	spill(text, length);
	tap_is(journal_read(&again, path, &err), 0, "the whole one is accepted again");
	unlink(path);
	symlink("/etc/passwd", path);
	tap_is(journal_read(&again, path, &err), -EBADMSG, "no link to elsewhere");
	unlink(path);
	mkdir(path, 0755);
	tap_is(journal_read(&again, path, &err), -EBADMSG, "no folder");
	rmdir(path);
}

/* An entry with a valid checksum but another content. */
static int read_text(const char *body)
{
	char text[4096];
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (const char *at = body; *at; at++) {
		sum = (sum ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	}
	const int length = snprintf(text, sizeof(text), "%schecksum = 0x%016llx\n", body, (unsigned long long)sum);

	spill(text, (size_t)length);
	err.text[0] = '\0';
	return journal_read(&again, path, &err);
}

#define HEAD "[entry]\nformat = 1\nboot = x\nnetns = 1\nifindex = 7\nname = eth7\n"
#define LAYER "[kept]\napplied = on\ntoken = 1\npid = 1\nspeed-mbps = 0\n"
#define DEVICE "[kept device]\nchanged = rx-usecs\nold = rx-usecs 1\nleft = rx-usecs 2\n"

static void check_strict(void)
{
	static const char *const wrong[] = {
		"[end]\n",
		HEAD "[end]\n",
		HEAD LAYER DEVICE,
		"[entry]\nformat = 2\nboot = x\nnetns = 1\nifindex = 7\nname = eth7\n" LAYER DEVICE "[end]\n",
		HEAD LAYER DEVICE "[other]\nx = 1\n[end]\n",
		HEAD "colour = red\n" LAYER DEVICE "[end]\n",
		HEAD LAYER "[kept device]\nchanged = tx-usecs\nold = rx-usecs 1\n[end]\n",
		HEAD LAYER "[kept device]\nchanged = nonsense\nold = rx-usecs 1\n[end]\n",
		HEAD LAYER "[kept queue x]\nold = rx-usecs 1\n[end]\n",
		HEAD LAYER "[kept napi 1]\nold = rx-usecs 1\n[end]\n",
		HEAD DEVICE "[end]\n",
		HEAD "[kept]\napplied = off\ntoken = 1\npid = 1\nspeed-mbps = 0\n" DEVICE "[end]\n",
		HEAD LAYER DEVICE "permanent-address = 02\n[end]\n",
		HEAD "permanent-address = zz\n" LAYER DEVICE "[end]\n",
	};

	tap_is(read_text(HEAD LAYER DEVICE "[end]\n"), 0, "the smallest entry is accepted: %s", err.text);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		tap_is(read_text(wrong[i]), -EBADMSG, "entry %zu is refused: %s", i, err.text);
	}
	unlink(path);
}

static void check_stale(void)
{
	struct nic_identity other = identity;

	fill();
	snprintf(other.name, sizeof(other.name), "lan0");
	tap_ok(!journal_is_stale(&journal, &other, &err), "another name is the same interface");
	other.permanent_address[5] = 9;
	tap_ok(journal_is_stale(&journal, &other, &err), "another address is another interface: %s", err.text);
	other = identity;
	snprintf(other.driver, sizeof(other.driver), "igb");
	tap_ok(journal_is_stale(&journal, &other, &err), "another driver is another interface");
	other = identity;
	other.has = NIC_HAS_DRIVER;
	tap_ok(!journal_is_stale(&journal, &other, &err), "an address that is not told says nothing");
	journal.boot[0] = journal.boot[0] == 'x' ? 'y' : 'x';
	tap_ok(journal_is_stale(&journal, &identity, &err) && strstr(err.text, "reboot"), "another boot: %s", err.text);
}

/* In a child, since its limit would hold for the test's own files too. */
static void check_full(void)
{
	static char before[65536], after[65536];

	fill();
	journal_write(&journal, folder, &err);
	const size_t length = slurp(before, sizeof(before));
	const pid_t child = fork();

	if (child == 0) {
		const struct rlimit limit = { 300, 300 };

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		journal.open.token++;
		_exit(journal_write(&journal, folder, &err) == -EFBIG ? 0 : 1);
	}
	int status = 1;

	waitpid(child, &status, 0);
	tap_is(status, 0, "no room: writing fails and says so");
	tap_is((int64_t)slurp(after, sizeof(after)), (int64_t)length, "the old entry has its length");
	tap_ok(memcmp(before, after, length) == 0, "and its content");
	char temporary[JOURNAL_PATH_MAX];

	journal_path(temporary, folder, journal.netns, 7, ".new");
	tap_is(access(temporary, F_OK), -1, "nothing else is left");
	unlink(path);
}

static void check_full_disk(void)
{
	char small[80];
	unsigned written = 0;
	int ret = 0;

	snprintf(small, sizeof(small), "%s/small", folder);
	mkdir(small, 0755);
	if (mount("none", small, "tmpfs", 0, "size=8k,mode=0755")) {
		tap_skip("no right to mount", "a full disk");
		rmdir(small);
		return;
	}
	for (int index = 1; index < 20 && ret == 0; index++) {
		fill();
		journal.ifindex = index;
		ret = journal_write(&journal, small, &err);
		written += ret == 0;
	}
	tap_is(ret, -ENOSPC, "a full disk: %s", err.text);
	tap_ok(written > 0, "after %u entries", written);
	unsigned readable = 0;

	for (int index = 1; index <= (int)written; index++) {
		char entry[JOURNAL_PATH_MAX];

		journal_path(entry, small, journal.netns, index, ".entry");
		readable += journal_read(&again, entry, &err) == 0;
	}
	tap_is(readable, written, "what was there is whole");
	umount(small);
	rmdir(small);
}

static void check_folder(void)
{
	char found[JOURNAL_PATH_MAX];

	setenv("HOLDOFF_STATE_DIR", folder, 1);
	tap_is(journal_folder(found, true, &err), 0, "a folder of one's own is taken");
	chmod(folder, 0777);
	tap_is(journal_folder(found, true, &err), -EACCES, "one that others can write is not: %s", err.text);
	chmod(folder, 0700);
	setenv("HOLDOFF_STATE_DIR", "/dev/null", 1);
	tap_is(journal_folder(found, true, &err), -ENOTDIR, "nor what is no folder: %s", err.text);
	setenv("HOLDOFF_STATE_DIR", "/nonexistent/a", 1);
	tap_is(journal_folder(found, true, &err), -ENOENT, "nor one that cannot be made: %s", err.text);
	setenv("HOLDOFF_STATE_DIR", folder + 1, 1);
	tap_is(journal_folder(found, true, &err), -EINVAL, "nor one that another working folder has elsewhere: %s",
	       err.text);
}

static void make_open(uint32_t old, uint32_t left)
{
	memset(&journal.open, 0, sizeof(journal.open));
	journal.open.is_present = journal.open.is_applied = true;
	journal.open.device_changed = COALESCE_BIT(COALESCE_RX_USECS);
	coalesce_put(&journal.open.old.device, COALESCE_RX_USECS, old);
	coalesce_put(&journal.open.left.device, COALESCE_RX_USECS, left);
	coalesce_put(&change_set_queue(&journal.open.old, 1, true)->settings, COALESCE_RX_USECS, old);
	coalesce_put(&change_set_queue(&journal.open.left, 1, true)->settings, COALESCE_RX_USECS, left);
	change_napi_put(change_set_napi(&journal.open.old, 5, true), NIC_NAPI_DEFER_HARD_IRQS, old);
	change_napi_put(change_set_napi(&journal.open.left, 5, true), NIC_NAPI_DEFER_HARD_IRQS, left);
}

static void is_kept(uint32_t old, uint32_t left, const char *text)
{
	tap_is(journal.kept.old.device.value[COALESCE_RX_USECS], old, "%s: the device goes back to %u", text, old);
	tap_is(journal.kept.left.device.value[COALESCE_RX_USECS], left, "%s: from %u", text, left);
	tap_is(journal.kept.old.queues[0].settings.value[COALESCE_RX_USECS], old, "%s: the queue too", text);
	tap_is(journal.kept.old.napis[0].defer_hard_irqs, old, "%s: the instance too", text);
	tap_is(journal.kept.left.napis[0].defer_hard_irqs, left, "%s: from there", text);
}

static void check_keep(void)
{
	journal_init(&journal, &identity, &err);
	make_open(10, 20);
	journal_keep(&journal);
	tap_ok(!journal.open.is_present && journal.kept.is_present, "what is kept is no longer on trial");
	is_kept(10, 20, "kept once");
	make_open(20, 30);
	journal_keep(&journal);
	is_kept(10, 30, "changed again");
	make_open(99, 40);
	journal_keep(&journal);
	is_kept(99, 40, "after somebody else's change");
	make_open(40, 99);
	journal_keep(&journal);
	tap_ok(!journal.kept.is_present, "what came to be what it was is no longer kept");
}

int main(void)
{
	if (!mkdtemp(folder)) {
		return 1;
	}
	journal_path(path, folder, journal_netns(), 7, ".entry");
	check_round();
	check_large();
	check_torn();
	check_strict();
	check_stale();
	check_full();
	check_full_disk();
	check_folder();
	check_keep();
	if (rmdir(folder)) {
		tap_ok(false, "the folder is empty in the end");
	}
	return tap_done();
}
