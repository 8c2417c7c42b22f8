/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "store/store_private.h"

#define WAIT_MS 10000
#define LENGTH_MAX (16 << 20) /* of a record, a plan: far above any that is written */

int64_t store_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

void store_host_name(char machine[STORE_MACHINE_MAX])
{
	if (gethostname(machine, STORE_MACHINE_MAX) != 0) {
		machine[0] = '\0';
	}
	machine[STORE_MACHINE_MAX - 1] = '\0';
}

/* Of a version of RFC 9562, which takes the place of some bits. */
static void print_uuid(unsigned char byte[16], unsigned version, char uuid[STORE_UUID_MAX])
{
	static const char digits[] = "0123456789abcdef";
	char *at = uuid;

	byte[6] = (unsigned char)(version << 4 | (byte[6] & 0x0f));
	byte[8] = (unsigned char)(0x80 | (byte[8] & 0x3f));
	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10) {
			*at++ = '-';
		}
		*at++ = digits[byte[i] >> 4];
		*at++ = digits[byte[i] & 0x0f];
	}
	*at = '\0';
}

static int make_uuid(char uuid[STORE_UUID_MAX], struct err *err)
{
	unsigned char byte[16];

	if (getrandom(byte, sizeof(byte), 0) != (ssize_t)sizeof(byte)) {
		return err_set(err, -EIO, "no random numbers for the UUID of a run: %s", strerror(errno));
	}
	print_uuid(byte, 4, uuid);
	return 0;
}

int store_settle_uuid(char uuid[STORE_UUID_MAX], struct err *err)
{
	if (!uuid[0]) {
		return make_uuid(uuid, err);
	}
	for (unsigned i = 0; i < STORE_UUID_MAX - 1; i++) {
		const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (!uuid[i] || (is_dash ? uuid[i] != '-' : !strchr("0123456789abcdef", uuid[i]))) {
			return err_set(err, -EINVAL, "\"%.36s\" is no UUID in lower case", uuid);
		}
	}
	return 0;
}

static uint64_t sum_up(uint64_t sum, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	}
	return sum;
}

int64_t store_checksum(const char *text, size_t length)
{
	return (int64_t)sum_up(UINT64_C(0xcbf29ce484222325), text, length);
}

/* Two sums, of which one begins where another text has led it. */
void store_uuid_of(const char *text, char uuid[STORE_UUID_MAX])
{
	const uint64_t half[2] = { (uint64_t)store_checksum(text, strlen(text)),
				   sum_up((uint64_t)store_checksum("holdoff", 7), text, strlen(text)) };
	unsigned char byte[16];

	for (unsigned i = 0; i < sizeof(byte); i++) {
		byte[i] = (unsigned char)(half[i / 8] >> (8 * (i % 8)));
	}
	print_uuid(byte, 8, uuid);
}

/* What SQLite would say less well, or do something unwanted about. */
static int check_path(const char *path, enum store_access access, struct err *err)
{
	struct stat status;

	if (!path[0]) {
		return err_set(err, -EINVAL, "the name of a store is empty");
	}
	if (stat(path, &status) != 0) {
		const int error = errno;

		if (error == ENOENT && access == STORE_CREATE) {
			return 0;
		}
		return err_set(err, -error, "%s: %s%s", path, strerror(error),
			       error == ENOENT ? "; runs are put there by commands with --store FILE" : "");
	}
	if (S_ISDIR(status.st_mode)) {
		return err_set(err, -EISDIR, "%s is a folder and no store of runs", path);
	}
	if (!S_ISREG(status.st_mode)) {
		return err_set(err, -EMEDIUMTYPE, "%s is no regular file and no store of runs", path);
	}
	if (status.st_size == 0 && access != STORE_CREATE) {
		return err_set(err, -EMEDIUMTYPE, "%s is empty and no store of runs", path);
	}
	const int fd = open(path, (access == STORE_READ ? O_RDONLY : O_RDWR) | O_CLOEXEC);

	if (fd < 0) {
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	}
	close(fd);
	return 0;
}

/* SQLite gives names that begin with a colon a meaning of their own. */
static char *plain_path(const char *path)
{
	char *copy = NULL;

	return asprintf(&copy, "%s%s", path[0] == ':' ? "./" : "", path) < 0 ? NULL : copy;
}

static int configure(struct store *store, struct err *err)
{
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, WAIT_MS);
	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	return store_execute(store,
			     "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA;",
			     "opening", err);
}

