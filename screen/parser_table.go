package screen

import "sync"

// A state is the place of the parser in a sequence. From firstString on, the states read the text of
// a string and have no row in the table.
type state uint8

const (
	ground state = iota
	escape
	escapeIntermediate
	csiEntry
	csiParam
	csiIntermediate
	csiIgnore
	dcsEntry
	dcsParam
	dcsIntermediate
	oscString
	dcsPassthrough
	dcsIgnore
	otherString // SOS, PM, APC

	firstString = oscString
)

type action uint8

const (
	actNone action = iota
	actExecute
	actPrivate
	actCollect
	actParam
	actEscape
	actCSI
	actHook
)

// A transition is the effect of one byte in one state.
type transition struct {
	action action
	next   state
}

// transitions holds the effect of each byte below 0x80 in each state. It is made when the first
// parser needs it.
var (
	transitions     [firstString][128]transition
	makeTransitions sync.Once
)

func buildTransitions() {
	t := &transitions
	for s := range firstString {
		set := func(from, to byte, a action, next state) {
			for c := from; c <= to; c++ {
				t[s][c] = transition{a, next}
			}
		}
		set(0, 0x7f, actNone, s)
		if s < dcsEntry {
			set(0, 0x1f, actExecute, s)
		}
		switch s {
		case escape:
			set(0x20, 0x2f, actCollect, escapeIntermediate)
			set(0x30, 0x7e, actEscape, ground)
			set('P', 'P', actNone, dcsEntry)
			set('X', 'X', actNone, otherString)
			set('[', '[', actNone, csiEntry)
			set(']', ']', actNone, oscString)
			set('^', '_', actNone, otherString)
		case escapeIntermediate:
			set(0x20, 0x2f, actCollect, s)
			set(0x30, 0x7e, actEscape, ground)
		case csiEntry, csiParam:
			set(0x20, 0x2f, actCollect, csiIntermediate)
			set(0x30, 0x3b, actParam, csiParam)
			set(0x3c, 0x3f, actNone, csiIgnore)
			set(0x40, 0x7e, actCSI, ground)
		case csiIntermediate:
			set(0x20, 0x2f, actCollect, s)
			set(0x30, 0x3f, actNone, csiIgnore)
			set(0x40, 0x7e, actCSI, ground)
		case csiIgnore:
			set(0x40, 0x7e, actNone, ground)
		case dcsEntry, dcsParam:
			set(0x20, 0x2f, actCollect, dcsIntermediate)
			set(0x30, 0x3b, actParam, dcsParam)
			set(0x3c, 0x3f, actNone, dcsIgnore)
			set(0x40, 0x7e, actHook, dcsPassthrough)
		case dcsIntermediate:
			set(0x20, 0x2f, actCollect, s)
			set(0x30, 0x3f, actNone, dcsIgnore)
			set(0x40, 0x7e, actHook, dcsPassthrough)
		}
		switch s { // a private marker is valid only as the first byte
		case csiEntry:
			set(0x3c, 0x3f, actPrivate, csiParam)
		case dcsEntry:
			set(0x3c, 0x3f, actPrivate, dcsParam)
		}
		set(0x18, 0x18, actExecute, ground)
		set(0x1a, 0x1a, actExecute, ground)
		set(0x1b, 0x1b, actNone, escape)
	}
}
