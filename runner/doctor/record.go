package doctor

import "devtools/ledger"

// A Record has what the record of a session says for devtools itself: which processes, folders and files are meant.
type Record struct {
	RecordVersion int    `json:"recordVersion"`         // version of the record's form
	Folder        string `json:"folder,omitzero"`       // state folder of the holder
	FolderDevice  uint64 `json:"folderDevice,omitzero"` // device of that folder
	FolderInode   uint64 `json:"folderInode,omitzero"`  // inode of that folder
	Namespace     uint64 `json:"namespace,omitzero"`    // pid namespace of the holder
	Cgroup        string `json:"cgroup,omitzero"`       // path of the control group of its processes
	Socket        string `json:"socket,omitzero"`       // path of the holder's socket
	ReportedBytes int64  `json:"reportedBytes"`         // output that callers waiting for the command have received

	Holder Identity `json:"holder"`          // process that holds the session
	Main   Identity `json:"main,omitzero"`   // main process
	Tether Identity `json:"tether,omitzero"` // process with whose end the session ends
}

// An Identity names one process, and never another one.
type Identity struct {
	PID   int    `json:"pid"`            // its pid
	Start uint64 `json:"start,omitzero"` // its start, in ticks of the kernel
	Boot  string `json:"boot,omitzero"`  // id of the boot
	Inode uint64 `json:"inode,omitzero"` // inode of its pidfd, where the kernel has one
}

// record returns the facts in the session's record on disk. If it cannot be read, it returns what else is known.
func (e *explainer) record() Record {
	s := e.session
	if saved, err := e.dir.LoadSession(s.ID); err == nil {
		s = saved
	}
	return Record{
		RecordVersion: s.Version, Folder: s.Folder, FolderDevice: s.FolderDevice, FolderInode: s.FolderInode,
		Namespace: s.Namespace, Cgroup: s.Cgroup, Socket: s.Socket, ReportedBytes: s.ReportedBytes,
		Holder: newIdentity(s.Holder), Main: newIdentity(s.Main), Tether: newIdentity(s.Tether),
	}
}

func newIdentity(p ledger.Process) Identity { return Identity{p.PID, p.Start, p.Boot, p.Inode} }
