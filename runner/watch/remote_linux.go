package watch

import "golang.org/x/sys/unix"

// remotes are file systems whose changes may be made where this kernel does not see them (statfs(2), magic.h).
var remotes = map[int64]string{
	0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x01021997: "9P", 0x65735546: "FUSE", 0x786f4256: "a shared folder of VirtualBox",
	0x6a656a63: "virtiofs", 0x564c: "NCP", 0x5346414f: "AFS", 0x00c36400: "Ceph", 0x47504653: "GPFS", 0x0bd00bd0: "Lustre", 0xbacbacbc: "a shared folder of VMware",
}

// keepers are file systems of this machine that change the times of a folder with the names in it, whoever does it
// (statfs(2), magic.h): ext2 to ext4, XFS, Btrfs, F2FS and tmpfs. Others may too.
var keepers = map[int64]bool{0xef53: true, 0x58465342: true, 0x9123683e: true, 0xf2f52010: true, 0x01021994: true}

// keepsTimes reports whether the folder lies on a file system where its times tell that its names are the same.
func keepsTimes(folder string) bool {
	var st unix.Statfs_t
	return unix.Statfs(folder, &st) == nil && keepers[int64(uint32(st.Type))]
}

// remote tells on what file system the folder lies if events of that are not to be relied on, else "".
func remote(folder string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return ""
	}
	if name := remotes[int64(uint32(st.Type))]; name != "" {
		return folder + " lies on " + name
	}
	return ""
}
