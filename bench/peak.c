/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: peak PROGRAM [ARGUMENT ...]: runs it and prints its peak memory in KiB on stdout; what the program
 * prints is dropped. The kernel counts the memory of the process that called exec, too: so that has to be a
 * small one, not an interpreter.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0) {
		_exit(126);
	}
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: peak PROGRAM [ARGUMENT ...]\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		run(argv + 1);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
		fprintf(stderr, "peak: %s did not run to a good end\n", argv[1]);
		return 1;
	}
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