static int ask_number(struct store *store, const char *sql, int64_t *number, struct err *err)
{
	struct store_statement statement;

	store_prepare(&statement, store, sql, "opening");
	const int ret = store_step(&statement, err);

	*number = ret > 0 ? store_column_number(&statement, 0) : 0;
	store_finish(&statement);
	return ret < 0 ? ret : 0;
}

/* An older file that may not be changed is copied into memory, and the copy is brought up to date. */
static int migrate_copy(struct store *store, struct err *err)
{
	sqlite3 *copy;
	int ret = 0;

	if (sqlite3_open(":memory:", &copy) != SQLITE_OK) {
		sqlite3_close(copy);
		return err_set(err, -ENOMEM, "%s: no memory to read an older version", store->path);
	}
	sqlite3_backup *const backup = sqlite3_backup_init(copy, "main", store->db, "main");

	if (!backup || sqlite3_backup_step(backup, -1) != SQLITE_DONE) {
		ret = err_set(err, -EBADMSG, "%s is damaged: it cannot be read to its end", store->path);
	}
	sqlite3_backup_finish(backup);
	sqlite3_close(store->db);
	store->db = copy;
	ret = ret ? ret : configure(store, err);
	return ret ? ret : store_migrate(store, err);
}

struct marks {
	int64_t application, version, objects;
	int64_t foreign; /* objects that no store has: triggers, views */
};

/* All of one moment: another program may just be making the file. */
static int read_marks(struct store *store, struct marks *marks, struct err *err)
{
	int ret = store_execute(store, "BEGIN", "opening", err);

	ret = ret ? ret : ask_number(store, "PRAGMA application_id", &marks->application, err);
	ret = ret ? ret : ask_number(store, "PRAGMA user_version", &marks->version, err);
	ret = ret ? ret : ask_number(store, "SELECT count(*) FROM sqlite_schema", &marks->objects, err);
	ret = ret ? ret
		  : ask_number(store, "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')",
			       &marks->foreign, err);
	store_roll_back(store);
	return ret;
}

/* Whose file it is, and what has to be done with it. */
static int check_contents(struct store *store, enum store_access access, struct err *err)
{
	struct marks marks;
	const int ret = read_marks(store, &marks, err);

	if (ret) {
		return ret;
	}
	if (marks.application == 0 && marks.version == 0 && marks.objects == 0 && access == STORE_CREATE) {
		return store_migrate(store, err);
	}
	if (marks.application != STORE_APPLICATION_ID || marks.version < 1 || marks.objects == 0 || marks.foreign) {
		return err_set(err, -EMEDIUMTYPE, "%s is an SQLite file of another program and no store of runs",
			       store->path);
	}
	if (marks.version > STORE_VERSION) {
		return err_set(
			err, -EPROTONOSUPPORT,
			"%s is of version %d, this holdoff knows version %d and older: a newer holdoff is needed",
			store->path, (int)marks.version, STORE_VERSION);
	}
	if (marks.version < STORE_VERSION) {
		return access == STORE_READ ? migrate_copy(store, err) : store_migrate(store, err);
	}
	return 0;
}

static int open_file(struct store *store, enum store_access access, struct err *err)
{
	char *const path = plain_path(store->path);
	/* Also who only reads may have to undo what a killed program has begun. */
	const int flags = SQLITE_OPEN_READWRITE | (access == STORE_CREATE ? SQLITE_OPEN_CREATE : 0);

	if (!path) {
		return err_set(err, -ENOMEM, "no memory for a store");
	}
	const int code = sqlite3_open_v2(path, &store->db, flags, NULL);

	free(path);
	if (code != SQLITE_OK) {
		return store->db ? store_fail(store, "opening", err) : err_set(err, -ENOMEM, "no memory for a store");
	}
	int ret = configure(store, err);

	ret = ret ? ret : check_contents(store, access, err);
	if (ret == 0 && access == STORE_READ) {
		ret = store_execute(store, "PRAGMA query_only = ON", "opening", err);
	}
	return ret;
}

int store_open(struct store **store, const char *path, enum store_access access, struct err *err)
{
	int ret = check_path(path, access, err);

	*store = NULL;
	if (ret) {
		return ret;
	}
	struct store *const opened = calloc(1, sizeof(*opened));

	if (!opened || !(opened->path = strdup(path))) {
		free(opened);
		return err_set(err, -ENOMEM, "no memory for a store");
	}
	ret = open_file(opened, access, err);
	if (ret) {
		store_close(opened);
		return ret;
	}
	*store = opened;
	return 0;
}

void store_close(struct store *store)
{
	if (store) {
		sqlite3_close(store->db);
		free(store->path);
		free(store);
	}
}
