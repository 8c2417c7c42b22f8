/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page as Markdown: sentences and tables, to be pasted. */
#include <errno.h>
#include <string.h>

#include "page/page_private.h"

/* What Markdown, or HTML within it, would take for markup stands behind a backslash. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		const bool is_control = (unsigned char)*text < ' ' || *text == 127;

		if (!is_control && strchr("\\`*_{}[]<>#|&!~$@", *text)) {
			putc('\\', out);
		}
		putc(is_control ? ' ' : *text, out);
	}
}

static void say(void *context, const char *sentence)
{
	FILE *const out = context;

	fputs("- ", out);
	put_text(out, sentence);
	fputs(".\n", out);
}

static void put_conditions(const struct page_subject *subject, FILE *out)
{
	for (unsigned i = 0; i < PAGE_CONDITIONS; i++) {
		const struct page_condition *const condition = &subject->condition[i];

		if (!condition->is_known || (condition->value[0] == '\0' && !condition->varies)) {
			continue;
		}
		fprintf(out, "- %s: ", page_condition_names[i]);
		put_text(out, condition->value[0] ? condition->value : "not known");
		fputs(condition->varies ? " (not in all runs)\n" : "\n", out);
	}
	if (subject->tainted) {
		fprintf(out, "- **tainted: %u of %u runs**\n", subject->tainted, subject->runs);
	}
	for (unsigned i = 0; i < subject->taint_count; i++) {
		fputs("  ", out);
		say(out, subject->taint[i]);
	}
}

static void put_table(const struct page *page, const struct page_group *group, FILE *out)
{
	struct page_view view = { page, group, 0 };
	char text[PAGE_TEXT_MAX];
	unsigned count;
	const struct page_column *const column = page_columns(&count);

	for (unsigned i = 0; i < count; i++) {
		if (column[i].heading && page_column_is_used(page, group, &column[i])) {
			fprintf(out, "| %s ", column[i].heading);
		}
	}
	fputs("|\n", out);
	for (unsigned i = 0; i < count; i++) {
		if (column[i].heading && page_column_is_used(page, group, &column[i])) {
			fputs(column[i].is_number ? "|---:" : "|---", out);
		}
	}
	fputs("|\n", out);
	for (unsigned row = 0; row < group->tuning.grid.count; row++) {
		view.cell = row;
		for (unsigned i = 0; i < count; i++) {
			if (column[i].heading && page_column_is_used(page, group, &column[i])) {
				column[i].print(&column[i], &view, text);
				fputs("| ", out);
				put_text(out, text);
				putc(' ', out);
			}
		}
		fputs("|\n", out);
	}
}

static void put_overview(const struct page *page, FILE *out)
{
	fputs("\n|  | workload | in short | p99 | CPU time | settings | subject |\n|---|---|---|---|---|---:|---|\n",
	      out);
	for (unsigned i = 0; i < page->group_count; i++) {
		const struct page_group *const group = page->group[i];
		struct page_overview overview;

		page_overview(group, &overview);
		fprintf(out, "| %s | ", group->tuning.grid.source == RUN_MODEL ? "MODEL" : "measured");
		put_text(out, group->tuning.grid.workload);
		fputs(" | ", out);
		put_text(out, overview.verdict);
		fprintf(out, " | %s | %s | %u | ", overview.latency, overview.cpu, group->tuning.grid.count);
		put_text(out, page->subject[group->subject].name);
		fputs(" |\n", out);
	}
}

static void put_commands(const struct page *page, FILE *out)
{
	fputs("\n## To repeat it\n\n", out);
	for (unsigned i = 0; i <= page->command_count; i++) {
		const char *text = i < page->command_count ? page->command[i] : page->own_command;

		fputs("    ", out);
		for (; *text; text++) {
			putc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
		}
		putc('\n', out);
	}
	if (page->commands_left_out) {
		fprintf(out, "\nRuns of %u more commands are not listed here.\n", page->commands_left_out);
	}
}

int page_markdown_write(const struct page *page, FILE *out)
{
	fputs("# What interrupt coalescing does to latency and CPU time\n\n", out);
	page_say_all(page, say, out);
	put_overview(page, out);
	for (unsigned i = 0; i < page->subject_count; i++) {
		const struct page_subject *const subject = &page->subject[i];

		fprintf(out, "\n## %s ", subject->source == RUN_MODEL ? "MODEL" : "Measured:");
		put_text(out, subject->name);
		fputs("\n\n", out);
		put_conditions(subject, out);
		for (unsigned j = 0; j < page->group_count; j++) {
			if (page->group[j]->subject != i) {
				continue;
			}
			fputs("\n### ", out);
			put_text(out, page->group[j]->tuning.grid.workload);
			fputs("\n\n", out);
			page_say_group(page->group[j], say, out);
			putc('\n', out);
			put_table(page, page->group[j], out);
		}
	}
	put_commands(page, out);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
