/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/loading.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
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
