package wire

// A HolderStatus is what only the holder knows about why its session goes on.
type HolderStatus struct {
	Exited   bool  `json:"exited,omitzero"`   // the main process has ended
	TreeGone bool  `json:"treeGone,omitzero"` // the main process and everything it started have ended
	Terminal bool  `json:"terminal,omitzero"` // the session has a terminal
	QuietMs  int64 `json:"quietMs"`           // time since the last output, or since the start

	// Held is the number of printed bytes that the slowest reader has not taken. Because of this reader, the holder
	// does not read the terminal at the moment. 0 means that the holder reads the terminal.
	Held    int64  `json:"held,omitzero"`
	HeldFor string `json:"heldFor,omitzero"` // file of the capture that is the slowest reader; "": the starter
	Unsaved int64  `json:"unsaved,omitzero"` // bytes that the disk has refused and the holder tries again
	Lost    int64  `json:"lost,omitzero"`    // bytes that the holder has given up
	Fault   string `json:"fault,omitzero"`   // error from the disk

	Signal   string `json:"signal,omitzero"` // signal that is ending the session
	SignalMs int64  `json:"signalMs,omitzero"`
	KillMs   int64  `json:"killMs,omitzero"` // time until SIGKILL; negative after SIGKILL was sent

	Untaken   int    `json:"untaken,omitzero"` // typed bytes that the program has not read
	GraceMs   int64  `json:"graceMs,omitzero"` // remaining time for processes that outlive the main process; 0 when it is over
	Leftovers string `json:"leftovers,omitzero"`
}
