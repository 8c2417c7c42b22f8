/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of all workloads as one of comma-separated values. */
#include <errno.h>

#include "page/page_private.h"
#include "report/csv.h"

static void put_head(FILE *out)
{
	unsigned count;
	const struct page_column *const column = page_columns(&count);
	bool is_first = true;

	for (unsigned i = 0; i < count; i++) {
		if (column[i].key) {
			fprintf(out, "%s%s", is_first ? "" : ",", column[i].key);
			is_first = false;
		}
	}
	putc('\n', out);
}

static void put_row(const struct page_view *view, FILE *out)
{
	char text[PAGE_TEXT_MAX];
	unsigned count;
	const struct page_column *const column = page_columns(&count);
	bool is_first = true;

	for (unsigned i = 0; i < count; i++) {
		if (!column[i].key) {
			continue;
		}
		column[i].print(&column[i], view, text);
		fputs(is_first ? "" : ",", out);
		if (column[i].is_number) {
			fputs(text, out);
		} else {
			csv_put_text(out, text);
		}
		is_first = false;
	}
	putc('\n', out);
}

int page_csv_write(const struct page *page, FILE *out)
{
	put_head(out);
	for (unsigned i = 0; i < page->group_count; i++) {
		const struct page_group *const group = page->group[i];

		for (unsigned row = 0; row < group->tuning.grid.count; row++) {
			put_row(&(struct page_view){ page, group, row }, out);
		}
	}
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
