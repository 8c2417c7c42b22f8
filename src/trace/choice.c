/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trace/probes.h"

static int read_port(struct probes_choice *choice, const char *text, struct err *err)
{
	uint32_t port;
	const int ret = text_parse_u32(text, "port", &port, err);

	if (ret == 0 && (port == 0 || port > UINT16_MAX)) {
		return err_set(err, -ERANGE, "port: %s is none, expected 1 to 65535", text);
	}
	choice->port = (uint16_t)(ret ? 0 : port);
	return ret;
}

int probes_choice_parse(struct probes_choice *choice, const char *text, struct err *err)
{
	static const struct {
		const char *name;
		uint8_t protocol;
	} protocols[] = { { "icmp", IPPROTO_ICMP }, { "udp", IPPROTO_UDP }, { "tcp", IPPROTO_TCP } };
	struct in_addr address;

	*choice = (struct probes_choice){ .protocol = 0 };
	if (strncmp(text, "host ", 5) == 0) {
		if (inet_pton(AF_INET, text + 5, &address) != 1 || address.s_addr == 0) {
			return err_set(err, -EINVAL, "filter: \"%s\" is no IPv4 address", text + 5);
		}
		choice->address = address.s_addr;
		return 0;
	}
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		const size_t length = strlen(protocols[i].name);

		if (strncmp(text, protocols[i].name, length) != 0) {
			continue;
		}
		choice->protocol = protocols[i].protocol;
		if (text[length] == '\0') {
			return 0;
		}
		if (strncmp(text + length, " port ", 6) == 0 && choice->protocol != IPPROTO_ICMP) {
			return read_port(choice, text + length + 6, err);
		}
	}
	return err_set(err, -EINVAL,
		       "filter: \"%s\" is none, expected icmp, udp, tcp, \"udp port N\", \"tcp port N\" or \"host A\"",
		       text);
}
