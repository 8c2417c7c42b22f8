/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff set: changes a real interface, with a way back. The way back is src/change's; this is how it is asked for and told. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "change/advice.h"
#include "change/change.h"
#include "change/request.h"
#include "cmd/change_rows.h"
#include "cmd/cmd.h"
#include "report/json_writer.h"

#define WORDS_MAX 512
#define LABEL_WIDTH 12
#define SPAN_MAX_NS (INT64_C(30) * 86400 * NS_PER_S)

enum { OPTION_FOR, OPTION_UNTIL_CONFIRMED, OPTION_DRY_RUN, OPTION_FORCE, OPTION_NETNS, OPTION_JSON };

static const struct cmd_option set_options[] = {
	[OPTION_FOR] = { "for", "TIME", "put it back after this time, whatever happens meanwhile", false },
	[OPTION_UNTIL_CONFIRMED] = { "until-confirmed", "TIME",
				     "put it back after this time unless holdoff confirm comes", false },
	[OPTION_DRY_RUN] = { "dry-run", NULL, "say what would be sent, send nothing", false },
	[OPTION_FORCE] = { "force", NULL, "send also what is known to be refused or not to come back", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "in this network namespace", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.set/1", false },
};

static const struct cmd_usage set_usage = {
	.name = "set",
	.synopsis = "DEV [WORD VALUE ...] [queue LIST WORD VALUE ...] [napi ID WORD VALUE ...]",
	.about = "Changes interrupt coalescing settings of an interface: only what was asked for and\n"
		 "is supported, journalled first, read back afterwards. Words are ethtool's (rx-usecs\n"
		 "100); behind \"queue 0-3\" they hold for those queues, behind \"napi ID\" the kernel's\n"
		 "deferral words do. holdoff revert puts it back.\n",
	.options = set_options,
	.option_count = sizeof(set_options) / sizeof(set_options[0]),
	.words = "changes",
};

/* The command line as given. */
struct set_request {
	const char *span, *netns, *device;
	const char *words[WORDS_MAX];
	unsigned word_count;
	bool dry_run, force, json;
	enum change_end end;
	int64_t span_ns;
	struct change_set wanted;
};

/* What became of it, for the renderers. */
struct set_result {
	struct change change;
	struct change_advice advice;
	struct change_rows rows;
	const char *verdict; /* "changed", "already_so", ...: print_verdict has them all */
	bool stale;
	char stale_text[ERR_TEXT_MAX];
};

static int take(struct set_request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_FOR:
		case OPTION_UNTIL_CONFIRMED:
			if (request->span) {
				return cmd_usage_error(&set_usage, "--for or --until-confirmed, not both");
			}
			request->span = value;
			request->end = option == OPTION_FOR ? CHANGE_FOR : CHANGE_UNTIL_CONFIRMED;
			break;
		case OPTION_DRY_RUN:
			request->dry_run = true;
			break;
		case OPTION_FORCE:
			request->force = true;
			break;
		case OPTION_NETNS:
			request->netns = value;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			if (!request->device) {
				request->device = value;
			} else if (request->word_count == WORDS_MAX) {
				return cmd_usage_error(&set_usage, "too many words: at most %d", WORDS_MAX);
			} else {
				request->words[request->word_count++] = value;
			}
			break;
		default:
			return arguments->status;
		}
	}
	if (!request->device) {
		return cmd_usage_error(&set_usage, "set needs an interface and what to set");
	}
	return -1;
}

static int parse(struct set_request *request)
{
	struct err err = { "" };
	int ret = 0;

	if (request->span) {
		ret = text_parse_duration(request->span, request->end == CHANGE_FOR ? "--for" : "--until-confirmed",
					  &request->span_ns, &err);
	}
	if (ret == 0 && request->span && (request->span_ns <= 0 || request->span_ns > SPAN_MAX_NS)) {
		return cmd_usage_error(&set_usage, "%s is no time to try something: expected more than 0s, at most 30d",
				       request->span);
	}
	ret = ret ? ret : change_set_parse(&request->wanted, request->words, request->word_count, &err);
	if (ret) {
		return cmd_usage_error(&set_usage, "%s", err.text);
	}
	if (change_set_is_empty(&request->wanted)) {
		return cmd_usage_error(&set_usage, "nothing is asked of %s: words such as rx-usecs 100 say what",
				       request->device);
	}
	return -1;
}

