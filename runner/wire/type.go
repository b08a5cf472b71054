package wire

// A TypeRequest says what a client types.
type TypeRequest struct {
	Keys
	Args   [][]byte     `json:"args"`
	NoWait bool         `json:"noWait,omitzero"` // do not wait for the program to read
	IfHash string       `json:"ifHash,omitzero"` // type only if the picture has this hash
	Wait   *WaitRequest `json:"wait,omitempty"`  // conditions to wait for afterwards

	Question int `json:"question,omitzero"` // type only while the program waits for the answer to this question
	GoesOn   int `json:"goesOn,omitzero"`   // the text continues the answer to this question
}
