/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors/step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static int parse_speed(struct vector_step *step, const char *text, struct err *err)
{
	if (text[0] == '=') {
		step->goes_on = true;
		return 0;
	}
	if (strcmp(text, "down") == 0) {
		step->mbps = 0;
		return 0;
	}
	return text_parse_u32(text, "speed", &step->mbps, err);
}

/* The request itself is checked by the parser of the program; here only the order of its fields is taken. */
static int parse_request(struct vector_step *step, const char *words, struct err *err)
{
	char copy[VECTOR_WORDS_MAX], *rest = copy, *name;
	const int ret = coalesce_parse_text(&step->request, words, err);

	if (ret) {
		return ret;
	}
	strcpy(copy, words);
	while ((name = strsep(&rest, " ")) && strsep(&rest, " ")) {
		step->fields[step->field_count++] = coalesce_field_find(name);
	}
	return 0;
}

/* The words behind the first one, where that is `word`. */
static const char *behind(const char *words, const char *word)
{
	const size_t length = strlen(word);

	return strncmp(words, word, length) == 0 && words[length] == ' ' ? words + length + 1 : NULL;
}

static int parse_number(struct vector_step *step, const char *text, struct err *err)
{
	char number[16];

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(text, " "), text);
	return text_parse_u32(number, "number", &step->number, err);
}

static int parse_words(struct vector_step *step, struct err *err)
{
	const char *rest;

	if (strcmp(step->words, "ifdown") == 0 || strcmp(step->words, "ifup") == 0) {
		step->action = step->words[2] == 'd' ? VECTOR_IFDOWN : VECTOR_IFUP;
		return 0;
	}
	if ((rest = behind(step->words, "link"))) {
		step->action = VECTOR_LINK;
		return parse_number(step, rest, err);
	}
	if ((rest = behind(step->words, "ioctl"))) {
		step->action = VECTOR_SET_IOCTL;
		return parse_request(step, rest, err);
	}
	if ((rest = behind(step->words, "queue"))) {
		step->action = VECTOR_SET_QUEUE;
		const int ret = parse_number(step, rest, err);

		rest = strchr(rest, ' ');
		return ret ? ret : parse_request(step, rest ? rest + 1 : "", err);
	}
	step->action = VECTOR_SET;
	return parse_request(step, step->words, err);
}

int vector_step_parse(struct vector_step *step, const char *line, struct err *err)
{
	char speed[16];
	const size_t speed_length = strcspn(line, "|\n");

	*step = (struct vector_step){ 0 };
	if (line[speed_length] != '|' || speed_length >= sizeof(speed)) {
		return err_set(err, -EINVAL, "\"%.40s\" is no line SPEED|WORDS", line);
	}
	snprintf(speed, sizeof(speed), "%.*s", (int)speed_length, line);
	line += speed_length + 1;
	const size_t length = strcspn(line, "|\n");

	if (length >= sizeof(step->words)) {
		return err_set(err, -EINVAL, "words of %zu characters are too long", length);
	}
	snprintf(step->words, sizeof(step->words), "%.*s", (int)length, line);
	int ret = parse_speed(step, speed, err);

	ret = ret ? ret : parse_words(step, err);
	if (ret == 0 && !vector_step_sets(step) && !step->goes_on) {
		return err_set(err, -EINVAL, "\"%s\" is for lines that go on, with = before the speed", step->words);
	}
	return ret;
}

unsigned vector_step_offset(const struct vector_step *step, enum coalesce_field field)
{
	unsigned at = 0;

	while (at < step->field_count && step->fields[at] != field) {
		at++;
	}
	return VECTOR_FIRST_OFFSET + VECTOR_ATTRIBUTE_BYTES * at;
}
