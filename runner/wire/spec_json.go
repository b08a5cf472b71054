package wire

import (
	"encoding/json"
	"strings"
)

// A wireSpec is the form of a Spec that is sent to the holder. JSON is text, but the arguments, environment and
// folders of a command may be any bytes. So they are sent as bytes. A list has a NUL after each element,
// as in execve(2).
type wireSpec struct {
	*plainSpec
	Command []byte `json:"command"`
	Path    []byte `json:"path"`
	Env     []byte `json:"env"`
	Cwd     []byte `json:"cwd"`
	Dir     []byte `json:"dir"`
}

// A plainSpec is a Spec without its methods.
type plainSpec Spec

// MarshalJSON writes s so that every byte arrives unchanged.
func (s Spec) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireSpec{
		plainSpec: (*plainSpec)(&s),
		Command:   joinNUL(s.Command),
		Path:      []byte(s.Path),
		Env:       joinNUL(s.Env),
		Cwd:       []byte(s.Cwd),
		Dir:       []byte(s.Dir),
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Spec) UnmarshalJSON(data []byte) error {
	wire := wireSpec{plainSpec: (*plainSpec)(s)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	s.Command, s.Env = splitNUL(wire.Command), splitNUL(wire.Env)
	s.Path, s.Cwd, s.Dir = string(wire.Path), string(wire.Cwd), string(wire.Dir)
	return nil
}

func joinNUL(list []string) []byte {
	var joined []byte
	for _, s := range list {
		joined = append(append(joined, s...), 0)
	}
	return joined
}

func splitNUL(joined []byte) []string {
	list := strings.Split(string(joined), "\x00")
	return list[:len(list)-1]
}
