package ledger

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestMountType(t *testing.T) {
	const root, mnt, drv = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
		"36 22 0:35 / /mnt/my\\040disk rw,noatime - fuse.sshfs host:/ rw\n",
		"37 22 0:36 / /mnt/c rw,noatime - 9p drvfs rw,dirsync,aname=drvfs;path=C:\\\n"
	for _, test := range []struct{ mounts, path, want string }{
		{root + mnt + drv, "/home/me", "ext4"},
		{root + mnt + drv, "/mnt/my disk/a", "fuse.sshfs"},
		{root + mnt + drv, "/mnt/my disks", "ext4"},
		{root + mnt + drv, "/mnt/c/Users", "drvfs"},
		{root + "38 22 0:37 / /mnt/c rw - virtiofs share rw\n" + drv, "/mnt/c", "drvfs"},
		{drv + "38 22 0:37 / /mnt/c rw - virtiofs share rw\n", "/mnt/c", "virtiofs"},
		{"", "/", ""},
		{"nonsense\n22 1 - x\n", "/", ""},
	} {
		if got := mountType(test.mounts, test.path); got != test.want {
			t.Errorf("%s in %q is on %q, want %q", test.path, test.mounts, got, test.want)
		}
	}
}

// A read-only file system and a full one are told from others.
func TestDiskAt(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts a file system")
	}
	folder := filepath.Join(t.TempDir(), FolderName)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mount := func(options string) {
		t.Helper()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder).CombinedOutput(); err != nil {
			t.Skipf("nothing can be mounted here: %s", out)
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", folder).Run() })
	}
	mount("size=64k,mode=0700")
	d, err := Inspect(folder)
	if err != nil {
		t.Fatal(err)
	}
	disk, err := DiskAt(folder)
	if err != nil || disk.Type != "tmpfs" || disk.ReadOnly || disk.Remote || disk.FreeBytes <= 0 || disk.FreeBytes > 64<<10 || disk.FreeFiles <= 0 {
		t.Errorf("%+v, %v", disk, err)
	}
	if trial := d.Try(); trial.Write != nil || trial.Lock != nil || !trial.Swap {
		t.Errorf("%+v", trial)
	}
	if err := os.WriteFile(filepath.Join(folder, "all"), make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if disk, err := DiskAt(folder); err != nil || disk.FreeBytes != 0 {
		t.Errorf("full: %+v, %v", disk, err)
	}
	if trial := d.Try(); trial.Write == nil {
		t.Error("something could be written to a full disk")
	}
	mount("ro,mode=0700")
	if disk, err := DiskAt(folder); err != nil || !disk.ReadOnly {
		t.Errorf("read-only: %+v, %v", disk, err)
	}
	if trial := d.Try(); trial.Write == nil {
		t.Error("something could be written to a read-only disk")
	}
}