/* ---- text ---- */

static void print_head(const struct set_result *result, FILE *out)
{
	const struct nic_identity *const identity = &result->change.identity;

	fprintf(out, "%-*s%s", LABEL_WIDTH, "interface", identity->name);
	if (identity->has & NIC_HAS_DRIVER) {
		fprintf(out, ", %s", identity->driver);
	}
	if (identity->has & NIC_HAS_SPEED) {
		fprintf(out, ", %u Mb/s", identity->speed_mbps);
	}
	fputc('\n', out);
	if (result->change.model.is_known) {
		cmd_print_labelled(out, LABEL_WIDTH, "model", "%s: %s", result->change.model.driver.variant->name,
				   result->change.model.note);
	}
}

static void print_advice(const struct set_result *result, FILE *out)
{
	for (unsigned i = 0; i < result->advice.count; i++) {
		cmd_print_labelled(out, LABEL_WIDTH, change_advice_word(result->advice.items[i].kind), "%s",
				   result->advice.items[i].text);
	}
}

static void print_way_back(const struct set_request *request, const struct set_result *result, FILE *out)
{
	const char *const name = result->change.identity.name;
	char span[TEXT_DURATION_MAX], buffer[CMD_NETNS_MAX];
	const char *const netns = cmd_netns_words(request->netns, buffer);

	text_print_duration(request->span_ns, span);
	switch (request->end) {
	case CHANGE_STAYS:
		cmd_print_labelled(out, LABEL_WIDTH, "way back", "holdoff revert %s%s", name, netns);
		break;
	case CHANGE_FOR:
		cmd_print_labelled(out, LABEL_WIDTH, "way back",
				   "by itself in %s, or holdoff revert %s%s; holdoff confirm %s%s keeps it", span, name,
				   netns, name, netns);
		break;
	case CHANGE_UNTIL_CONFIRMED:
		cmd_print_labelled(out, LABEL_WIDTH, "way back",
				   "by itself in %s unless holdoff confirm %s%s comes, or holdoff revert %s%s", span,
				   name, netns, name, netns);
		break;
	}
}

static void print_verdict(const struct set_request *request, const struct set_result *result, FILE *out)
{
	static const struct {
		const char *verdict, *text;
	} texts[] = {
		{ "changed", "changed" },
		{ "already_so", "already so: nothing was sent" },
		{ "rounded_to_same", "already so: the driver rounds it to what it was" },
		{ "no_effect", "accepted, and without effect: the driver ignored it" },
		{ "changed_in_part", "changed in part: some of it was accepted and ignored" },
		{ "dry_run", "dry run: nothing was sent" },
		{ "refused", "refused: nothing was sent; --force sends it all the same" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(texts[i].verdict, result->verdict) == 0) {
			cmd_print_labelled(out, LABEL_WIDTH, "verdict", "%s%s", texts[i].text,
					   request->end != CHANGE_STAYS && strcmp(result->verdict, "already_so") == 0
						   ? ", and no time begins"
						   : "");
		}
	}
}

/* ---- JSON ---- */

static void put_document(const struct set_request *request, const struct set_result *result)
{
	const struct change *const change = &result->change;
	struct json_writer writer;

	json_begin(&writer, stdout);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.set/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "device", change->identity.name);
	if (change->identity.has & NIC_HAS_DRIVER) {
		json_put_string(&writer, "driver", change->identity.driver);
	}
	if (change->identity.has & NIC_HAS_SPEED) {
		json_put_unsigned(&writer, "speed_mbps", change->identity.speed_mbps);
	}
	if (change->model.is_known) {
		json_put_string(&writer, "model", change->model.driver.variant->name);
	}
	json_put_string(&writer, "verdict", result->verdict);
	json_begin_array(&writer, "advice");
	for (unsigned i = 0; i < result->advice.count; i++) {
		json_begin_object(&writer, NULL);
		json_put_string(&writer, "kind", change_advice_word(result->advice.items[i].kind));
		json_put_string(&writer, "text", result->advice.items[i].text);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	change_rows_put(&result->rows, &writer);
	if (change->has_effect && request->end != CHANGE_STAYS) {
		json_put_integer(&writer, "put_back_after_ns", request->span_ns);
		json_put_boolean(&writer, "until_confirmed", request->end == CHANGE_UNTIL_CONFIRMED);
	}
	json_end_object(&writer);
	json_end(&writer);
}

