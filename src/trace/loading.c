/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/loading.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int keep_quiet(enum libbpf_print_level level, const char *format, va_list values)
{
	(void)level;
	(void)format;
	(void)values;
	return 0;
}

static libbpf_print_fn_t before;

void loading_begin(void)
{
	before = libbpf_set_print(keep_quiet);
}

void loading_end(void)
{
	libbpf_set_print(before);
}

int loading_namespace(unsigned *inode)
{
	struct stat namespace;

	if (stat("/proc/self/ns/net", &namespace) != 0) {
		return -errno;
	}
	*inode = (unsigned)namespace.st_ino;
	return 0;
}

int loading_explain(int error, const char *what, struct err *err)
{
	switch (error) {
	case -EPERM: /* EACCES is the verifier's */
		return err_set(err, -EPERM, "%s in the kernel needs the capabilities CAP_BPF and CAP_PERFMON (or root)",
			       what);
	case -ESRCH:
	case -ENOENT:
	case -EOPNOTSUPP:
		return err_set(err, -EOPNOTSUPP,
			       "%s in the kernel needs one with BTF and the tracepoints irq and napi "
			       "(CONFIG_DEBUG_INFO_BTF)",
			       what);
	default:
		return err_set(err, error, "%s in the kernel failed: %s", what, strerror(-error));
	}
}

static int64_t run_ns_of(int program_fd)
{
	struct bpf_prog_info info = { 0 };
	unsigned size = sizeof(info);

	return bpf_obj_get_info_by_fd(program_fd, &info, &size) == 0 ? (int64_t)info.run_time_ns : -1;
}

static int by_size(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

int64_t loading_timing(int program_fd)
{
	enum { RUNS = 101 };
	int64_t spans[RUNS];
	__u64 arguments[2] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));

	for (unsigned run = 0; run < RUNS; run++) {
		const int64_t before_ns = run_ns_of(program_fd);

		if (before_ns < 0 || bpf_prog_test_run_opts(program_fd, &options) != 0) {
			return -1;
		}
		spans[run] = run_ns_of(program_fd) - before_ns;
	}
	qsort(spans, RUNS, sizeof(spans[0]), by_size);
	return spans[RUNS / 2];
}

void loading_cost(struct bpf_object *object, uint64_t *runs, int64_t *run_ns)
{
	struct bpf_program *program;

	*runs = 0;
	*run_ns = 0;
	bpf_object__for_each_program(program, object)
	{
		struct bpf_prog_info info = { 0 };
		unsigned size = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0) {
			*runs += info.run_cnt;
			*run_ns += (int64_t)info.run_time_ns;
		}
	}
}

int64_t loading_once(struct bpf_object *object, const struct bpf_program *but)
{
	struct bpf_program *program;
	int64_t once_ns = 0;

	bpf_object__for_each_program(program, object)
	{
		struct bpf_prog_info info = { 0 };
		unsigned size = sizeof(info);

		if (program != but && bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0 &&
		    info.run_cnt) {
			once_ns += (int64_t)(info.run_time_ns / info.run_cnt);
		}
	}
	return once_ns;
}
