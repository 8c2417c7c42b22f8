/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays a corpus without libFuzzer: NAME_fuzz [CORPUS-FOLDER | FILE] [MUTATIONS]
 *
 * Each file goes to the target as it is, then changed in MUTATIONS (2000) ways. The changes follow from the file's
 * name, their number and SEED, so that a failure comes again. An input that ends the process is left in PROGRAM.crash.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "tap.h"

#define INPUT_MAX 8192
#define MUTATIONS 2000

/* The input at work, for those who come when the process dies. */
static uint8_t input[INPUT_MAX];
static size_t input_size;
static char crash_path[4096];

static uint64_t shift_state;

static uint64_t next_random(void)
{
	shift_state ^= shift_state << 13;
	shift_state ^= shift_state >> 7;
	shift_state ^= shift_state << 17;
	return shift_state;
}

static size_t below(size_t bound)
{
	return bound ? (size_t)(next_random() % bound) : 0;
}

static void save_input(void)
{
	const int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file < 0 || write(file, input, input_size) != (ssize_t)input_size) {
		return;
	}
	static const char message[] = "# the input that did it is in the .crash file beside the program\n";

	if (write(STDOUT_FILENO, message, sizeof(message) - 1) < 0) {
		return;
	}
}

static void on_signal(int number)
{
	save_input();
	signal(number, SIG_DFL);
	raise(number);
}

/* The sanitizers leave without a signal; they have this where they are linked in. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch_for_death(const char *program)
{
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };

	snprintf(crash_path, sizeof(crash_path), "%s.crash", program);
	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(save_input);
		signal(SIGABRT, on_signal);
		return;
	}
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		signal(numbers[i], on_signal);
	}
}

static void insert_bytes(size_t at, const uint8_t *bytes, size_t count)
{
	if (input_size + count <= INPUT_MAX) {
		memmove(input + at + count, input + at, input_size - at);
		memcpy(input + at, bytes, count);
		input_size += count;
	}
}

static void remove_bytes(size_t at, size_t count)
{
	memmove(input + at, input + at + count, input_size - at - count);
	input_size -= count;
}

static void change_once(void)
{
	static const uint8_t telling[] = { 0,   0xff, 0x7f, 0x80, ' ', '\n', '=', '[',
					   ']', '#',  '-',  '.',  '0', '9',  'x', ':' };
	const size_t at = below(input_size);
	size_t count = 1 + below(16);
	uint8_t copy[16];

	count = count < input_size - at ? count : input_size - at;
	switch (input_size ? next_random() % 6 : 0) {
	case 0:
		insert_bytes(at, &telling[below(sizeof(telling))], 1);
		break;
	case 1:
		input[at] ^= (uint8_t)(1u << below(8));
		break;
	case 2:
		input[at] = telling[below(sizeof(telling))];
		break;
	case 3:
		input[at] = (uint8_t)next_random();
		break;
	case 4:
		memcpy(copy, input + at, count);
		insert_bytes(below(input_size + 1), copy, count);
		break;
	default:
		remove_bytes(at, count);
		break;
	}
}

/* In memory of just its size, so that a sanitizer sees what reads behind it. */
static void run_once(void)
{
	uint8_t *const data = malloc(input_size ? input_size : 1);

	fuzz_require(data != NULL);
	memcpy(data, input, input_size);
	LLVMFuzzerTestOneInput(data, input_size);
	free(data);
}

static bool read_seed_file(const char *path, uint8_t *bytes, size_t *size)
{
	FILE *const file = fopen(path, "rb");

	if (!file) {
		return false;
	}
	*size = fread(bytes, 1, INPUT_MAX, file);
	const bool whole = !ferror(file) && fgetc(file) == EOF;

	fclose(file);
	return whole;
}

/* The name decides the changes, not the place in the folder: a new file leaves the others' changes alone. */
static void seed_changes(const char *name, uint64_t number)
{
	const char *const seed = getenv("SEED");
	uint64_t hash = UINT64_C(14695981039346656037) + (seed ? strtoull(seed, NULL, 0) : 1);

	for (; *name; name++) {
		hash = (hash ^ (uint8_t)*name) * UINT64_C(1099511628211);
	}
	shift_state = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static void replay_file(const char *path, const char *name, unsigned mutations)
{
	static uint8_t original[INPUT_MAX];
	size_t size;

	if (!read_seed_file(path, original, &size)) {
		tap_ok(false, "%s can be read and has at most %d bytes", path, INPUT_MAX);
		return;
	}
	for (unsigned mutation = 0; mutation <= mutations; mutation++) {
		memcpy(input, original, size);
		input_size = size;
		seed_changes(name, mutation);
		for (size_t change = mutation ? 1 + below(6) : 0; change > 0; change--) {
			change_once();
		}
		run_once();
	}
	tap_ok(true, "%s and %u changes of it", name, mutations);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay_folder(const char *folder, unsigned mutations)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, is_visible, alphasort);

	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		replay_file(path, entries[i]->d_name, mutations);
		free(entries[i]);
	}
	if (count > 0) {
		free(entries);
	}
}

/* ".../NAME_fuzz" replays test/fuzz/corpus/NAME unless told otherwise. */
static void default_folder(const char *program, char *folder, size_t size)
{
	const char *const slash = strrchr(program, '/');
	const char *const name = slash ? slash + 1 : program;

	snprintf(folder, size, "test/fuzz/corpus/%.*s", (int)strcspn(name, "_"), name);
}

int main(int argc, char **argv)
{
	const unsigned mutations = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : MUTATIONS;
	struct stat status;
	char folder[512];

	default_folder(argv[0], folder, sizeof(folder));
	const char *const path = argc > 1 ? argv[1] : folder;

	watch_for_death(argv[0]);
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		replay_folder(path, mutations);
	} else {
		replay_file(path, path, mutations);
	}
	return tap_done();
}
