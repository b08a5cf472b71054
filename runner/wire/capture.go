package wire

// What a client can do with captures.
const (
	CaptureStart = "start"
	CaptureStop  = "stop"
	CaptureList  = "list"
)

// A CaptureRequest is what opCapture carries.
type CaptureRequest struct {
	Action string `json:"action"`
	ID     string `json:"id,omitzero"` // "" is the only one that runs
	Format string `json:"format,omitzero"`
	File   string `json:"file,omitzero"` // absolute; "" is one in the folder of the session
	Force  bool   `json:"force,omitzero"`
}

// Why a capture ended, where nothing went wrong.
const (
	CaptureStopped = "stopped"
	CaptureClosed  = "session ended"
)
