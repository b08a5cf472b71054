package ledger

import (
	"encoding/json"
	"strings"
)

// decodeSession parses the record of a session.
func decodeSession(data []byte) (s Session, err error) {
	m := members{rest: strings.TrimRight(string(data), "\n")}
	if s.quick(&m); m.rest == "" && !m.refused {
		return s, nil
	}
	s = Session{}
	return s, json.Unmarshal(data, &s)
}

// quick parses a session as devtools writes it: with the members in the order of Session, and only with the forms that
// devtools uses. m refuses any other form. Then the content of s has no meaning.
func (s *Session) quick(m *members) {
	if !m.has(`{"version":`) {
		m.refused = true
		return
	}
	s.Version = int(m.number(intDigits))
	m.textOf(`,"name":`, &s.Name)
	m.textOf(`,"sessionId":`, &s.ID)
	m.textOf(`,"status":`, &s.Status)
	if m.has(`,"command":[`) {
		s.Command = []string{}
		for !m.refused && !m.has("]") {
			m.next(len(s.Command))
			s.Command = append(s.Command, m.text())
		}
	}
	m.textOf(`,"cwd":`, &s.Cwd)
	m.sizeOf(`,"size":{`, &s.Size)
	m.sizeOf(`,"startSize":{`, &s.StartSize)
	if m.has(`,"scrollback":`) {
		n := int(m.number(intDigits))
		s.Scrollback = &n
	}
	m.processOf(`,"main":{`, &s.Main)
	m.processOf(`,"holder":{`, &s.Holder)
	m.textOf(`,"socket":`, &s.Socket)
	if m.has(`,"asks":[`) {
		for !m.refused && !m.has("]") {
			m.next(len(s.Asks))
			s.Asks = append(s.Asks, m.ask())
		}
		m.refused = m.refused || len(s.Asks) == 0
	}
	m.timeOf(`,"startedAt":`, &s.StartedAt)
	m.textOf(`,"folder":`, &s.Folder)
	m.numberOf(`,"folderDevice":`, &s.FolderDevice)
	m.numberOf(`,"folderInode":`, &s.FolderInode)
	m.numberOf(`,"namespace":`, &s.Namespace)
	m.textOf(`,"cgroup":`, &s.Cgroup)
	m.amountOf(`,"reportedBytes":`, &s.ReportedBytes)
	if m.has(`,"labels":{`) {
		s.Labels = map[string]string{}
		for !m.refused && !m.has("}") {
			m.next(len(s.Labels))
			label, value := m.text(), ""
			m.textOf(":", &value)
			s.Labels[label] = value
		}
	}
	s.quickEnd(m)
	m.refused = m.refused || !m.has("}")
}

// quickEnd parses the members from the tether on.
func (s *Session) quickEnd(m *members) {
	m.processOf(`,"tether":{`, &s.Tether)
	s.Awaited = m.has(`,"awaited":true`)
	m.timeOf(`,"endedAt":`, &s.EndedAt)
	if m.has(`,"exitCode":`) {
		code := int(m.number(intDigits))
		s.ExitCode = &code
	}
	m.textOf(`,"signal":`, &s.Signal)
	m.amountOf(`,"exitedAfterMs":`, &s.ExitedAfterMs)
	m.amountOf(`,"drainedAfterMs":`, &s.DrainedAfterMs)
	m.amountOf(`,"outputBytes":`, &s.OutputBytes)
	m.amountOf(`,"lostBytes":`, &s.LostBytes)
	s.TimedOut = m.has(`,"timedOut":true`)
	s.ToldToEnd = m.has(`,"toldToEnd":true`)
	if m.has(`,"leftovers":[`) {
		for !m.refused && !m.has("]") {
			m.next(len(s.Leftovers))
			var p Process
			m.processOf("{", &p)
			s.Leftovers = append(s.Leftovers, p)
		}
		m.refused = m.refused || len(s.Leftovers) == 0
	}
	s.Closed = m.has(`,"closed":true`)
}

// next removes the comma before the element of a list with this index.
func (m *members) next(index int) {
	m.refused = m.refused || index > 0 && !m.has(",")
}

// The functions with Of read the value of a member into value, if the member is next.

func (m *members) textOf(member string, value *string) {
	if m.has(member) {
		*value = m.text()
	}
}

func (m *members) numberOf(member string, value *uint64) {
	if m.has(member) {
		*value = m.number(longDigits)
	}
}

func (m *members) amountOf(member string, value *int64) {
	if m.has(member) {
		*value = int64(m.number(amountDigits))
	}
}

func (m *members) timeOf(member string, value *Time) {
	if m.has(member) {
		value.Time = m.time()
	}
}

func (m *members) sizeOf(member string, value *Size) {
	if m.has(member) {
		m.refused = m.refused || !m.has(`"cols":`)
		value.Cols = int(m.number(intDigits))
		m.refused = m.refused || !m.has(`,"rows":`)
		value.Rows = int(m.number(intDigits))
		m.refused = m.refused || !m.has("}")
	}
}

func (m *members) processOf(member string, p *Process) {
	if !m.has(member) {
		return
	}
	m.refused = m.refused || !m.has(`"pid":`)
	p.PID = int(m.number(intDigits))
	m.numberOf(`,"start":`, &p.Start)
	m.textOf(`,"boot":`, &p.Boot)
	m.numberOf(`,"inode":`, &p.Inode)
	if m.has(`,"parentPid":`) {
		p.ParentPID = int(m.number(intDigits))
	}
	m.textOf(`,"name":`, &p.Name)
	m.textOf(`,"commandLine":`, &p.CommandLine)
	p.Marked = m.has(`,"marked":true`)
	m.refused = m.refused || !m.has("}")
}

func (m *members) ask() (a Ask) {
	m.refused = m.refused || !m.has(`{"message":`)
	a.Message = m.text()
	m.refused = m.refused || !m.has(`,"since":`)
	a.Since.Time = m.time()
	m.refused = m.refused || !m.has("}")
	return a
}
