/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of a message or a nest: each must lie wholly in its space, and the space must be filled. */
#include "nic/netlink.h"

#include <errno.h>
#include <string.h>

static int each_attribute(const uint8_t *bytes, size_t count, netlink_attribute_fn *function, void *context,
			  struct err *err)
{
	while (count > 0) {
		const struct nlattr *const attribute = (const struct nlattr *)(const void *)bytes;

		if (count < sizeof(*attribute) || attribute->nla_len < sizeof(*attribute) ||
		    attribute->nla_len > count) {
			return err_set(err, -EBADMSG, "a netlink attribute is cut off: %zu bytes are left for it",
				       count);
		}
		const int ret = function(context, attribute, err);

		if (ret) {
			return ret;
		}
		const size_t step = netlink_aligned(attribute->nla_len);

		bytes += step < count ? step : count;
		count -= step < count ? step : count;
	}
	return 0;
}

int netlink_attributes(const struct nlmsghdr *message, size_t header_bytes, netlink_attribute_fn *function,
		       void *context, struct err *err)
{
	const size_t payload = mnl_nlmsg_get_payload_len(message), header = netlink_aligned(header_bytes);

	if (payload < header) {
		return err_set(err, -EBADMSG, "a netlink message of %zu bytes is too short for its header", payload);
	}
	return each_attribute((const uint8_t *)mnl_nlmsg_get_payload(message) + header, payload - header, function,
			      context, err);
}

int netlink_nest(const struct nlattr *nest, netlink_attribute_fn *function, void *context, struct err *err)
{
	return each_attribute(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), function, context, err);
}

int netlink_number(const struct nlattr *attribute, uint64_t max, uint64_t *value, struct err *err)
{
	const void *const payload = mnl_attr_get_payload(attribute);
	const unsigned bytes = mnl_attr_get_payload_len(attribute);
	uint64_t number = 0;
	uint32_t four;
	uint16_t two;

	switch (bytes) {
	case 1:
		number = *(const uint8_t *)payload;
		break;
	case 2:
		memcpy(&two, payload, sizeof(two));
		number = two;
		break;
	case 4:
		memcpy(&four, payload, sizeof(four));
		number = four;
		break;
	case 8:
		memcpy(&number, payload, sizeof(number));
		break;
	default:
		return err_set(err, -EBADMSG, "netlink attribute %u has %u bytes, which is no number",
			       (unsigned)mnl_attr_get_type(attribute), bytes);
	}
	if (number > max) {
		return err_set(err, -EBADMSG, "netlink attribute %u is %llu, at most %llu makes sense",
			       (unsigned)mnl_attr_get_type(attribute), (unsigned long long)number,
			       (unsigned long long)max);
	}
	*value = number;
	return 0;
}

void netlink_text(const struct nlattr *attribute, char *text, size_t size)
{
	const char *const payload = mnl_attr_get_payload(attribute);
	const size_t length = strnlen(payload, mnl_attr_get_payload_len(attribute));
	size_t i = 0;

	for (; i < length && i + 1 < size; i++) {
		const unsigned char byte = (unsigned char)payload[i];

		text[i] = byte < ' ' || byte == 0x7f ? '?' : payload[i];
	}
	text[i] = '\0';
}
