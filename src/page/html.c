/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page as HTML: one file that loads nothing. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/page_private.h"
#include "page/style.h"

struct html {
	const struct page *page;
	page_draw_fn *draw;
	void *context;
	FILE *out;
	unsigned plots;
	bool is_told; /* why there are no plots */
};

/* Control characters would make it another document. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
		}
	}
}

static const char *source_class(enum run_source source)
{
	return source == RUN_MODEL ? "model" : "measured";
}

static const char *source_name(enum run_source source)
{
	return source == RUN_MODEL ? "MODEL" : "measured";
}

static void put_source(FILE *out, enum run_source source)
{
	fprintf(out, "<span class=\"source %s\">%s</span>", source_class(source), source_name(source));
}

static void say(void *context, const char *sentence)
{
	FILE *const out = context;

	fputs("<li>", out);
	put_text(out, sentence);
	fputs(".</li>\n", out);
}

/* ---- plots ---- */

/* Names within one picture are those within every picture: here they get the picture's number. */
static void put_numbered(FILE *out, const char *text, const char *end, unsigned number)
{
	static const char *const before[] = { " id='", " id=\"", "url(#", "href='#", "href=\"#" };

	for (const char *at = text; at < end; at++) {
		putc(*at, out);
		for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
			const size_t length = strlen(before[i]);

			if ((size_t)(at + 1 - text) >= length && strncmp(at + 1 - length, before[i], length) == 0) {
				fprintf(out, "p%u", number);
			}
		}
	}
}

/* Without the prologue of a file, and with its caption for a title: gnuplot's is its own name. */
static void put_svg(FILE *out, const char *svg, unsigned number, const char *caption)
{
	static const char tag[] = "<svg";
	const char *const start = strstr(svg, tag);
	const char *const body = start ? start + strlen(tag) : svg;
	const char *const title = strstr(body, "<title>"), *const desc = strstr(body, "<desc>");
	const char *const desc_end = desc ? strstr(desc, "</desc>") : NULL;
	const bool has_title = title && desc_end && title < desc;

	fputs("<svg role=\"img\" aria-label=\"", out);
	put_text(out, caption);
	putc('"', out);
	put_numbered(out, body, has_title ? title : body + strlen(body), number);
	if (has_title) {
		put_numbered(out, desc_end + strlen("</desc>"), svg + strlen(svg), number);
	}
}

static void put_picture(struct html *html, const char *script, const char *caption)
{
	struct err err = { "" };
	char *svg = NULL;

	if (html->draw(html->context, script, &svg, &err) != 0) {
		if (!html->is_told) {
			fputs("<p class=\"soft\">No plots: ", html->out);
			put_text(html->out, err.text);
			fputs(".</p>\n", html->out);
		}
		html->is_told = true;
		return;
	}
	fputs("<figure><figcaption>", html->out);
	put_text(html->out, caption);
	fputs("</figcaption><div class=\"scroll\">", html->out);
	put_svg(html->out, svg, ++html->plots, caption);
	fputs("</div></figure>\n", html->out);
	free(svg);
}

/* A script that is being written to memory. */
struct plot_script {
	char *text;
	size_t length;
	FILE *out;
};

static FILE *plot_begin(struct plot_script *script)
{
	*script = (struct plot_script){ .text = NULL };
	script->out = open_memstream(&script->text, &script->length);
	return script->out;
}

static void plot_end(struct html *html, struct plot_script *script, bool is_there, const char *caption)
{
	if (script->out && fclose(script->out) == 0 && is_there) {
		put_picture(html, script->text, caption);
	}
	free(script->text);
}

typedef bool group_plot_fn(const struct page_group *group, FILE *out);

static void put_group_plot(struct html *html, const struct page_group *group, group_plot_fn *plot, const char *caption)
{
	struct plot_script script;
	FILE *const out = plot_begin(&script);

	plot_end(html, &script, out && plot(group, out), caption);
}

static void put_map(struct html *html, unsigned subject, enum tuning_axis axis, const char *caption)
{
	char note[PAGE_TEXT_MAX], text[PAGE_TEXT_MAX + 256];
	struct plot_script script;
	FILE *const out = plot_begin(&script);

	page_map_note(html->page, subject, note);
	snprintf(text, sizeof(text), "%s %s", caption, note);
	plot_end(html, &script, out && page_plot_map(html->page, subject, axis, out), text);
}

static void put_effective(struct html *html, unsigned subject, bool is_transmit)
{
	const bool is_model = html->page->subject[subject].source == RUN_MODEL;
	struct plot_script script;
	FILE *const out = plot_begin(&script);
	char caption[128];

	snprintf(caption, sizeof(caption), "%s: what was asked for, and what %s.", is_transmit ? "Transmit" : "Receive",
		 is_model ? "came of it" : "the driver reports");
	plot_end(html, &script, out && page_plot_effective(html->page, subject, is_transmit, out), caption);
}

