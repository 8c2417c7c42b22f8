/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff emit: settings as a file that another program puts into force at each boot. What the format cannot say is
 * said on standard error, a sentence each; the file goes to standard output.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "nic/nic.h"
#include "persist/persist.h"
#include "report/json_writer.h"
#include "report/run_json.h"

#define WORDS_MAX 96
#define NOTES_MAX 40

enum { OPTION_FORMAT, OPTION_NETNS, OPTION_JSON };

static const struct cmd_option emit_options[] = {
	[OPTION_FORMAT] = { "format", "systemd-link|networkmanager|udev|ethtool", "which file; default: systemd-link",
			    false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "DEV is in another network namespace (root)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.emit/1", false },
};

static const struct cmd_usage emit_usage = {
	.name = "emit",
	.synopsis = "[OPTIONS] [DEV] [WORD VALUE ...]",
	.about = "Writes coalescing settings as a file for systemd-udevd, NetworkManager or udev, or as\n"
		 "an ethtool command line, to standard output. Words are ethtool's: rx-usecs 100.\n"
		 "Without words the present settings of DEV are written. Units are always written,\n"
		 "and the device is matched by what survives renaming. What the format cannot\n"
		 "express is said on standard error.\n",
	.options = emit_options,
	.option_count = sizeof(emit_options) / sizeof(emit_options[0]),
	.words = "settings",
};

struct emission {
	const char *format_name, *netns, *device;
	bool json;
	enum persist_format format;
	const char *words[WORDS_MAX];
	unsigned word_count;

	struct persist_match match;
	struct coalesce settings; /* that are wanted */
	uint32_t left_out;
	unsigned note_count;
	char notes[NOTES_MAX][PERSIST_WHY_MAX];
};

static void note(struct emission *emission, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct emission *emission, const char *format, ...)
{
	va_list values;

	if (emission->note_count == NOTES_MAX) {
		return;
	}
	va_start(values, format);
	vsnprintf(emission->notes[emission->note_count++], PERSIST_WHY_MAX, format, values);
	va_end(values);
}

/* ---- the device ---- */

static bool is_nothing(const uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (bytes[i]) {
			return false;
		}
	}
	return true;
}

static void match_address(struct persist_match *match, const struct nic_identity *identity)
{
	const unsigned count = identity->permanent_address_bytes;
	char *to = match->permanent_address;

	if (!(identity->has & NIC_HAS_PERMANENT_ADDRESS) || is_nothing(identity->permanent_address, count) ||
	    count * 3 >= sizeof(match->permanent_address)) {
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		to += sprintf(to, "%s%02x", i ? ":" : "", identity->permanent_address[i]);
	}
}

/* What udev calls the device's place, from its own records; they are those of the first network namespace. */
static bool match_recorded_path(struct persist_match *match, int ifindex)
{
	static const char key[] = "E:ID_PATH=";
	char name[64], line[256];
	bool is_found = false;

	snprintf(name, sizeof(name), "/run/udev/data/n%d", ifindex);
	FILE *const records = fopen(name, "re");
	while (records && !is_found && fgets(line, sizeof(line), records)) {
		is_found = strncmp(line, key, sizeof(key) - 1) == 0;
	}
	if (records) {
		fclose(records);
	}
	if (is_found) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(match->path, sizeof(match->path), "%.127s", line + sizeof(key) - 1);
	}
	return is_found;
}

/* "0000:00:03.0": udev's path ends in it, behind the bridge of a board that has its own name. */
static bool is_pci(const char *bus)
{
	unsigned domain, number, device, function;
	int end = 0;

	return sscanf(bus, "%x:%2x:%2x.%1x%n", &domain, &number, &device, &function, &end) == 4 && bus[end] == '\0';
}

static void match_path(struct emission *emission, const struct nic_identity *identity)
{
	struct persist_match *const match = &emission->match;

	if ((emission->netns || !match_recorded_path(match, identity->ifindex)) && is_pci(identity->bus)) {
		snprintf(match->path, sizeof(match->path), "*pci-%s", identity->bus);
	}
}

/* Values that an adaptive mode chooses at the moment are no settings. */
static void leave_out_adaptive(struct emission *emission)
{
	static const struct {
		enum coalesce_field adaptive, chosen[2];
	} rows[] = {
		{ COALESCE_ADAPTIVE_RX, { COALESCE_RX_USECS, COALESCE_RX_FRAMES } },
		{ COALESCE_ADAPTIVE_TX, { COALESCE_TX_USECS, COALESCE_TX_FRAMES } },
	};
	struct coalesce *const settings = &emission->settings;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned k = 0; settings->value[rows[i].adaptive] && k < 2; k++) {
			const enum coalesce_field field = rows[i].chosen[k];

			if (coalesce_has(settings, field)) {
				note(emission, "%s %" PRIu32 " is left out: %s is on and chooses it",
				     coalesce_fields[field].name, settings->value[field],
				     coalesce_fields[rows[i].adaptive].name);
			}
			settings->present &= ~COALESCE_BIT(field);
			settings->value[field] = 0;
		}
	}
}

