/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* A text that is being put together; what does not fit is a mistake of ours and shows as a cut line. */
struct text {
	char *at;
	size_t room;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(text->at, text->room, format, arguments);
	va_end(arguments);
	const size_t used = length < 0 ? 0 : (size_t)length < text->room ? (size_t)length : text->room - 1;

	text->at += used;
	text->room -= used;
}

/* ---- doing ---- */

static int set_up(struct vector_recorder *recorder, bool is_up, struct err *err)
{
	if (recorder->is_up == is_up) {
		return 0;
	}
	recorder->is_up = is_up;
	return recorder->subject->ops->set_up(recorder->subject, is_up, err);
}

static int set_link(struct vector_recorder *recorder, unsigned mbps, struct err *err)
{
	if (recorder->mbps == mbps) {
		return 0;
	}
	recorder->mbps = mbps;
	return recorder->subject->ops->set_link(recorder->subject, mbps, err);
}

/* The driver's default, by a request: nothing else does that without loading the driver again. */
static int start_anew(struct vector_recorder *recorder, const struct vector_step *step, struct err *err)
{
	const struct vector_kind *const kind = recorder->subject->kind;
	struct vector_step start;
	struct vector_answer answer;
	char line[VECTOR_WORDS_MAX];
	int ret = set_up(recorder, true, err);

	ret = ret ? ret : set_link(recorder, step->mbps ? step->mbps : kind->speeds[0], err);
	snprintf(line, sizeof(line), "=|%s", kind->start);
	ret = ret ? ret : vector_step_parse(&start, line, err);
	ret = ret ? ret : recorder->subject->ops->request(recorder->subject, &start, &answer, err);
	if (ret == 0 && answer.error) {
		return err_set(err, answer.error, "\"%s\" was refused: lines cannot start from it", kind->start);
	}
	return ret || step->mbps ? ret : set_up(recorder, false, err);
}

static int perform(struct vector_recorder *recorder, const struct vector_step *step, struct vector_answer *answer,
		   struct err *err)
{
	memset(answer, 0, sizeof(*answer));
	switch (step->action) {
	case VECTOR_IFDOWN:
	case VECTOR_IFUP:
		return set_up(recorder, step->action == VECTOR_IFUP, err);
	case VECTOR_LINK:
		return set_link(recorder, step->number, err);
	case VECTOR_SET:
	case VECTOR_SET_IOCTL:
	case VECTOR_SET_QUEUE:
		break;
	}
	return recorder->subject->ops->request(recorder->subject, step, answer, err);
}

/* ---- writing ---- */

/* How a line is to be written. */
struct form {
	bool is_compact, without_registers;
};

/* As it was; whole lines of a driver whose registers were not to be had end with the read-back. */
static struct form form_of(const struct vector_recorder *recorder, const char *line)
{
	const char *columns[5];
	unsigned count = 0;

	for (const char *bar = strchr(line, '|'); bar && count < 5; bar = strchr(bar + 1, '|')) {
		columns[count++] = bar + 1;
	}
	if (count < 2) {
		return (struct form){ recorder->is_compact, false };
	}
	const bool is_compact = strncmp(columns[1], "rc=", 3) != 0;

	return (struct form){ is_compact, !is_compact && count == 4 };
}

static void add_speed(const struct vector_recorder *recorder, const struct vector_step *step, struct text *text)
{
	add(text, "%s", step->goes_on ? "=" : "");
	if (recorder->is_up) {
		add(text, "%u|%s|", recorder->mbps, step->words);
	} else {
		add(text, "down|%s|", step->words);
	}
}

static void add_errno(const struct vector_answer *answer, struct text *text)
{
	char name[ERR_NAME_MAX];

	add(text, "%s%s|", answer->error ? err_name(answer->error, name) : "0", answer->unsupported ? " core" : "");
}

/* What ethtool prints, its lines put behind one another with a space after each. */
static void add_complaint(const struct vector_recorder *recorder, const struct vector_answer *answer, struct text *text)
{
	const char *const head = recorder->subject->kind->complaint;

	add(text, "rc=%d|", answer->error != 0);
	if (answer->unsupported) {
		add(text, "%scannot modify an unsupported parameter (offset %u) ", head, answer->offset);
	}
	add(text, "%s%s |", answer->error ? head : "", answer->error ? strerror(-answer->error) : "");
}

static void add_report(const struct vector_recorder *recorder, int error, const struct form *form, struct text *text)
{
	const struct vector_kind *const kind = recorder->subject->kind;
	const bool has_head = kind->head && !form->is_compact;
	char name[ERR_NAME_MAX];

	add(text, "%s", has_head ? kind->head : "");
	if (error) {
		add(text, "%s%s", has_head ? " " : "", err_name(error, name));
		return;
	}
	for (unsigned i = 0; i < kind->field_count; i++) {
		const uint32_t value = recorder->reported.value[kind->fields[i]];

		if (form->is_compact) {
			add(text, "%s%" PRIu32, i ? " " : "", value);
		} else if (kind->head) {
			add(text, " %" PRIu32, value);
		} else {
			add(text, "%s: %" PRIu32 " ", coalesce_fields[kind->fields[i]].name, value);
		}
	}
}

