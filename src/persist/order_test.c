/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "persist/persist_testing.h"

#define FILES_MAX 3

struct order_case {
	const char *names[FILES_MAX];
	const char *matches[FILES_MAX]; /* lines of [Match] */
	const char *findings[FILES_MAX];
};

static void check_order(const struct order_case *row)
{
	static struct persist_file files[FILES_MAX];
	struct persist_file *pointers[FILES_MAX];
	unsigned count = 0;

	for (; count < FILES_MAX && row->names[count]; count++) {
		char text[512];

		snprintf(text, sizeof(text), "[Match]\n%s\n[Link]\nName=a\nRxCoalesceSec=1us\n", row->matches[count]);
		tap_is(persist_read(&files[count], row->names[count], text, NULL), 0, "%s is read", row->names[count]);
		pointers[count] = &files[count];
	}
	persist_check_order(pointers, row->names, count);
	for (unsigned i = 0; i < count; i++) {
		testing_findings(&files[i], row->findings[i], row->names[i]);
	}
}

static void test_order(void)
{
	static const struct order_case cases[] = {
		{ { "20-b.link", "10-a.link" },
		  { "Driver=ena", "Driver=ena" },
		  { "1 wrong never applies: \"10-a.link\"", "" } },
		{ { "10-a.link", "20-b.link" },
		  { "Driver=e*", "Driver=ena igb" },
		  { "", "1 note \"10-a.link\" matches" } },
		{ { "10-a.link", "20-b.link" }, { "Driver=e* i*", "Driver=ena igb" }, { "", "1 wrong never applies" } },
		{ { "10-a.link", "20-b.link" }, { "Driver=ena", "Driver=igb" }, { "", "" } },
		{ { "10-a.link", "20-b.link" },
		  { "Driver=ena", "Driver=ena\nPermanentMACAddress=02:00:00:00:00:01" },
		  { "", "1 wrong never applies" } },
		{ { "10-a.link", "20-b.link" },
		  { "Driver=ena\nPermanentMACAddress=02:00:00:00:00:01", "Driver=ena" },
		  { "", "1 note comes first by name" } },
		{ { "10-a.link", "20-b.link" },
		  { "PermanentMACAddress=02:00:00:00:00:0a", "PermanentMACAddress=02:00:00:00:00:0A" },
		  { "", "1 wrong never applies" } },
		{ { "10-a.link", "20-b.link" },
		  { "PermanentMACAddress=02:00:00:00:00:0a", "Path=pci-0000:00:03.0" },
		  { "", "1 note comes first by name" } },
		{ { "10-a.link", "20-b.link" }, { "Driver=!ena", "Driver=igb" }, { "", "1 note comes first by name" } },
		{ { "10-a.link", "20-b.link" },
		  { "OriginalName=*", "Driver=igb" },
		  { "2 note every interface", "1 wrong never applies" } },
		{ { "10-a.link", "20-b.link" },
		  { "Driver=ena\nDriver=igb", "Driver=igb" },
		  { "", "1 wrong never applies" } },
		{ { "/usr/lib/systemd/network/10-a.link", "/etc/systemd/network/10-a.link" },
		  { "Driver=ena", "Driver=ena" },
		  { "", "1 warning has the same name" } },
		{ { "/z/10-a.link", "/a/20-b.link", "/b/30-c.link" },
		  { "Driver=ena", "Driver=igb", "Driver=igb" },
		  { "", "", "1 wrong never applies: \"20-b.link\"" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_order(&cases[i]);
	}
}

int main(void)
{
	test_order();
	return tap_done();
}
