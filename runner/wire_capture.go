package runner

// What a client can do with captures.
const (
	captureStart = "start"
	captureStop  = "stop"
	captureList  = "list"
)

// A captureRequest is what opCapture carries.
type captureRequest struct {
	Action string `json:"action"`
	ID     string `json:"id,omitzero"` // "" is the only one that runs
	Format string `json:"format,omitzero"`
	File   string `json:"file,omitzero"` // absolute; "" is one in the folder of the session
	Force  bool   `json:"force,omitzero"`
}

// Why a capture ended, where nothing went wrong.
const (
	captureStopped = "stopped"
	captureClosed  = "session ended"
)
