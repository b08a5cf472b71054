package screen

// A keyboard is the stack of flags of the kitty keyboard protocol. The last of
// them is in force. Each of the two screens has its own.
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

// push makes flags the ones in force; the oldest entry makes room if need be.
func (k *keyboard) push(flags int) {
	if k.n == len(k.stack) {
		copy(k.stack[:], k.stack[1:])
		k.n--
	}
	k.stack[k.n] = uint8(flags & 0x1f)
	k.n++
}

func (k *keyboard) pop(n int) { k.n = max(k.n-n, 0) }

// change sets flags in force: 1 all, 2 those given, 3 none of those given.
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
