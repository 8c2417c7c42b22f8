/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diagnose/clean.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static void becomes_bytes(const char *from, size_t size, const char *to, const char *what)
{
	char text[256];

	memcpy(text, from, size);
	const size_t length = diagnose_clean(text, size);

	tap_is_text(text, to, "%s", what);
	tap_is((int64_t)length, (int64_t)strlen(text), "%s: its length", what);
}

static void becomes(const char *from, const char *to, const char *what)
{
	becomes_bytes(from, strlen(from), to, what);
}

int main(void)
{
	becomes("", "", "nothing");
	becomes("a\r\nb\r\r\n\r\nc", "a\nb\n\nc", "carriage returns");
	becomes("> > x\n>y\n>  z\n", "x\ny\n z\n", "quoting");
	becomes("a > b\n", "a > b\n", "a sign within the line");
	becomes("\xef\xbb\xbfx", "x", "a byte order mark");
	becomes("```sh\nrx-usecs: 3\n```\n", "\nrx-usecs: 3\n\n", "marks of a code block");
	becomes("\033[1;32mroot\033[0m# \033]0;title\ax\n", "root# x\n", "escape sequences");
	becomes("\033[1\nx\033", "\nx", "escape sequences that are cut off");
	becomes("10 \xc2\xb5s \xce\xbcs\xc2\xa0x\n", "10 us us x\n", "micro signs and a blank that does not break");
	becomes("\xc3\xa4\xff\xe2\x82\xac\xe2\x82\n", "????\n", "what is no ASCII, damaged or not");
	becomes("a\x07\x7f\tb\n", "a  \tb\n", "control characters");
	becomes_bytes("a\0b\n", 4, "a b\n", "a NUL");
	becomes_bytes("\xff\xfe"
		      "P\0i\0\n\0",
		      8, "Pi\n", "UTF-16 as Windows writes it");
	return tap_done();
}