static bool is_mode(const struct vector_recorder *recorder)
{
	const struct vector_kind *const kind = recorder->subject->kind;

	for (unsigned i = 0; i < VECTOR_MODES_MAX && kind->modes[i]; i++) {
		if (recorder->reported.value[kind->fields[0]] == kind->modes[i]) {
			return true;
		}
	}
	return false;
}

static int add_registers(struct vector_recorder *recorder, bool is_fresh, const struct form *form, struct text *text,
			 struct err *err)
{
	const struct vector_kind *const kind = recorder->subject->kind;
	const bool moves = is_mode(recorder) && !is_fresh;
	uint32_t words[VECTOR_REGISTERS_MAX];
	const int ret = recorder->subject->ops->read_registers(recorder->subject, words, err);

	for (unsigned i = 0; ret == 0 && i < kind->register_count; i++) {
		const struct vector_register *const shown = &kind->registers[i];

		add(text, "%s", i ? " " : "");
		if (!form->is_compact) {
			add(text, "%s=", shown->name);
		}
		if (moves) {
			add(text, "*");
		} else {
			add(text, "%0*" PRIx32, 2 * (int)shown->bytes, words[i]);
		}
	}
	return ret;
}

/* READ-BACK|[LOG|]REGISTERS */
static int add_state(struct vector_recorder *recorder, const struct vector_step *step,
		     const struct vector_answer *answer, const struct form *form, struct text *text, struct err *err)
{
	const struct coalesce before = recorder->reported;
	int error;
	const int ret = recorder->subject->ops->report(recorder->subject, &recorder->reported, &error, err);
	const bool is_fresh = vector_step_sets(step) && coalesce_difference(&before, &recorder->reported);

	if (ret) {
		return ret;
	}
	add_report(recorder, error, form, text);
	if (form->without_registers) {
		return 0;
	}
	add(text, "|");
	if (recorder->subject->kind->has_log && !form->is_compact) {
		add(text, "%s%s|", answer->log[0] ? "dmesg: " : "", answer->log);
	}
	return add_registers(recorder, is_fresh, form, text, err);
}

static int write_compact(struct vector_recorder *recorder, const struct vector_step *step,
			 const struct vector_answer *answer, const struct form *form, struct text *text,
			 struct err *err)
{
	char state[sizeof(recorder->state)];
	struct text of_state = { state, sizeof(state) };
	const int ret = add_state(recorder, step, answer, form, &of_state, err);

	add_errno(answer, text);
	if (ret || strcmp(state, recorder->state) == 0) {
		text->at[-1] = '\0';
		return ret;
	}
	add(text, "%s", state);
	strcpy(recorder->state, state);
	return 0;
}

int vector_recorder_init(struct vector_recorder *recorder, struct vector_subject *subject, struct err *err)
{
	int error;

	*recorder = (struct vector_recorder){ .subject = subject, .is_up = true, .mbps = subject->kind->speeds[0] };
	return subject->ops->report(subject, &recorder->reported, &error, err);
}

int vector_record(struct vector_recorder *recorder, const char *line, char written[VECTOR_LINE_MAX], struct err *err)
{
	struct text text = { written, VECTOR_LINE_MAX };
	struct vector_step step;
	struct vector_answer answer;

	if (line[0] == '#') {
		add(&text, "%.*s", (int)strcspn(line, "\n"), line);
		return 0;
	}
	const struct form form = form_of(recorder, line);
	int ret = vector_step_parse(&step, line, err);

	ret = ret || step.goes_on ? ret : start_anew(recorder, &step, err);
	ret = ret ? ret : perform(recorder, &step, &answer, err);
	if (ret) {
		return ret;
	}
	add_speed(recorder, &step, &text);
	if (form.is_compact) {
		return write_compact(recorder, &step, &answer, &form, &text, err);
	}
	add_complaint(recorder, &answer, &text);
	return add_state(recorder, &step, &answer, &form, &text, err);
}

int vector_record_all(struct vector_recorder *recorder, FILE *in, FILE *out, struct err *err)
{
	char line[VECTOR_LINE_MAX], written[VECTOR_LINE_MAX];

	for (unsigned number = 1; fgets(line, sizeof(line), in); number++) {
		const int ret = vector_record(recorder, line, written, err);

		if (ret) {
			return err_prefix(err, ret, "line %u", number);
		}
		fprintf(out, "%s\n", written);
	}
	return 0;
}
