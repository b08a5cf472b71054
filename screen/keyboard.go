package screen

// A keyboard is the stack of flags of the kitty keyboard protocol. The last entry is in force. Each
// of the two screens has its own stack.
type keyboard struct {
	stack [8]uint8
	n     int
}

func (k *keyboard) flags() int {
	if k.n == 0 {
		return 0
	}
	return int(k.stack[k.n-1])
}

// push adds flags to the stack. If it is full, the oldest entry is dropped.
func (k *keyboard) push(flags int) {
	if k.n == len(k.stack) {
		copy(k.stack[:], k.stack[1:])
		k.n--
	}
	k.stack[k.n] = uint8(flags & 0x1f)
	k.n++
}

func (k *keyboard) pop(n int) { k.n = max(k.n-n, 0) }

// change changes the flags in force. how is 1 to replace them, 2 to add flags, and 3 to remove
// flags.
func (k *keyboard) change(flags, how int) {
	if k.n == 0 {
		k.push(0)
	}
	top := &k.stack[k.n-1]
	flags &= 0x1f
	switch how {
	case 1:
		*top = uint8(flags)
	case 2:
		*top |= uint8(flags)
	case 3:
		*top &^= uint8(flags)
	}
}

// kitty returns the keyboard of the screen in use.
func (t *Terminal) kitty() *keyboard {
	if t.page == &t.alt {
		return &t.keyboard[1]
	}
	return &t.keyboard[0]
}