/* ---- tables ---- */

static void put_head(const struct html *html, const struct page_group *group)
{
	unsigned count;
	const struct page_column *const column = page_columns(&count);

	fputs("<thead><tr>", html->out);
	for (unsigned i = 0; i < count; i++) {
		if (column[i].heading && page_column_is_used(html->page, group, &column[i])) {
			fprintf(html->out, "<th scope=\"col\"%s>", column[i].is_number ? " class=\"number\"" : "");
			put_text(html->out, column[i].heading);
			fputs("</th>", html->out);
		}
	}
	fputs("</tr></thead>\n", html->out);
}

/* An interval stands below its value: the table stays half as wide. */
static void put_cell_text(FILE *out, char *text)
{
	char *const interval = strstr(text, " (");

	if (interval) {
		*interval = '\0';
	}
	put_text(out, text);
	if (interval) {
		fputs("<br><span class=\"soft\">", out);
		put_text(out, interval + 1);
		fputs("</span>", out);
	}
}

static void put_row(const struct html *html, const struct page_view *view)
{
	const struct page_group *const group = view->group;
	char text[PAGE_TEXT_MAX];
	unsigned count;
	const struct page_column *const column = page_columns(&count);

	fprintf(html->out, "<tr%s>", page_has_knee(group) && group->tuning.knee == view->cell ? " class=\"knee\"" : "");
	for (unsigned i = 0; i < count; i++) {
		if (!column[i].heading || !page_column_is_used(html->page, group, &column[i])) {
			continue;
		}
		column[i].print(&column[i], view, text);
		fprintf(html->out, "<td%s%s%s>", column[i].is_number ? " class=\"number\"" : "",
			i == 0 ? " class=" : "", i == 0 ? source_class(group->tuning.grid.source) : "");
		put_cell_text(html->out, text);
		fputs("</td>", html->out);
	}
	fputs("</tr>\n", html->out);
}

static void put_table(const struct html *html, const struct page_group *group)
{
	struct page_view view = { html->page, group, 0 };

	fputs("<div class=\"scroll\"><table class=\"settings\">\n", html->out);
	put_head(html, group);
	fputs("<tbody>\n", html->out);
	for (unsigned i = 0; i < group->tuning.grid.count; i++) {
		view.cell = i;
		put_row(html, &view);
	}
	fputs("</tbody></table></div>\n", html->out);
}

static void put_conditions(const struct html *html, const struct page_subject *subject)
{
	fputs("<div class=\"scroll\"><table class=\"conditions\">\n", html->out);
	for (unsigned i = 0; i < PAGE_CONDITIONS; i++) {
		const struct page_condition *const condition = &subject->condition[i];

		if (!condition->is_known || (condition->value[0] == '\0' && !condition->varies)) {
			continue;
		}
		fputs("<tr><th scope=\"row\">", html->out);
		put_text(html->out, page_condition_names[i]);
		fputs("</th><td>", html->out);
		put_text(html->out, condition->value[0] ? condition->value : "not known");
		fputs(condition->varies ? " <strong>(not in all runs)</strong></td></tr>\n" : "</td></tr>\n",
		      html->out);
	}
	fputs("</table></div>\n", html->out);
	if (subject->taint_count == 0) {
		return;
	}
	fprintf(html->out, "<p><strong>Tainted: %u of %u runs.</strong></p><ul>\n", subject->tainted, subject->runs);
	for (unsigned i = 0; i < subject->taint_count; i++) {
		say(html->out, subject->taint[i]);
	}
	if (subject->taints_left_out) {
		fprintf(html->out, "<li>%u more reasons are not listed here.</li>\n", subject->taints_left_out);
	}
	fputs("</ul>\n", html->out);
}

/* ---- sections ---- */

static void put_group(struct html *html, unsigned number)
{
	const struct page_group *const group = html->page->group[number];

	fprintf(html->out, "<section class=\"%s\" id=\"w%u\"><h3>", source_class(group->tuning.grid.source),
		number + 1);
	put_source(html->out, group->tuning.grid.source);
	putc(' ', html->out);
	put_text(html->out, group->tuning.grid.workload);
	fputs("</h3>\n<ul>\n", html->out);
	page_say_group(group, say, html->out);
	fputs("</ul>\n<div class=\"plots\">\n", html->out);
	if (group->tuning.grid.count > 1) {
		put_group_plot(html, group, page_plot_front,
			       "What latency costs: each setting is a point; lower and further left is better.");
	}
	put_group_plot(html, group, page_plot_latency, "Latency by setting, of all its runs together.");
	put_group_plot(html, group, page_plot_curves, "The same as curves, of at most six settings.");
	put_group_plot(html, group, page_plot_stages,
		       "Where the time goes on its way in: means of the stages, which add up.");
	fputs("</div>\n", html->out);
	put_table(html, group);
	fputs("</section>\n", html->out);
}

