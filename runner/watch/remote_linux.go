package watch

import "golang.org/x/sys/unix"

// remotes are file systems that may be changed where this kernel does not see it (statfs(2), magic.h).
var remotes = map[int64]string{
	0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x01021997: "9P", 0x65735546: "FUSE", 0x786f4256: "a shared folder of VirtualBox",
	0x6a656a63: "virtiofs", 0x564c: "NCP", 0x5346414f: "AFS", 0x00c36400: "Ceph", 0x47504653: "GPFS", 0x0bd00bd0: "Lustre", 0xbacbacbc: "a shared folder of VMware",
}

// keepers are file systems of this machine that update the times of a folder when its names change, whoever changes
// them (statfs(2), magic.h). They are ext2 to ext4, XFS, Btrfs, F2FS and tmpfs. Other file systems may do the same.
var keepers = map[int64]bool{0xef53: true, 0x58465342: true, 0x9123683e: true, 0xf2f52010: true, 0x01021994: true}

// keepsTimes reports whether the folder lies on a file system where unchanged folder times mean unchanged names.
func keepsTimes(folder string) bool {
	var st unix.Statfs_t
	return unix.Statfs(folder, &st) == nil && keepers[int64(uint32(st.Type))]
}

// remote returns the folder's file system, in words, if its events are not reliable, and "" otherwise.
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
