package keys

import "fmt"

// Piped returns what the strokes are to a program that reads a pipe: text and bytes as they are, Enter as a line feed, and other
// keys as [Encode] has them for a terminal without modes. The error names a key that means something to a terminal alone.
func Piped(strokes []Stroke) (data []byte, err error) {
	for _, s := range strokes {
		switch does := s.terminalDoes(); {
		case does != "":
			return nil, fmt.Errorf("%s%s %s only in a terminal", s.mods, s.key.name(), does)
		case s.key == 0:
			data = append(data, s.text...)
		case s.mods == 0 && (s.key == enter || s.key == kpEnter):
			data = append(data, '\n')
		default:
			sent, err := encode(s, Modes{})
			if err != nil {
				return nil, err
			}
			data = append(data, sent...)
		}
	}
	return data, nil
}

// terminalDoes says what a terminal itself does at the key. It is "" if the terminal passes the key on.
func (s Stroke) terminalDoes() string {
	if s.mods != ctrl {
		return ""
	}
	switch s.key {
	case 'c':
		return "makes the signal INT"
	case '\\':
		return "makes the signal QUIT"
	case 'z':
		return "makes the signal TSTP"
	case 'd':
		return "ends the input"
	}
	return ""
}