static void put_subject(struct html *html, unsigned number)
{
	const struct page_subject *const subject = &html->page->subject[number];

	fputs("<h2>", html->out);
	put_source(html->out, subject->source);
	putc(' ', html->out);
	put_text(html->out, subject->name);
	fputs("</h2>\n", html->out);
	put_conditions(html, subject);
	fputs("<div class=\"plots\">\n", html->out);
	put_effective(html, number, false);
	put_effective(html, number, true);
	fputs("</div>\n", html->out);
	for (unsigned i = 0; i < html->page->group_count; i++) {
		if (html->page->group[i]->subject == number) {
			put_group(html, i);
		}
	}
	fputs("<div class=\"plots\">\n", html->out);
	put_map(html, number, TUNING_BUSY, "CPU time, % of one CPU, by rate and burst.");
	put_map(html, number, TUNING_IRQ_RATE, "Interrupts/s by rate and burst.");
	fputs("</div>\n", html->out);
}

static void put_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	put_text(out, text[0] ? text : "not observed");
	fputs("</td>", out);
}

/* A line for each workload, which leads to its section. */
static void put_overview(const struct html *html)
{
	const struct page *const page = html->page;

	fputs("<div class=\"scroll\"><table class=\"overview\">\n<thead><tr><th></th><th>workload</th><th>in short</th>"
	      "<th>p99</th><th>CPU time</th><th>settings</th><th>subject</th></tr></thead>\n<tbody>\n",
	      html->out);
	for (unsigned i = 0; i < page->group_count; i++) {
		const struct page_group *const group = page->group[i];
		struct page_overview overview;

		page_overview(group, &overview);
		fprintf(html->out, "<tr><td class=\"%s\">%s</td><td><a href=\"#w%u\">",
			source_class(group->tuning.grid.source), source_name(group->tuning.grid.source), i + 1);
		put_text(html->out, group->tuning.grid.workload);
		fputs("</a></td>", html->out);
		put_cell(html->out, overview.verdict);
		put_cell(html->out, overview.latency);
		put_cell(html->out, overview.cpu);
		fprintf(html->out, "<td class=\"number\">%u</td>", group->tuning.grid.count);
		put_cell(html->out, page->subject[group->subject].name);
		fputs("</tr>\n", html->out);
	}
	fputs("</tbody></table></div>\n", html->out);
}

static void put_commands(const struct html *html)
{
	const struct page *const page = html->page;

	fputs("<h2>To repeat it</h2>\n<pre>", html->out);
	for (unsigned i = 0; i < page->command_count; i++) {
		put_text(html->out, page->command[i]);
		putc('\n', html->out);
	}
	put_text(html->out, page->own_command);
	fputs("</pre>\n", html->out);
	if (page->commands_left_out) {
		fprintf(html->out, "<p class=\"soft\">Runs of %u more commands are not listed here.</p>\n",
			page->commands_left_out);
	}
	fputs("<p class=\"soft\">Percentiles are of n latencies. A figure with (low to high) is the median of the runs "
	      "with its "
	      "95 % interval, which six runs at least are needed for; of a single run with repeats, of those. A "
	      "setting is on "
	      "the front when no other is as good in all that matters of latency, CPU time and throughput, and better "
	      "in "
	      "something. Made by holdoff ",
	      html->out);
	fputs(HOLDOFF_VERSION ".</p>\n", html->out);
}

static void put_head_of_page(const struct page *page, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	      "'unsafe-inline'\">\n<title>holdoff report",
	      out);
	if (page->subject_count == 1) {
		fputs(": ", out);
		put_text(out, page->subject[0].name);
	}
	fputs("</title>\n<style>\n", out);
	fputs(page_style, out);
	fputs("</style>\n</head>\n", out);
}

int page_html_write(const struct page *page, page_draw_fn *draw, void *context, FILE *out)
{
	struct html html = { .page = page, .draw = draw, .context = context, .out = out };

	put_head_of_page(page, out);
	fputs("<body>\n<h1>What interrupt coalescing does to latency and CPU time</h1>\n<ul>\n", out);
	page_say_all(page, say, out);
	fputs("</ul>\n", out);
	put_overview(&html);
	for (unsigned i = 0; i < page->subject_count; i++) {
		put_subject(&html, i);
	}
	put_commands(&html);
	fputs("</body>\n</html>\n", out);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
