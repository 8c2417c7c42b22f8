#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make install into an empty folder, then the example of the library, built and run from what was installed.
# Prints TAP.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
number=0
failed=0

report() { # PASSED(0/1) TEXT
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failed=1
		echo "not ok $number - $2"
		sed 's/^/# /' "$root/log" | head -20
	fi
}

# -o: what is there is installed; a test is not the place to build the program anew, with other flags.
make -s BUILD="$BUILD" DESTDIR="$root" PREFIX=/opt/holdoff -o all install >"$root/log" 2>&1
report $? "make install"
pages=$(cd man && ls | sed 's|.*\.\([1-9]\)$|share/man/man\1/&|')
for file in bin/holdoff lib/libholdoff.a lib/pkgconfig/holdoff.pc include/holdoff.h \
	share/bash-completion/completions/holdoff $pages; do
	[ -s "$root/opt/holdoff/$file" ]
	report $? "$file is installed"
done
[ "$(find "$root" -type f ! -path "$root/opt/holdoff/*" ! -name log)" = "" ]
report $? "nothing outside of DESTDIR and PREFIX"
"$root/opt/holdoff/bin/holdoff" boards imx8mm >"$root/log" 2>&1
report $? "the installed program has its boards with it"
(cd "$root/opt/holdoff/share/holdoff" && find . -type f) >"$root/there"
(find qemu -type f && ls src/chip/*.[ch] src/base/*.[ch] tools/install-deps) | grep -v _test >"$root/wanted"
! sed 's|^|./|' "$root/wanted" | grep -vxF -f "$root/there" >"$root/log"
report $? "the harness of holdoff bench is installed, with what its devices are made of"
(cd / && "$root/opt/holdoff/bin/holdoff" help --list nics) >"$root/log"
grep -qx e1000e "$root/log"
report $? "and found from anywhere"

if nm "$root/opt/holdoff/lib/libholdoff.a" 2>/dev/null | grep -q __asan_init; then
	report 0 "the example # SKIP the library is built with sanitizers"
elif ! command -v pkg-config >/dev/null; then
	report 0 "the example # SKIP pkg-config is not installed"
else
	flags=$(PKG_CONFIG_PATH=$root/opt/holdoff/lib/pkgconfig pkg-config --define-variable=prefix="$root/opt/holdoff" \
		--cflags --libs holdoff)
	# shellcheck disable=SC2086
	${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -o "$root/example" docs/example.c $flags >"$root/log" 2>&1
	report $? "docs/example.c builds against what was installed, in C99"
	"$root/example" >"$root/out" 2>"$root/log"
	report $? "it runs"
	cp "$root/out" "$root/log"
	grep -q '^rx-usecs 100 .* ping *[0-9][0-9]* us, voip *500 interrupts/s$' "$root/out"
	report $? "it prints what it should"
	grep -q '"schema": "holdoff.explain/1"' "$root/out"
	report $? "and the document of explain"
	if command -v g++ >/dev/null; then
		echo '#include <holdoff.h>' >"$root/header.cc"
		g++ -std=c++98 -pedantic -Wall -Wextra -Werror -Wno-long-long -I"$root/opt/holdoff/include" -c \
			-o "$root/header.o" "$root/header.cc" >"$root/log" 2>&1
		report $? "the header is C++ too"
	else
		report 0 "the header is C++ too # SKIP g++ is not installed"
	fi
fi
echo "1..$number"
exit $failed
