/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of /proc/interrupts is: number, a count for each CPU, the interrupt chip and what it says about the line,
 * two blanks or more, the actions. What stands between counts and actions has no fixed form: "IR-PCI-MSI
 * 524288-edge", "GICv2 189 Level", "pinctrl-rp1 37 Level", "xen-pirq-msi-x", "PCI-MSIX-0000:00:04.0 1-edge". The
 * kernel (show_interrupts in kernel/irq/proc.c) puts two blanks before the first action and nothing behind the last
 * one, pads what comes before, and has no two blanks within a list of actions; so the last gap of two begins the
 * actions, and a line that ends in a blank or in a number has none.
 *
 * Names of actions are the drivers' own. Words by which vectors without frames are known, each from the request_irq
 * of at least one driver of Linux 6.12: misc fdir (i40e, ice), mgmnt (ena, gve), config control (virtio), async
 * (mlx5, mlx4), lsc exn (nfp), link (various), err er (gianfar), lpi wol safety (stmmac), pps ptp (various), aen mbox
 * (various).
 */
#include "nic/interrupts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned count_cpus(const char *text, const char *end)
{
	unsigned cpus = 0;

	for (const char *at = text; at + 3 <= end; at++) {
		if (memcmp(at, "CPU", 3) == 0) {
			cpus++;
		}
	}
	return cpus;
}

void interrupts_begin(struct interrupts_reader *reader, const char *text)
{
	*reader = (struct interrupts_reader){ text, count_cpus(text, text + strcspn(text, "\n")) };
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t')) {
		at++;
	}
	return at;
}

/* A number that ends at a blank or at the end; NULL if there is none. */
static const char *scan_number(const char *at, const char *end, uint64_t *value)
{
	const char *begin = at;

	*value = 0;
	while (at < end && isdigit((unsigned char)*at)) {
		*value = *value * 10 + (uint64_t)(*at - '0');
		at++;
	}
	return at > begin && (at == end || *at == ' ' || *at == '\t') ? at : NULL;
}

/* The counts, as many as there are CPUs; without a heading as many as there are numbers. */
static const char *scan_counts(const char *at, const char *end, unsigned cpus, struct interrupts_line *line)
{
	uint64_t count;

	line->count = line->busiest_count = 0;
	line->busiest = 0;
	for (unsigned i = 0; cpus == 0 || i < cpus; i++) {
		const char *behind = scan_number(skip_blanks(at, end), end, &count);

		if (!behind) {
			break;
		}
		line->count += count;
		if (count > line->busiest_count) {
			line->busiest_count = count;
			line->busiest = i;
		}
		at = behind;
	}
	return at;
}

static bool is_number(const char *at, const char *end)
{
	uint64_t value;

	return scan_number(at, end, &value) == end;
}

static void take_action(struct interrupts_line *line, const char *at, const char *end)
{
	const char *begin = NULL;

	line->action[0] = '\0';
	for (const char *gap = at; gap + 2 < end; gap++) {
		if (gap[0] == ' ' && gap[1] == ' ' && gap[2] != ' ') {
			begin = gap + 2;
		}
	}
	if (begin && end[-1] != ' ' && !is_number(begin, end)) {
		snprintf(line->action, sizeof(line->action), "%.*s", (int)(end - begin), begin);
	}
}

static bool parse_line(struct interrupts_line *line, const char *at, const char *end, unsigned cpus)
{
	uint64_t irq = 0;

	at = skip_blanks(at, end);
	const char *colon = memchr(at, ':', (size_t)(end - at));
	if (!colon || !is_number(at, colon) || scan_number(at, colon, &irq) == NULL || irq > UINT32_MAX) {
		return false;
	}
	line->irq = (uint32_t)irq;
	at = scan_counts(colon + 1, end, cpus, line);
	take_action(line, at, end);
	return true;
}

bool interrupts_next(struct interrupts_reader *reader, struct interrupts_line *line)
{
	while (*reader->next) {
		const char *begin = reader->next, *end = begin + strcspn(begin, "\n");

		reader->next = *end ? end + 1 : end;
		if (parse_line(line, begin, end, reader->cpus)) {
			return true;
		}
	}
	return false;
}

/* Where the name stands whole, or NULL. */
static const char *find_name(const char *action, const char *name)
{
	const size_t length = strlen(name);

	if (length == 0) {
		return NULL;
	}
	for (const char *at = strstr(action, name); at; at = strstr(at + 1, name)) {
		const bool begins = at == action || !isalnum((unsigned char)at[-1]);

		if (begins && !isalnum((unsigned char)at[length])) {
			return at;
		}
	}
	return NULL;
}

bool interrupts_action_has(const char *action, const char *name)
{
	return find_name(action, name) != NULL;
}

/* "lan" is no action of "lan-1", where both exist. */
static bool belongs_to_other(const char *action, const struct interrupts_names *names)
{
	const char *const *other = names->others;

	for (; other && *other; other++) {
		if (find_name(*other, names->interface) && find_name(action, *other)) {
			return true;
		}
	}
	return false;
}

