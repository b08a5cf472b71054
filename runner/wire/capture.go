package wire

// The actions of a CaptureRequest.
const (
	CaptureStart = "start"
	CaptureStop  = "stop"
	CaptureList  = "list"
)

// A CaptureRequest is the part of an OpCapture request about captures.
type CaptureRequest struct {
	Action string `json:"action"`
	ID     string `json:"id,omitzero"` // "": the only running capture
	Format string `json:"format,omitzero"`
	File   string `json:"file,omitzero"` // absolute path; "": a new file in the session's folder
	Force  bool   `json:"force,omitzero"`
}

// Why a capture ended when nothing went wrong.
const (
	CaptureStopped = "stopped"
	CaptureClosed  = "session ended"
)