/* Queues that are set apart: no format has a word for them. */
static void note_queues(struct emission *emission, struct nic *nic, const struct coalesce *whole)
{
	unsigned different = 0;

	for (unsigned queue = 0; queue < NIC_QUEUES_MAX; queue++) {
		struct coalesce settings = { 0 };

		if (nic_queue_coalesce_get(nic, queue, whole->present, &settings, NULL)) {
			break;
		}
		different += coalesce_difference(&settings, whole) != 0;
	}
	if (different) {
		note(emission, "%u queue%s of %s %s settings of %s own, which %s cannot express", different,
		     different == 1 ? "" : "s", nic->name, different == 1 ? "has" : "have",
		     different == 1 ? "its" : "their", persist_format_name(emission->format));
	}
}

static void note_napi(struct emission *emission, struct nic *nic)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count = 0;

	if (nic_napi_list(nic, napis, NIC_NAPIS_MAX, &count, NULL)) {
		return;
	}
	for (unsigned i = 0; i < count && i < NIC_NAPIS_MAX; i++) {
		const struct nic_napi *const napi = &napis[i];

		if (napi->defer_hard_irqs || napi->gro_flush_timeout_ns || napi->irq_suspend_timeout_ns ||
		    napi->threaded) {
			note(emission,
			     "NAPI of %s has settings (defer-hard-irqs %" PRIu32 ", gro-flush-timeout %" PRIu64
			     " ns, irq-suspend-timeout %" PRIu64 " ns, threaded %s), which %s cannot express",
			     nic->name, napi->defer_hard_irqs, napi->gro_flush_timeout_ns, napi->irq_suspend_timeout_ns,
			     napi->threaded ? "on" : "off", persist_format_name(emission->format));
			return;
		}
	}
}

static int read_settings(struct emission *emission, struct nic *nic, struct err *err)
{
	const int ret = nic_coalesce_get(nic, &emission->settings, err);

	if (ret < 0) {
		return ret;
	}
	note_queues(emission, nic, &emission->settings);
	note_napi(emission, nic);
	leave_out_adaptive(emission);
	return 0;
}

static int read_device(struct emission *emission, struct nic *nic, bool needs_settings, struct err *err)
{
	struct nic_identity identity = { 0 };
	const int ret = nic_identify(nic, &identity, err);

	if (ret < 0) {
		return ret;
	}
	snprintf(emission->match.name, sizeof(emission->match.name), "%.15s", nic->name);
	snprintf(emission->match.driver, sizeof(emission->match.driver), "%.31s", identity.driver);
	match_address(&emission->match, &identity);
	match_path(emission, &identity);
	return needs_settings ? read_settings(emission, nic, err) : 0;
}

/* With settings given the device need not be here: then only its name is known. */
static int look_at_device(struct emission *emission, bool needs_settings, struct err *err)
{
	struct nic nic;
	int ret = emission->netns ? nic_enter_netns(emission->netns, err) : 0;

	if (ret < 0) {
		return ret;
	}
	ret = nic_open(&nic, emission->device, err);
	if (ret == -ENODEV && !needs_settings) {
		snprintf(emission->match.name, sizeof(emission->match.name), "%.15s", emission->device);
		note(emission, "there is no %.15s here", emission->device);
		return 0;
	}
	if (ret < 0) {
		return ret;
	}
	ret = read_device(emission, &nic, needs_settings, err);
	nic_close(&nic);
	return ret;
}

static void note_match(struct emission *emission)
{
	const struct persist_match *const match = &emission->match;

	if (!match->name[0]) {
		note(emission, "no device is given: put it in the place of DEV");
	} else if (!match->permanent_address[0] && !match->path[0] && emission->format != PERSIST_ETHTOOL) {
		note(emission,
		     "%s has no permanent address or place that is known here: it is matched by its name, which udev "
		     "may change",
		     match->name);
	}
}

/* ---- writing ---- */

static void put_left_out(struct json_writer *writer, const struct emission *emission)
{
	char why[PERSIST_WHY_MAX];

	json_begin_array(writer, "left_out");
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (emission->left_out & COALESCE_BIT(field)) {
			json_begin_object(writer, NULL);
			json_put_string(writer, "field", coalesce_fields[field].name);
			json_put_unsigned(writer, "value", emission->settings.value[field]);
			json_put_string(writer, "why",
					persist_why_left_out(emission->format, field, emission->settings.value[field],
							     why));
			json_end_object(writer);
		}
	}
	json_end_array(writer);
}

