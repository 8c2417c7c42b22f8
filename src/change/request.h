/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked of an interface, as words: ethtool's "WORD VALUE" pairs for the whole device, then scopes that hold until
 * the next one: "queue LIST" (0-3,5) with the same words, "napi ID" with the kernel's words for one NAPI instance.
 */
#ifndef HOLDOFF_CHANGE_REQUEST_H
#define HOLDOFF_CHANGE_REQUEST_H

#include "change/change.h"

#define CHANGE_NAPI_FIELDS 4

/* A knob of a NAPI instance that can be set. */
struct change_napi_field {
	enum nic_napi_field field;
	const char *name, *json_key;
};

extern const struct change_napi_field change_napi_fields[CHANGE_NAPI_FIELDS];

uint64_t change_napi_value(const struct nic_napi *napi, enum nic_napi_field field);
void change_napi_put(struct nic_napi *napi, enum nic_napi_field field, uint64_t value);
/* The mask of settable fields that are given in both and differ. */
uint32_t change_napi_difference(const struct nic_napi *a, const struct nic_napi *b);

/* The given fields of the mask alone. */
struct coalesce change_only(const struct coalesce *settings, uint32_t fields);

/* The instance of that number in what nic_napi_list gave, or NULL. */
const struct nic_napi *change_find_napi(const struct nic_napi *napis, unsigned count, uint32_t id);

/* The one of that number, or NULL; with `add` it is made, and NULL means that there is no room. */
struct change_queue *change_set_queue(struct change_set *set, uint32_t queue, bool add);
struct nic_napi *change_set_napi(struct change_set *set, uint32_t id, bool add);
const struct coalesce *change_set_queue_settings(const struct change_set *set, uint32_t queue);
/* Whether the queue of that index has nothing that the device does not have too: telling of the device tells of it. */
bool change_queue_follows(const struct change_set *set, unsigned index);
/* The instance of that number in a set, or NULL. */
const struct nic_napi *change_set_napi_settings(const struct change_set *set, uint32_t id);
/* Each field that `from` has, put over what `to` has. */
void change_set_merge(struct change_set *to, const struct change_set *from);
bool change_set_is_empty(const struct change_set *set);

/* Strict as coalesce_parse is: *set is written only when all of the words are right. A knob of a NAPI instance is a count, a time
 * in ns (bare, or with a unit) or on/off. */
int change_set_parse(struct change_set *set, const char *const *words, unsigned count, struct err *err);

#define CHANGE_NAPI_TEXT_MAX 160

/* "defer-hard-irqs 2 gro-flush-timeout 20000": parseable again. Returns buffer. */
char *change_napi_print(const struct nic_napi *napi, char buffer[CHANGE_NAPI_TEXT_MAX]);
/* The settable fields only; the id is left alone. */
int change_napi_parse_text(struct nic_napi *napi, const char *text, struct err *err);

#endif