bool interrupts_match(const char *action, const struct interrupts_names *names)
{
	if (find_name(action, names->interface) && !belongs_to_other(action, names)) {
		return true;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (names->devices[i] && find_name(action, names->devices[i])) {
			return true;
		}
	}
	return false;
}

/* The kernel names a PHY, and so its interrupt, BUS:ADDRESS with two hexadecimal digits (PHY_ID_FMT). */
static bool is_phy(const char *action)
{
	const size_t length = strlen(action);
	const char *end = action + length;

	return length > 3 && end[-3] == ':' && isxdigit((unsigned char)end[-2]) && isxdigit((unsigned char)end[-1]);
}

/* A word without the number at its end: "async0" is "async". */
static bool moves_no_frames(const char *word, size_t length)
{
	static const char *const words[] = {
		"misc",    "fdir",   "mgmnt",    "mgmt",  "config", "control", "ctrl",  "async", "cmd",
		"link",    "lsc",    "phy",      "other", "err",    "er",      "error", "pps",   "ptp",
		"wol",     "wakeup", "lpi",      "event", "events", "exn",     "aen",   "mbox",  "mbx",
		"mailbox", "adminq", "slowpath", "sp",    "safety", "sfty",    "oicr",
	};

	while (length > 0 && isdigit((unsigned char)word[length - 1])) {
		length--;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0) {
			return true;
		}
	}
	return false;
}

/* Writes the action with the interface's and the device's names taken out, so that an interface may be called
 * "link". */
static void without_names(const char *action, const struct interrupts_names *names, char rest[INTERRUPTS_ACTION_MAX])
{
	const char *const all[] = { names->interface, names->devices[0], names->devices[1] };

	snprintf(rest, INTERRUPTS_ACTION_MAX, "%s", action);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *at = all[i] ? find_name(rest, all[i]) : NULL;

		if (at) {
			memset(&rest[at - rest], ' ', strlen(all[i]));
		}
	}
}

static bool is_auxiliary(const char *action, const struct interrupts_names *names)
{
	char rest[INTERRUPTS_ACTION_MAX];

	if (action[0] == '\0' || is_phy(action)) {
		return true;
	}
	without_names(action, names, rest);
	if (strstr(rest, ":mac")) {
		return true; /* stmmac's line for the MAC itself; tsnep's first queue is "-mac" */
	}
	for (const char *at = rest; *at;) {
		size_t length = 0;

		while (isalnum((unsigned char)at[length])) {
			length++;
		}
		if (moves_no_frames(at, length)) {
			return true;
		}
		at += length ? length : 1;
	}
	return false;
}

void interrupts_classify(struct nic_vector *vectors, unsigned count, const struct interrupts_names *names)
{
	bool has_queues = false;

	for (unsigned i = 0; i < count; i++) {
		/* Of a shared line the other devices' words say nothing. */
		vectors[i].is_data = vectors[i].is_shared || !is_auxiliary(vectors[i].action, names);
		if (vectors[i].is_data && strcmp(vectors[i].action, names->interface) != 0) {
			has_queues = true;
		}
	}
	for (unsigned i = 0; has_queues && i < count; i++) {
		if (strcmp(vectors[i].action, names->interface) == 0) {
			vectors[i].is_data = false;
		}
	}
}

/* Bit `bit` of the mask, counted from its end; groups of eight digits are separated by commas. */
static bool mask_bit(const char *mask, size_t length, unsigned bit)
{
	unsigned digit = bit / 4;

	for (size_t i = length; i > 0; i--) {
		const char digit_text = mask[i - 1];

		if (digit_text == ',') {
			continue;
		}
		if (digit == 0) {
			const unsigned value = isdigit((unsigned char)digit_text)
						       ? (unsigned)(digit_text - '0')
						       : (unsigned)(tolower((unsigned char)digit_text) - 'a') + 10;

			return value >> bit % 4 & 1;
		}
		digit--;
	}
	return false;
}

bool interrupts_mask_to_list(const char *mask, char *list, unsigned size)
{
	const size_t length = strspn(mask, "0123456789abcdefABCDEF,");
	const unsigned bits = 4 * (unsigned)length;
	unsigned used = 0;

	if (length == 0 || (mask[length] != '\0' && mask[length] != '\n') || size == 0) {
		return false;
	}
	list[0] = '\0';
	for (unsigned first = 0; first < bits; first++) {
		unsigned last = first;

		if (!mask_bit(mask, length, first)) {
			continue;
		}
		while (last + 1 < bits && mask_bit(mask, length, last + 1)) {
			last++;
		}
		const int written =
			last > first ? snprintf(list + used, size - used, "%s%u-%u", used ? "," : "", first, last)
				     : snprintf(list + used, size - used, "%s%u", used ? "," : "", first);
		if (written < 0 || (unsigned)written >= size - used) {
			return false;
		}
		used += (unsigned)written;
		first = last;
	}
	return used > 0;
}