/* ---- doing it ---- */

static int status_of(int error)
{
	switch (error) {
	case -EUCLEAN:
		return CMD_REVERT_FAILED;
	case -EOPNOTSUPP:
		return CMD_UNSUPPORTED;
	case -EPERM:
	case -EACCES:
		return CMD_PERMISSION;
	case -ENODEV:
		return CMD_NO_DEVICE;
	default:
		return CMD_NEGATIVE;
	}
}

static int complain(int error, const struct err *err)
{
	fprintf(stderr, "holdoff: %s\n", err->text[0] ? err->text : strerror(-error));
	return status_of(error);
}

static int finish(const struct set_request *request, struct set_result *result, const char *verdict, bool was_sent)
{
	result->verdict = verdict;
	change_rows_make(&result->rows, &result->change, &result->advice, was_sent);
	if (was_sent && result->rows.has_idle_scope) {
		result->verdict = result->change.has_effect ? "changed_in_part" : "no_effect";
	} else if (was_sent && !result->change.has_effect) {
		result->verdict = "rounded_to_same";
	}
	if (request->json) {
		put_document(request, result);
	} else {
		change_rows_print(&result->rows, stdout);
		print_verdict(request, result, stdout);
		if (result->change.has_effect) {
			print_way_back(request, result, stdout);
		}
	}
	return strcmp(verdict, "refused") == 0 || (was_sent && result->rows.has_idle_scope) ? CMD_NEGATIVE : CMD_FINE;
}

/* What is known beforehand is said beforehand. */
static void announce(const struct set_request *request, struct set_result *result)
{
	change_advise(&result->change, &result->advice);
	if (request->json) {
		return;
	}
	print_head(result, stdout);
	print_advice(result, stdout);
	fflush(stdout);
}

static int send_it(const struct set_request *request, struct set_result *result, struct nic *nic)
{
	struct err err = { "" };
	int ret = change_begin(&result->change, nic, &request->wanted, request->end, request->span_ns, request->force,
			       &result->stale, &err);

	if (ret) {
		return complain(ret, &err);
	}
	if (result->stale) {
		fprintf(stderr, "holdoff: %s\n", err.text);
	}
	if (!result->change.is_needed) {
		return finish(request, result, "already_so", false);
	}
	ret = change_apply(&result->change, &err);
	ret = ret ? ret : change_keep(&result->change, &err);
	return ret ? complain(ret, &err) : finish(request, result, "changed", true);
}

static int set_device(const struct set_request *request, struct set_result *result, struct nic *nic)
{
	struct err err = { "" };
	const int ret = change_look(&result->change, nic, &request->wanted, &err);

	if (ret) {
		return complain(ret, &err);
	}
	announce(request, result);
	if (!result->change.is_needed) {
		return finish(request, result, "already_so", false);
	}
	if (request->dry_run) {
		const int status = finish(request, result, "dry_run", false);

		return result->advice.is_refused ? CMD_NEGATIVE : status;
	}
	if (result->advice.is_refused && !request->force) {
		return finish(request, result, "refused", false);
	}
	return send_it(request, result, nic);
}

int cmd_set(int argc, char **argv)
{
	static struct set_request request;
	static struct set_result result;
	struct cmd_arguments arguments;
	struct err err = { "" };
	struct nic nic;

	memset(&request, 0, sizeof(request));
	memset(&result, 0, sizeof(result));
	cmd_arguments_init(&arguments, &set_usage, argc, argv);
	int status = take(&request, &arguments);

	status = status >= 0 ? status : parse(&request);
	if (status >= 0) {
		return status;
	}
	int ret = request.netns ? nic_enter_netns(request.netns, &err) : 0;

	ret = ret ? ret : nic_open(&nic, request.device, &err);
	if (ret) {
		return cmd_fail(ret, &err);
	}
	status = set_device(&request, &result, &nic);
	nic_close(&nic);
	return status;
}
