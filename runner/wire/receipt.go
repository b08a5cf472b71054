package wire

// A Receipt tells what became of keys.
type Receipt struct {
	Written       int64  `json:"written"`                 // bytes that were given to the terminal
	Consumed      *bool  `json:"consumed,omitempty"`      // the program has read them; nil when nobody waited for that
	Echoed        *bool  `json:"echoed,omitempty"`        // they can be seen in the output since
	ScreenChanged *bool  `json:"screenChanged,omitempty"` // the screen is another one than before
	Waiting       *bool  `json:"waiting,omitempty"`       // what runs in front reads the terminal again, nil where that is not known
	Reason        string `json:"reason,omitzero"`         // why they were not consumed

	Foreground string `json:"foreground,omitzero"` // the program in front
	PID        int    `json:"pid,omitzero"`
	Canonical  bool   `json:"canonical"` // it reads lines
	Echo       bool   `json:"echo"`      // the terminal shows what is typed
	Offset     int64  `json:"offset"`    // of the output, when they were typed
	NextOffset int64  `json:"nextOffset"`
	Hash       string `json:"hash,omitzero"` // of the screen afterwards
}
