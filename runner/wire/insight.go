package wire

// An HolderStatus is what the holder alone knows of why its session goes on.
type HolderStatus struct {
	Exited   bool  `json:"exited,omitzero"`   // the main process has ended
	TreeGone bool  `json:"treeGone,omitzero"` // and all that it has started
	Terminal bool  `json:"terminal,omitzero"` // it has one
	QuietMs  int64 `json:"quietMs"`           // since it printed last, or began

	Held    int64  `json:"held,omitzero"`    // bytes that are printed and not taken by the one for whom the terminal is not read any more; 0 while it is
	HeldFor string `json:"heldFor,omitzero"` // "" is the starter, else the file of a capture
	Unsaved int64  `json:"unsaved,omitzero"` // bytes that the disk has refused, and that are tried again
	Lost    int64  `json:"lost,omitzero"`    // bytes that are given up
	Fault   string `json:"fault,omitzero"`   // what the disk has said

	Signal   string `json:"signal,omitzero"` // with which the session is being ended
	SignalMs int64  `json:"signalMs,omitzero"`
	KillMs   int64  `json:"killMs,omitzero"` // until SIGKILL follows; less than 0 when it was sent

	Untaken   int    `json:"untaken,omitzero"` // bytes that are typed and that the program does not read
	GraceMs   int64  `json:"graceMs,omitzero"` // for what outlives the main process; 0 when it is over
	Leftovers string `json:"leftovers,omitzero"`
}
