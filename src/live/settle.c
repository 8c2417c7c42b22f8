/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/settle.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/time.h"
#include "live/clocks.h"
#include "live/ping.h"

#define QUIET_NS (100 * NS_PER_MS)
#define PATIENCE_NS (20 * NS_PER_S)
#define LOOK_MS 10
#define PROBE_TIMEOUT_NS (200 * NS_PER_MS)

static int wait_a_little(int stop_fd, struct err *err)
{
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };

	return poll(&stop, 1, LOOK_MS) > 0 ? err_set(err, -EINTR, "ended while the link settled") : 0;
}

static int wait_for_carrier(struct nic *nic, int stop_fd, bool *was_lost, struct err *err)
{
	const int64_t began_at_ns = clocks_monotonic_ns();
	int64_t since_at_ns = began_at_ns;
	int ret = 0;

	while (ret == 0) {
		struct nic_identity identity;
		const int64_t now_at_ns = clocks_monotonic_ns();

		ret = nic_identify(nic, &identity, err);
		if (ret == 0 && !identity.has_carrier) {
			*was_lost = true;
			since_at_ns = now_at_ns;
		}
		if (ret == 0 && now_at_ns - since_at_ns >= QUIET_NS) {
			return 0;
		}
		if (ret == 0 && now_at_ns - began_at_ns > PATIENCE_NS) {
			return err_set(err, -ENETDOWN, "the link of %s has not come back after the change", nic->name);
		}
		ret = ret ? ret : wait_a_little(stop_fd, err);
	}
	return ret;
}

static int wait_for_answer(const struct nic *nic, const char *name, int stop_fd, struct err *err)
{
	const int64_t began_at_ns = clocks_monotonic_ns();
	struct ping_request request = { .ifindex = nic->ifindex,
					.payload_bytes = 56,
					.count = 1,
					.timeout_ns = PROBE_TIMEOUT_NS,
					.stop_fd = stop_fd };
	struct ping_result *const result = calloc(1, sizeof(*result));
	int ret = result ? host_find(name, HOST_ANY, nic->ifindex, &request.host, err)
			 : err_set(err, -ENOMEM, "no memory for probes");

	while (ret == 0) {
		/* While the way is not there yet sending fails: that is what is waited for. */
		const int sent = ping_measure(&request, result, err);

		if (sent == 0 && result->counts.received) {
			break;
		}
		if (clocks_monotonic_ns() - began_at_ns > PATIENCE_NS) {
			ret = err_set(err, -EHOSTUNREACH, "%s does not answer any more after the change of %s", name,
				      nic->name);
		}
		ret = ret ? ret : wait_a_little(stop_fd, err);
	}
	free(result);
	return ret;
}

int settle(struct nic *nic, const char *host, int stop_fd, struct err *err)
{
	bool was_lost = false;
	const int ret = wait_for_carrier(nic, stop_fd, &was_lost, err);

	return ret || !was_lost ? ret : wait_for_answer(nic, host, stop_fd, err);
}
