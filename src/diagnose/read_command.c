/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prompts with a command: they say what the output behind them is of. A command is only known as one by its program,
 * for a prompt may be anything: "# ethtool -c eth0", "root@host:~# ...", "[me@host ~]$ sudo ...", "C:\> ping ...", or
 * nothing at all before ethtool.
 */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "diagnose/reader.h"

#define WORDS_MAX 64
#define PROMPT_MAX 80

static const char *const programs[] = { "ethtool", "cat",    "ping",   "fping",   "grep",  "sleep",
					"uname",   "iperf3", "hping3", "busybox", "head",  "watch",
					"dmesg",   "date",   "dstat",  "ip",      "mpstat" };

static const char *base_name(const char *word)
{
	const char *const slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}

static bool is_program(const char *at)
{
	char word[64];

	line_word(at, ";|", word, sizeof(word));
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(base_name(word), programs[i]) == 0) {
			return true;
		}
	}
	return false;
}

static const char *skip_sudo(const char *at)
{
	return line_begins(at, "sudo ") ? line_skip_blanks(at + 5) : at;
}

/* Where the command begins, NULL if the line has none. */
static const char *find_command(const char *line)
{
	for (size_t i = 0; line[i] && i < PROMPT_MAX; i++) {
		const bool ends_prompt = line[i] == '#' || line[i] == '$' || line[i] == '%' || line[i] == '>';
		const char *const at = skip_sudo(line_skip_blanks(line + i + 1));

		if (ends_prompt && is_program(at)) {
			return at;
		}
	}
	const char *const bare = skip_sudo(line);
	const bool is_option = line_begins(bare, "ethtool -") || (bare != line && is_program(bare));

	return is_option ? bare : NULL;
}

bool command_begins(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return find_command(line->text) != NULL;
}

static unsigned split(char *text, char *words[WORDS_MAX])
{
	unsigned count = 0;

	for (char *word = strtok_r(text, " \t", &text); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " \t", &text)) {
		words[count++] = word;
	}
	return count;
}

/* ethtool -C DEV ...: the reader of configuration files knows how ethtool takes its words. */
static void take_change(struct reader *reader, const char *command, unsigned line)
{
	struct persist_file *const file = &reader->persisted;
	struct diagnosis *const diagnosis = reader->diagnosis;

	reader->change = -1;
	if (persist_read(file, "command.sh", command, NULL) || diagnosis->change_count == DIAGNOSE_CHANGES_MAX) {
		return;
	}
	reader->change = (int)diagnosis->change_count;
	diagnosis->changes[diagnosis->change_count++] = (struct diagnose_change){
		.file = reader->file, .line = line, .device = reader->piece->device, .request = file->settings
	};
}

static void take_ethtool(struct reader *reader, char *const *words, unsigned count, const char *command)
{
	const char *option = "", *device = "";

	for (unsigned i = 1; i < count && !device[0]; i++) {
		if (words[i][0] != '-') {
			device = words[i];
		} else if (!option[0]) {
			option = words[i];
		}
	}
	snprintf(reader->device, sizeof(reader->device), "%.15s", device);
	if (device[0]) {
		reader_piece_device(reader, NULL);
	}
	reader->command = COMMAND_GET;
	if (strcmp(option, "-L") == 0 || strcmp(option, "--set-channels") == 0) {
		reader->command = COMMAND_CHANNELS;
	} else if (strcmp(option, "-C") == 0 || strcmp(option, "--coalesce") == 0) {
		reader->command = COMMAND_SET;
		take_change(reader, command, reader->piece->first);
	}
}

/* ".../net/eth0/gro_flush_timeout": the folder above. */
static void take_folder(struct reader *reader, const char *path)
{
	const char *const net = strstr(path, "/net/");
	char name[16];

	if (net) {
		line_word(net + 5, "/", name, sizeof(name));
		memcpy(reader->device, name, sizeof(name));
	}
}

static void take_file(struct reader *reader, const char *path)
{
	const char *const name = base_name(path);

	reader->command = COMMAND_OTHER;
	if (strcmp(name, "gro_flush_timeout") == 0) {
		reader->command = COMMAND_GRO_TIMEOUT;
		take_folder(reader, path);
	} else if (strcmp(name, "napi_defer_hard_irqs") == 0) {
		reader->command = COMMAND_DEFER;
		take_folder(reader, path);
	} else if (strcmp(name, "smp_affinity") == 0) {
		reader->command = COMMAND_AFFINITY;
	}
}

static void take_sleep(struct reader *reader, const char *word)
{
	const char *at = word;
	int64_t span_ns;

	if (reader->slept_ns < 1000 * 86400 * NS_PER_S && line_decimal(&at, NS_PER_S, &span_ns) &&
	    (*at == '\0' || *at == ';' || *at == 's')) {
		reader->slept_ns += span_ns;
		reader->slept = true;
	}
}

static void take_ping(struct reader *reader, char *const *words, unsigned count)
{
	reader->ping_payload = -1;
	for (unsigned i = 1; i < count; i++) {
		const char *at = words[i];
		uint64_t bytes;

		/* -s of iputils, -l of Windows, -b of fping; also "-s82". */
		if (at[0] != '-' || !strchr("slb", at[1])) {
			continue;
		}
		at = at[2] ? at + 2 : i + 1 < count ? words[i + 1] : "";
		if (line_number(&at, &bytes) && *at == '\0' && bytes <= 65535) {
			reader->ping_payload = (int64_t)bytes;
		}
	}
}

/* "cat /proc/interrupts; sleep 10; cat /proc/interrupts": each command of the line. */
static void take_one(struct reader *reader, const char *command)
{
	char copy[LINE_MAX_BYTES];
	char *words[WORDS_MAX];

	snprintf(copy, sizeof(copy), "%s", skip_sudo(line_skip_blanks(command)));
	const unsigned count = split(copy, words);
	const char *const program = count ? base_name(words[0]) : "";

	if (strcmp(program, "ethtool") == 0) {
		take_ethtool(reader, words, count, command);
	} else if (strcmp(program, "cat") == 0 || strcmp(program, "head") == 0) {
		take_file(reader, count > 1 ? words[count - 1] : "");
	} else if (strcmp(program, "sleep") == 0) {
		take_sleep(reader, count > 1 ? words[1] : "");
	} else if (strstr(program, "ping")) {
		reader->command = COMMAND_OTHER;
		take_ping(reader, words, count);
	} else {
		reader->command = strcmp(program, "uname") == 0 ? COMMAND_UNAME : COMMAND_OTHER;
	}
}

void command_read(struct reader *reader, char *text)
{
	const char *const found = find_command(line_skip_blanks(text));
	char copy[LINE_MAX_BYTES];
	char *rest = copy;

	snprintf(copy, sizeof(copy), "%s", found ? found : text);
	for (char *one = strsep(&rest, ";&|"); one; one = strsep(&rest, ";&|")) {
		if (!line_is_blank(one)) {
			take_one(reader, one);
		}
	}
}
