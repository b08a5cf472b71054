package wire

// A TypeRequest says what a client types.
type TypeRequest struct {
	Keys
	Args   [][]byte     `json:"args"`
	NoWait bool         `json:"noWait,omitzero"` // do not wait for the program to read
	IfHash string       `json:"ifHash,omitzero"` // only if that is the picture
	Wait   *WaitRequest `json:"wait,omitempty"`  // for what is true afterwards

	Question int `json:"question,omitzero"` // only while the program waits for the answer to this one
	GoesOn   int `json:"goesOn,omitzero"`   // the text goes on with that of the answer to this question
}
