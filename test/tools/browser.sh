#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of holdoff report in a browser: no plot is empty, no text lies on another one or outside of its plot, nothing is wider than
# the window or said on the console; on a desk and on a phone, by day and by night, with few settings and with hundreds, with one run, with
# measurements that lack much, and with names that are markup.
. "$(dirname "$0")/../cli/table.sh"
db=$scratch/db

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v chromium >/dev/null || skip_all "chromium is not installed (tools/install-deps browser)"
command -v gnuplot >/dev/null || skip_all "gnuplot is not installed (tools/install-deps check)"

# As root there is no sandbox.
browser() {
	sandbox=
	[ "$(id -u)" != 0 ] || sandbox=--no-sandbox
	timeout 120 chromium --headless=new $sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
		--allow-file-access-from-files --hide-scrollbars --window-size=1400,1000 --enable-logging=stderr "$@"
}

# A page that looks at another one, in a frame of some width, and writes down what is wrong with it. @PAGE@ and @WIDTH@ are put in.
cat >"$scratch/look.html" <<'END'
<!DOCTYPE html><meta charset="utf-8"><pre id="found">not finished</pre>
<iframe id="frame" src="@PAGE@" style="border:0;width:@WIDTH@px;height:900px"></iframe>
<script>
const found = [];

function overlap(a, b) {
	return Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
}

function lookAtPlot(plot, number) {
	const box = plot.getBoundingClientRect();
	const texts = [...plot.querySelectorAll('text')].filter(text => text.textContent.trim() !== '');
	const boxes = texts.map(text => text.getBoundingClientRect());
	const where = 'plot ' + number + ' (' + plot.closest('figure').querySelector('figcaption').textContent.slice(0, 30) + '): ';

	if (box.width < 300 || box.height < 100) found.push(where + 'is small');
	if (texts.length < 4) found.push(where + 'has hardly any text');
	const drawn = [...plot.querySelectorAll('g[id*=gnuplot_plot_]')];
	if (drawn.length === 0) found.push(where + 'is empty');
	for (const group of drawn)
		if (!group.querySelector('path, use, polygon, rect, text')) found.push(where + 'a part of it is empty: ' + group.textContent.trim());
	boxes.forEach((a, i) => {
		if (a.left < box.left - 2 || a.right > box.right + 2 || a.top < box.top - 2 || a.bottom > box.bottom + 2)
			found.push(where + 'outside: ' + texts[i].textContent);
		for (let j = 0; j < i; j++)
			if (overlap(a, boxes[j]) > 2.5) found.push(where + texts[i].textContent + ' lies on ' + texts[j].textContent);
	});
}

