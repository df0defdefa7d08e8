"""Cuts this process, and all it starts, off from every network but a loopback of its own, so that a
program of others can call nobody but what a test started. Linux, through namespaces."""
import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS = 0x8913, 0x8914
IFF_UP = 1


def _map_ids(uid, gid):
    """The ids of before, in a new user namespace."""
    for path, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"),
                       ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{path}", "w", encoding="ascii") as file:
            file.write(text)


def _raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        name, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", name, flags | IFF_UP))


def only():
    """Before the first thread. False where this machine does not allow it."""
    uid, gid = os.getuid(), os.getgid()
    spaces = CLONE_NEWNET if uid == 0 else CLONE_NEWNET | CLONE_NEWUSER
    if ctypes.CDLL(None, use_errno=True).unshare(spaces) != 0:
        return False
    if uid != 0:
        _map_ids(uid, gid)
    _raise_loopback()
    return True
