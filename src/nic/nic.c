/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening interfaces, and the network namespace they are in.
 *
 * A nic keeps the index of its interface, not the name: requests over netlink carry the index, and what goes by
 * name (ioctl, sysfs) asks for the present name first. So an interface that is renamed meanwhile is still the same
 * one, and one that is deleted is -ENODEV and not another that took its name.
 */
#include "nic/nic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool_netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic/nic_private.h"

#define NETDEV_FAMILY "netdev"

/* ---- namespaces ---- */

/*
 * /sys shows the namespace of who mounted it. debugfs lies below it and is mounted again; without it clocks are
 * not known. In a chroot "/" is no mount: then /sys alone is cut off from the mounts of others, and covered instead of unmounted, which
 * they would see.
 */
static int mount_sys(struct err *err)
{
	if (unshare(CLONE_NEWNS)) {
		return err_set(err, -errno, "a mount namespace for the network namespace: %s", strerror(errno));
	}
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0) {
		umount2("/sys", MNT_DETACH);
	} else if (errno != EINVAL || mount("none", "/sys", NULL, MS_REC | MS_SLAVE, NULL)) {
		return err_set(err, -errno, "making mounts private: %s", strerror(errno));
	}
	if (mount("sysfs", "/sys", "sysfs", 0, NULL)) {
		return err_set(err, -errno, "mounting /sys for the network namespace: %s", strerror(errno));
	}
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	return 0;
}

int nic_enter_netns(const char *name, struct err *err)
{
	char path[256];
	const int length = snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);

	if (length < 0 || (size_t)length >= sizeof(path)) {
		return err_set(err, -ENAMETOOLONG, "the name of the network namespace is too long");
	}
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return err_set(err, -errno, "network namespace \"%s\": %s", name, strerror(errno));
	}
	const int ret = setns(fd, CLONE_NEWNET) ? -errno : 0;

	close(fd);
	if (ret) {
		return err_set(err, ret, "entering network namespace \"%s\": %s", name, strerror(-ret));
	}
	return mount_sys(err);
}

/* ---- open and close ---- */

static int open_netlink(struct netlink **netlink, const char *family, struct err *err)
{
	struct netlink *const opened = malloc(sizeof(*opened));

	if (!opened) {
		return err_set(err, -ENOMEM, "no memory for a netlink socket");
	}
	const int ret = netlink_open(opened, family, NULL, err);

	if (ret) {
		free(opened);
		return ret;
	}
	*netlink = opened;
	return 0;
}

static int open_sockets(struct nic *nic, struct err *err)
{
	nic->ioctl_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (nic->ioctl_fd < 0) {
		/* A kernel without IPv4 serves these ioctls over any socket. */
		nic->ioctl_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
	}
	if (nic->ioctl_fd < 0) {
		return err_set(err, -errno, "opening a socket: %s", strerror(errno));
	}
	int ret = open_netlink(&nic->ethtool, ETHTOOL_GENL_NAME, err);

	if (ret == -ENOENT) {
		return err_set(err, -EOPNOTSUPP, "this kernel has no ethtool over netlink (5.7 and later have)");
	}
	if (ret) {
		return ret;
	}
	ret = open_netlink(&nic->netdev, NETDEV_FAMILY, err);
	return ret == -ENOENT ? 0 : ret;
}

int nic_open(struct nic *nic, const char *name, struct err *err)
{
	struct nic_link link;
	int ret = nic_link_find(name, &link, err);

	*nic = (struct nic){ .ioctl_fd = -1 };
	if (ret) {
		return ret;
	}
	nic->ifindex = link.ifindex;
	memcpy(nic->name, link.name, sizeof(nic->name));
	ret = open_sockets(nic, err);
	if (ret) {
		nic_close(nic);
		return err_prefix(err, ret, "%s", link.name);
	}
	if (err) {
		err->text[0] = '\0'; /* a family that is missing is no fault */
	}
	return 0;
}

static void close_netlink(struct netlink *netlink)
{
	if (netlink) {
		netlink_close(netlink);
		free(netlink);
	}
}

void nic_close(struct nic *nic)
{
	close_netlink(nic->ethtool);
	close_netlink(nic->netdev);
	close_netlink(nic->watch);
	if (nic->ioctl_fd >= 0) {
		close(nic->ioctl_fd);
	}
	*nic = (struct nic){ .ioctl_fd = -1 };
}

int nic_refresh_name(struct nic *nic, struct err *err)
{
	struct ifreq request = { .ifr_ifindex = nic->ifindex };

	if (ioctl(nic->ioctl_fd, SIOCGIFNAME, &request)) {
		return err_set(err, -ENODEV, "the interface %s (index %d) is gone", nic->name, nic->ifindex);
	}
	memcpy(nic->name, request.ifr_name, sizeof(nic->name));
	return 0;
}