function lookAtColors(view, document) {
	const brightness = color => color.match(/[0-9.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
	const paper = brightness(view.getComputedStyle(document.body).backgroundColor);

	document.querySelectorAll('svg [fill=black]').forEach((text, number) => {
		if (Math.abs(brightness(view.getComputedStyle(text).fill) - paper) < 120 && found.length < 20) found.push('text ' + number + ' of the plots cannot be read');
	});
	found.push('paper ' + (paper > 128 ? 'light' : 'dark'));
}

window.onload = () => {
	const view = document.getElementById('frame').contentWindow, page = view.document;
	const plots = page.querySelectorAll('svg');

	if (page.documentElement.scrollWidth > view.innerWidth) found.push('is wider than the window: ' + page.documentElement.scrollWidth);
	if (page.body.textContent.includes('No plots')) found.push('a plot was not drawn');
	if (page.querySelector('script, b')) found.push('a name became markup');
	plots.forEach(lookAtPlot);
	lookAtColors(view, page);
	found.push('plots ' + plots.length);
	document.getElementById('found').textContent = found.join('\n') + '\nfinished';
};
</script>
END

# look NAME WIDTH PAPER PLOTS: at $scratch/NAME.html, which has at least that many plots.
look() {
	scheme=1
	[ "$3" = light ] || scheme=0
	sed "s|@PAGE@|$1.html|; s|@WIDTH@|$2|" "$scratch/look.html" >"$scratch/look-$1.html"
	browser --blink-settings=preferredColorScheme=$scheme --virtual-time-budget=20000 --dump-dom "file://$scratch/look-$1.html" \
		>"$scratch/dom" 2>"$scratch/log"
	sed -n '/<pre id="found">/,/finished/{s/.*<pre id="found">//; s/<.*//; p;}' "$scratch/dom" >"$scratch/found"
	grep -q "^finished" "$scratch/found" && grep -q "^paper $3" "$scratch/found" && ! grep -Eqv '^(paper|plots|finished)' "$scratch/found" &&
		[ "$(sed -n 's/^plots //p' "$scratch/found")" -ge "$4" ] && ! grep -q CONSOLE "$scratch/log"
	report $? "$1, $2 px wide, $3: nothing wrong"
	[ "$failed" -eq 0 ] || { grep CONSOLE "$scratch/log"; cat "$scratch/found"; } | head -20 | sed 's/^/# /'
}

page() { # NAME
	"$HOLDOFF" report --store "$db" -o "$scratch/$1.html" || report 1 "a page $1"
	rm "$db"
}

# Something to find.
cat >"$scratch/bad.html" <<'END'
<!DOCTYPE html><body style="background:#fff"><figure><figcaption>bad</figcaption><svg viewBox="0 0 600 300" width="600">
<g fill="black"><text x="10" y="50">first label</text><text x="20" y="52">second label</text><text x="590" y="90">far outside of it</text></g>
<g id="p1gnuplot_plot_1"><title>x</title></g></svg></figure><p style="width:2000px">wide</p><b>x</b><script>console.error("x")</script>
END
(
	failed=0
	look bad 1280 light 1 >"$scratch/out"
	[ "$failed" -eq 1 ]
)
report $? "what is wrong is found"
sed 's|@PAGE@|bad.html|; s|@WIDTH@|1280|' "$scratch/look.html" >"$scratch/look-bad.html"
browser --virtual-time-budget=20000 --dump-dom "file://$scratch/look-bad.html" >"$scratch/dom" 2>/dev/null
for what in "second label lies on first label" "outside: far outside" "a part of it is empty" "is wider than the window" "a name became markup"; do
	grep -q "$what" "$scratch/dom"
	report $? "found: $what"
done

"$HOLDOFF" sweep --board imx8mm rx-usecs=20,100,500 --workload 'udp rate=20k' --workload 'udp rate=2k' --workload 'udp pattern=burst count=16 every=2ms' \
	--workload 'tcp window=256k' --duration 50ms --store "$db" >/dev/null
page few
look few 1280 light 18
look few 1280 dark 18
look few 375 light 18

us=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "%s%d", i ? "," : "", 5 + 17 * i }')
"$HOLDOFF" sweep --board imx8mm "rx-usecs=$us" tx-usecs=10,20,50,100,200 --yes --workload 'udp rate=20k pattern=poisson' --duration 5ms --store "$db" >/dev/null
page many
look many 1280 light 6
look many 375 dark 6

"$HOLDOFF" simulate --board imx8mm rx-usecs 100 --workload 'ping interval=2ms' --duration 20ms --store "$db" >/dev/null
# And a workload for which no setting is any better.
"$HOLDOFF" sweep --board imx8mm rx-usecs=50,100 --workload 'udp rate=max' --duration 5ms --store "$db" >/dev/null
page one
look one 1280 light 6

# A loopback device has no interrupts, nor settings; and a board whose name is markup.
"$HOLDOFF" measure lo --peer-host 127.0.0.1 --workload 'ping interval=1ms' --duration 100ms --repeat 2 --store "$db" >/dev/null 2>"$scratch/err"
[ -s "$db" ] || report 0 "what was measured, in a page # SKIP $(head -n 1 "$scratch/err")"
cp profiles/boards/imx8mm.ini "$scratch/<b>&'\`id\`\".ini"
for us in 20 200; do
	"$HOLDOFF" simulate --board "$scratch/<b>&'\`id\`\".ini" rx-usecs $us --workload 'udp rate=20k' --duration 20ms --store "$db" \
		--label '</pre><script>alert(1)</script>' >/dev/null
done
page hostile
look hostile 375 light 4
finish
