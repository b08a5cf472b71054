package ledger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// diskTypes lists file systems with their magic numbers, statfs(2).
var diskTypes = []struct {
	magic uint32
	name  string
}{
	{unix.EXT4_SUPER_MAGIC, "ext4"},
	{unix.XFS_SUPER_MAGIC, "xfs"},
	{unix.BTRFS_SUPER_MAGIC, "btrfs"},
	{unix.TMPFS_MAGIC, "tmpfs"},
	{unix.RAMFS_MAGIC, "ramfs"},
	{unix.OVERLAYFS_SUPER_MAGIC, "overlay"},
	{unix.F2FS_SUPER_MAGIC, "f2fs"},
	{unix.NFS_SUPER_MAGIC, "nfs"},
	{unix.V9FS_MAGIC, "9p"},
	{unix.FUSE_SUPER_MAGIC, "fuse"},
	{unix.SMB_SUPER_MAGIC, "smb"},
	{unix.CIFS_SUPER_MAGIC, "cifs"},
	{unix.SMB2_SUPER_MAGIC, "smb3"},
	{unix.CEPH_SUPER_MAGIC, "ceph"},
	{unix.AFS_SUPER_MAGIC, "afs"},
	{unix.CODA_SUPER_MAGIC, "coda"},
	{unix.NCP_SUPER_MAGIC, "ncpfs"},
	{unix.MSDOS_SUPER_MAGIC, "vfat"},
	{unix.EXFAT_SUPER_MAGIC, "exfat"},
	{unix.ECRYPTFS_SUPER_MAGIC, "ecryptfs"},
	{unix.SQUASHFS_MAGIC, "squashfs"},
	{unix.ISOFS_SUPER_MAGIC, "iso9660"},
	{0x2fc12fc1, "zfs"},
	{0x7366746e, "ntfs3"},
	{0x5346544e, "ntfs"},
	{0x0bd00bd0, "lustre"},
	{0xca451a4e, "bcachefs"},
	{0x786f4256, "vboxsf"},
}

// remoteTypes lists the file systems with files on another machine, or in the system that hosts this one.
var remoteTypes = []string{
	"nfs", "nfs4", "9p", "drvfs", "virtiofs", "smb", "smb3", "cifs", "ceph", "afs", "coda", "ncpfs", "lustre", "vboxsf",
	"fuse.sshfs", "fuse.vmhgfs-fuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.grpcfuse", "fakeowner",
}

func diskAt(folder string) (Disk, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return Disk{}, os.NewSyscallError("statfs", err)
	}
	d := Disk{
		ReadOnly:  st.Flags&unix.ST_RDONLY != 0,
		FreeBytes: int64(st.Bavail) * int64(st.Bsize),
		FreeFiles: -1,
	}
	if st.Files > 0 {
		d.FreeFiles = int64(st.Ffree)
	}
	for _, known := range diskTypes {
		if known.magic == uint32(st.Type) {
			d.Type = known.name
		}
	}
	if d.Type == "" || d.Type == "fuse" || d.Type == "9p" { // the mount table has a more exact name
		if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
			if name := mountType(string(mounts), folder); name != "" {
				d.Type = name
			}
		}
	}
	d.Remote = slices.Contains(remoteTypes, d.Type)
	return d, nil
}

// mountType returns the type of the mount that contains path. mounts has the format of proc_pid_mountinfo(5).
func mountType(mounts, path string) string {
	found, length := "", -1
	for line := range strings.Lines(mounts) {
		// 36 35 98:0 / /mnt/c rw,noatime - 9p drvfs rw,dirsync,aname=drvfs;path=C:\
		before, after, ok := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(kind) < 2 {
			continue
		}
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if rest, err := filepath.Rel(at, path); err != nil || rest == ".." || strings.HasPrefix(rest, "../") || len(at) < length {
			continue
		}
		found, length = kind[0], len(at) // a later mount hides earlier ones at the same place
		if kind[0] == "9p" && (kind[1] == "drvfs" || strings.Contains(after, "aname=drvfs")) {
			found = "drvfs"
		}
	}
	return found
}

// canSwap reports whether two files can change places in one step.
func canSwap(one, two string) bool {
	return unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, two, unix.RENAME_EXCHANGE) == nil
}
