/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/text.h"

#define TEXT(type, member)                                                                                    \
	{                                                                                                     \
#member, STORE_MEMBER_TEXT, offsetof(struct type, member), sizeof(((struct type *)0)->member) \
	}
#define VALUE(type, kind, member)                               \
	{                                                       \
#member, kind, offsetof(struct type, member), 0 \
	}
#define MEMBERS(table)                                    \
	{                                                 \
		table, sizeof(table) / sizeof((table)[0]) \
	}

static const struct store_member entry_members[] = {
	TEXT(store_entry, uuid),
	VALUE(store_entry, STORE_MEMBER_I64, taken_at_ns),
	TEXT(store_entry, machine),
	TEXT(store_entry, version),
	TEXT(store_entry, command),
	TEXT(store_entry, label),
	TEXT(store_entry, experiment),
	VALUE(store_entry, STORE_MEMBER_ROLE, role),
	VALUE(store_entry, STORE_MEMBER_U32, cell),
	VALUE(store_entry, STORE_MEMBER_U32, repeat),
};

static const struct store_member experiment_members[] = {
	TEXT(store_experiment, uuid),
	TEXT(store_experiment, kind),
	VALUE(store_experiment, STORE_MEMBER_I64, made_at_ns),
	TEXT(store_experiment, machine),
	TEXT(store_experiment, version),
	TEXT(store_experiment, command),
	TEXT(store_experiment, label),
	VALUE(store_experiment, STORE_MEMBER_SEED, seed),
	VALUE(store_experiment, STORE_MEMBER_LONG_TEXT, plan),
};

static const struct store_member cell_members[] = {
	TEXT(store_cell, setting),
	TEXT(store_cell, workload),
	VALUE(store_cell, STORE_MEMBER_STATE, state),
	TEXT(store_cell, reason),
};

const struct store_members store_entry_members = MEMBERS(entry_members);
const struct store_members store_experiment_members = MEMBERS(experiment_members);
const struct store_members store_cell_members = MEMBERS(cell_members);

static void put_seed(struct json_writer *writer, const char *key, uint64_t seed)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, seed);
	json_put_string(writer, key, digits);
}

static void put_member(struct json_writer *writer, const struct store_member *member, const void *at)
{
	switch (member->type) {
	case STORE_MEMBER_TEXT:
		if (*(const char *)at) {
			json_put_string(writer, member->key, at);
		}
		break;
	case STORE_MEMBER_LONG_TEXT:
		json_put_string(writer, member->key, *(char *const *)at);
		break;
	case STORE_MEMBER_U32:
		if (*(const uint32_t *)at) {
			json_put_unsigned(writer, member->key, *(const uint32_t *)at);
		}
		break;
	case STORE_MEMBER_I64:
		json_put_integer(writer, member->key, *(const int64_t *)at);
		break;
	case STORE_MEMBER_SEED:
		put_seed(writer, member->key, *(const uint64_t *)at);
		break;
	case STORE_MEMBER_ROLE:
		json_put_string(writer, member->key, store_role_name(*(const enum store_role *)at));
		break;
	case STORE_MEMBER_STATE:
		json_put_string(writer, member->key, store_cell_state_name(*(const enum store_cell_state *)at));
		break;
	}
}

void store_put_members(struct json_writer *writer, const struct store_members *members, const void *object)
{
	for (unsigned i = 0; i < members->count; i++) {
		put_member(writer, &members->at[i], (const char *)object + members->at[i].offset);
	}
}

static bool take_text(const struct store_member *member, const char *text, void *at)
{
	const size_t length = strlen(text);

	if (length < member->size) {
		memcpy(at, text, length + 1);
	}
	return length < member->size;
}

static bool take_role(const char *name, enum store_role *role)
{
	for (*role = 0; *role < STORE_ROLES; (*role)++) {
		if (strcmp(store_role_name(*role), name) == 0) {
			return true;
		}
	}
	return false;
}

static bool take_state(const char *name, enum store_cell_state *state)
{
	for (*state = 0; *state < STORE_CELL_STATES; (*state)++) {
		if (strcmp(store_cell_state_name(*state), name) == 0) {
			return true;
		}
	}
	return false;
}

static bool take_number(const struct store_member *member, const json_t *value, void *at)
{
	const json_int_t number = json_integer_value(value);

	if (member->type == STORE_MEMBER_I64) {
		*(int64_t *)at = number;
		return json_is_integer(value) && number >= 0;
	}
	*(uint32_t *)at = (uint32_t)number;
	return json_is_integer(value) && number >= 0 && number <= UINT32_MAX;
}

static bool take_member(const struct store_member *member, const json_t *value, void *at)
{
	const char *const text = json_string_value(value);

	if (member->type == STORE_MEMBER_U32 || member->type == STORE_MEMBER_I64) {
		return take_number(member, value, at);
	}
	if (!text) {
		return false;
	}
	switch (member->type) {
	case STORE_MEMBER_TEXT:
		return take_text(member, text, at);
	case STORE_MEMBER_LONG_TEXT:
		*(char **)at = strdup(text);
		return *(char **)at;
	case STORE_MEMBER_SEED:
		return text_parse_u64(text, "seed", at, NULL) == 0;
	case STORE_MEMBER_ROLE:
		return take_role(text, at);
	default:
		return take_state(text, at);
	}
}

int store_take_members(const struct store_members *members, const struct json_t *from, unsigned others, void *object,
		       const char *what, struct err *err)
{
	size_t found = others;

	if (!json_is_object(from)) {
		return err_set(err, -EINVAL, "%s: expected an object", what);
	}
	for (unsigned i = 0; i < members->count; i++) {
		const struct store_member *const member = &members->at[i];
		const json_t *const value = json_object_get(from, member->key);

		if (value && !take_member(member, value, (char *)object + member->offset)) {
			return err_set(err, -EINVAL, "%s: %s has a value that it cannot have", what, member->key);
		}
		found += value != NULL;
	}
	return found == json_object_size(from)
		       ? 0
		       : err_set(err, -EINVAL, "%s: a key that this version of holdoff does not know", what);
}