static void print_json(const struct emission *emission, const char *text)
{
	struct coalesce written = emission->settings;
	struct json_writer writer;

	written.present &= ~emission->left_out;
	json_begin(&writer, stdout);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.emit/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	if (emission->match.name[0]) {
		json_put_string(&writer, "device", emission->match.name);
	}
	json_put_string(&writer, "format", persist_format_name(emission->format));
	run_json_put_settings(&writer, "settings", &written);
	put_left_out(&writer, emission);
	json_begin_array(&writer, "notes");
	for (unsigned i = 0; i < emission->note_count; i++) {
		json_put_string(&writer, NULL, emission->notes[i]);
	}
	json_end_array(&writer);
	json_put_string(&writer, "text", text);
	json_end_object(&writer);
	json_end(&writer);
}

static void print_notes(const struct emission *emission)
{
	char why[PERSIST_WHY_MAX];

	for (unsigned i = 0; i < emission->note_count; i++) {
		fprintf(stderr, "holdoff: %s\n", emission->notes[i]);
	}
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (emission->left_out & COALESCE_BIT(field)) {
			fprintf(stderr, "holdoff: %s\n",
				persist_why_left_out(emission->format, field, emission->settings.value[field], why));
		}
	}
}

static int write_emission(struct emission *emission)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const out = open_memstream(&text, &size);

	if (!out) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the file" });
	}
	const int ret =
		persist_write(out, emission->format, &emission->match, &emission->settings, &emission->left_out);
	const bool is_whole = fclose(out) == 0;

	print_notes(emission);
	if (ret == 0 && is_whole && emission->json) {
		print_json(emission, text);
	} else if (ret == 0 && is_whole) {
		fputs(text, stdout);
	}
	free(text);
	if (!is_whole) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for the file" });
	}
	return ret == 0 ? CMD_FINE : CMD_UNSUPPORTED;
}

/* ---- the command line ---- */

static int take(struct emission *emission, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_FORMAT:
			emission->format_name = value;
			break;
		case OPTION_NETNS:
			emission->netns = value;
			break;
		case OPTION_JSON:
			emission->json = true;
			break;
		case CMD_WORD:
			if (emission->word_count == WORDS_MAX) {
				return cmd_usage_error(&emit_usage, "too many words: at most %d", WORDS_MAX);
			}
			emission->words[emission->word_count++] = value;
			break;
		default:
			return arguments->status;
		}
	}
	return -1;
}

static int find_format(struct emission *emission, struct err *err)
{
	const char *names[PERSIST_FORMATS];

	for (enum persist_format format = 0; format < PERSIST_FORMATS; format++) {
		names[format] = persist_format_name(format);
		if (!emission->format_name || strcmp(emission->format_name, names[format]) == 0) {
			emission->format = format;
			return 0;
		}
	}
	const char *const nearest = text_nearest(emission->format_name, names, PERSIST_NETPLAN);
	return err_set(err, -EINVAL,
		       "unknown format \"%.40s\"%s%s%s: there are systemd-link, networkmanager, udev, ethtool",
		       emission->format_name, nearest ? ", did you mean " : "", nearest ? nearest : "",
		       nearest ? "?" : "");
}

/* The first word is a device if it is no setting; a mistyped setting is told by the number of words. */
static bool begins_with_device(const struct emission *emission)
{
	return emission->word_count && coalesce_field_find(emission->words[0]) == COALESCE_FIELDS &&
	       (emission->word_count % 2 == 1 || !coalesce_field_nearest(emission->words[0]));
}

/* What holdoff set takes and no format has a word for. */
static int refuse_scopes(const struct emission *emission, struct err *err)
{
	for (unsigned i = 0; i < emission->word_count; i++) {
		if (strcmp(emission->words[i], "queue") == 0 || strcmp(emission->words[i], "napi") == 0) {
			return err_set(
				err, -EINVAL,
				"\"%s\": settings of single queues and NAPI instances cannot be expressed in any "
				"format",
				emission->words[i]);
		}
	}
	return 0;
}

static int collect(struct emission *emission, struct err *err)
{
	const bool has_device = begins_with_device(emission);
	const unsigned count = emission->word_count - has_device;
	int ret = find_format(emission, err);

	if (ret == 0 && count > 0) {
		ret = refuse_scopes(emission, err);
	}
	if (ret == 0) {
		ret = coalesce_parse(&emission->settings, emission->words + has_device, count, err);
	}
	if (ret == 0 && has_device) {
		emission->device = emission->words[0];
		ret = look_at_device(emission, count == 0, err);
	}
	return ret;
}

int cmd_emit(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct emission emission = { 0 };
	struct err err = { "" };

	cmd_arguments_init(&arguments, &emit_usage, argc, argv);
	const int status = take(&emission, &arguments);
	if (status >= 0) {
		return status;
	}
	if (emission.word_count == 0) {
		return cmd_usage_error(&emit_usage,
				       "nothing to write: emit needs DEV, or settings such as rx-usecs 100");
	}
	const int ret = collect(&emission, &err);
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	if (!emission.settings.present) {
		print_notes(&emission);
		return cmd_fail(-EOPNOTSUPP, &(struct err){ "nothing is left that could be written" });
	}
	note_match(&emission);
	return write_emission(&emission);
}
