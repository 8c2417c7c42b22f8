/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff diagnose: what stands in the output that people paste into bug reports, and what it means. */
#include "cmd/diagnose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"

#define NAMES_MAX 256

enum { OPTION_BLOCK, OPTION_DEVICE, OPTION_DRIVER, OPTION_INTERVAL, OPTION_JSON };

static const struct cmd_option diagnose_options[] = {
	[OPTION_BLOCK] = { "block", "BYTES", "of a lock-step protocol that a ping is to be turned into", false },
	[OPTION_DEVICE] = { "device", "DEV", "the interface where the text does not name one", false },
	[OPTION_DRIVER] = { "driver", "NAME", "the driver where the text does not name one, as ethtool -i does",
			    false },
	[OPTION_INTERVAL] = { "interval", "TIME", "between two looks at /proc/interrupts", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.diagnose/1", false },
};

static const struct cmd_usage diagnose_usage = {
	.name = "diagnose",
	.synopsis = "[OPTIONS] FILE|DIR|- ...",
	.about = "Reads what people paste into bug reports: the output of ethtool in all its forms, of\n"
		 "ping, dstat, iperf3 and ip -s link, /proc/interrupts, softnet_stat, lines of the\n"
		 "kernel's tracer, error messages, files with settings; quoted or not, with prompts or\n"
		 "without, several in one text. Says what was recognised and what was not, what the\n"
		 "settings come to, what is likely, what is not the cause, and what to try.\n",
	.options = diagnose_options,
	.option_count = sizeof(diagnose_options) / sizeof(diagnose_options[0]),
	.words = "files",
};

static int take_option(struct diagnose_request *request, int option, const char *value, struct err *err)
{
	switch (option) {
	case OPTION_BLOCK: {
		const int ret = text_parse_bytes(value, "block", &request->options.block_bytes, err);

		return ret == 0 && (request->options.block_bytes == 0 || request->options.block_bytes > 1 << 30)
			       ? err_set(err, -ERANGE, "block: 1 byte to 1 GiB is expected, not \"%.40s\"", value)
			       : ret;
	}
	case OPTION_DEVICE:
		request->options.device = value;
		return 0;
	case OPTION_DRIVER:
		request->options.driver = value;
		return 0;
	case OPTION_INTERVAL:
		return text_parse_duration(value, "interval", &request->options.interval_ns, err);
	default:
		request->json = true;
		return 0;
	}
}

/* -1: go on; else the status to end with. */
static int take(struct diagnose_request *request, const char **names, int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct err err = { "" };
	const char *value;
	int option;

	cmd_arguments_init(&arguments, &diagnose_usage, argc, argv);
	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments.status;
		}
		if (option == CMD_WORD && request->count == NAMES_MAX) {
			return cmd_usage_error(&diagnose_usage, "too many files: at most %d", NAMES_MAX);
		}
		if (option == CMD_WORD) {
			names[request->count++] = value;
		} else if (take_option(request, option, value, &err) < 0) {
			return cmd_usage_error(&diagnose_usage, "%s", err.text);
		}
	}
	request->names = names;
	return request->count
		       ? -1
		       : cmd_usage_error(&diagnose_usage, "diagnose needs a file, a folder, or - for standard input");
}

/* A cause or an error was found; nothing was recognised at all; else fine. */
static int verdict(const struct diagnosis *diagnosis)
{
	if (diagnosis_has(diagnosis, DIAGNOSE_CAUSE)) {
		return CMD_NEGATIVE;
	}
	return diagnosis->piece_count ? CMD_FINE : CMD_INSUFFICIENT;
}

static int read_all(struct diagnosis *diagnosis, struct diagnose_texts *texts, struct err *err)
{
	for (unsigned i = 0; i < texts->count; i++) {
		const int ret = diagnosis_read(diagnosis, texts->names[i], texts->texts[i], texts->sizes[i], err);

		if (ret < 0) {
			return ret;
		}
	}
	diagnosis_assign(diagnosis);
	return 0;
}

static int diagnose(const struct diagnose_request *request, struct diagnosis *diagnosis, struct show_device *shown,
		    struct diagnose_texts *texts)
{
	struct err err = { "" };

	diagnosis_begin(diagnosis, &request->options);
	int ret = diagnose_texts_read(texts, request->names, request->count, &err);

	ret = ret ? ret : read_all(diagnosis, texts, &err);
	if (ret < 0) {
		cmd_fail(ret, &err);
		return CMD_USAGE;
	}
	diagnose_find_effects(diagnosis, shown);
	diagnosis_conclude(diagnosis);
	if (request->json) {
		diagnose_print_json(diagnosis, shown, stdout);
	} else {
		diagnose_print(diagnosis, shown, stdout);
	}
	return verdict(diagnosis);
}

int cmd_diagnose(int argc, char **argv)
{
	struct diagnose_request request = { .count = 0 };
	const char *names[NAMES_MAX];
	int status = take(&request, names, argc, argv);

	if (status >= 0) {
		return status;
	}
	struct diagnosis *const diagnosis = malloc(sizeof(*diagnosis));
	struct show_device *const shown = calloc(DIAGNOSE_DEVICES_MAX, sizeof(*shown));
	struct diagnose_texts *const texts = calloc(1, sizeof(*texts));

	if (diagnosis && shown && texts) {
		status = diagnose(&request, diagnosis, shown, texts);
		diagnose_texts_free(texts);
	} else {
		status = cmd_fail(-ENOMEM, &(struct err){ "no memory for a diagnosis" });
	}
	free(texts);
	free(shown);
	free(diagnosis);
	return status;
}
