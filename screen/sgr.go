package screen

// updatePen updates the pen and the blank cell from the cursor's style.
func (t *Terminal) updatePen() {
	if t.styles.crowded() {
		t.sweep()
	}
	t.pen = t.styleCell(t.style)
	t.blank = t.styleCell(Style{Background: t.style.Background})
	t.updateDirect()
}

// styleCell returns the cell of a style, without text. If too many styles are in use, the cell has
// the nearest colours of the palette, or the default style.
func (t *Terminal) styleCell(s Style) cell {
	if s == (Style{}) {
		return 0
	}
	n, ok := t.styles.number(s)
	if !ok {
		s.Foreground, s.Background, s.UnderlineColor = s.Foreground.coarse(), s.Background.coarse(), 0
		n, _ = t.styles.number(s)
	}
	return cell(n) << styleShift
}

// coarse returns the colour of the palette's cube that is near c.
func (c Color) coarse() Color {
	r, g, b, ok := c.RGB()
	if !ok {
		return c
	}
	level := func(v uint8) uint8 { return uint8(int(v) * 5 / 255) }
	return Indexed(16 + 36*level(r) + 6*level(g) + level(b))
}

// selectGraphics is SGR (ECMA-48 8.3.117; ctlseqs for the extensions). It takes both separators:
// 38;5;N and 38:5:N, 38;2;R;G;B and 38:2::R:G:B.
func (t *Terminal) selectGraphics(s *sequence) {
	style := &t.style
	if s.n == 0 {
		style.clear()
	}
	for i := 0; i < s.n; {
		next := i + 1
		for s.sub(next) {
			next++
		}
		switch p := s.param(i, 0); {
		case p == 38 || p == 48 || p == 58:
			var c Color
			var ok bool
			if c, next, ok = s.color(i, next); ok {
				style.setColor(p, c)
			}
		case p == 4 && next > i+1:
			if u := s.param(i+1, 0); u <= int(DashedUnderline) {
				style.Underline = Underline(u)
			}
		case next == i+1:
			style.set(p)
		}
		i = next
	}
	t.updatePen()
}

// color reads a colour. Its introducer (38, 48 or 58) is parameter i, and next is the parameter
// behind its sub-parameters. end is the first parameter that does not belong to it.
func (s *sequence) color(i, next int) (c Color, end int, ok bool) {
	at, end := i+1, next
	colon := next > i+1
	kind := s.param(at, 0)
	n := 0
	switch kind {
	case 5:
		n = 1
	case 2:
		n = 3
	}
	switch {
	case n == 0:
		return 0, end, false
	case !colon:
		end = min(at+1+n, s.n)
	case n == 3 && end-at > 4:
		at++ // the colour space
	}
	if end-at-1 < n {
		return 0, end, false
	}
	var v [3]uint8
	for k := range n {
		x := s.param(at+1+k, 0)
		if x > 255 {
			return 0, end, false
		}
		v[k] = uint8(x)
	}
	if kind == 5 {
		return Indexed(v[0]), end, true
	}
	return RGB(v[0], v[1], v[2]), end, true
}

func (s *Style) setColor(introducer int, c Color) {
	switch introducer {
	case 38:
		s.Foreground = c
	case 48:
		s.Background = c
	case 58:
		s.UnderlineColor = c
	}
}

// clear is SGR 0. It keeps what other sequences set.
func (s *Style) clear() { *s = Style{Attributes: s.Attributes & Protected, link: s.link} }

// attributeParameters are the parameters of SGR that turn attributes on or off, by their number.
var attributeParameters = [...]struct{ on, off Attributes }{
	1: {on: Bold}, 2: {on: Dim}, 3: {on: Italic}, 5: {on: Blink}, 6: {on: Blink}, 7: {on: Reverse}, 8: {on: Hidden}, 9: {on: Strike},
	22: {off: Bold | Dim}, 23: {off: Italic}, 25: {off: Blink}, 27: {off: Reverse}, 28: {off: Hidden}, 29: {off: Strike},
	53: {on: Overline}, 55: {off: Overline},
}

// set applies a parameter of SGR that takes no further parameters.
func (s *Style) set(p int) {
	if p < len(attributeParameters) {
		change := attributeParameters[p]
		s.Attributes = s.Attributes&^change.off | change.on
	}
	switch {
	case p == 0:
		s.clear()
	case p == 4:
		s.Underline = SingleUnderline
	case p == 21:
		s.Underline = DoubleUnderline
	case p == 24:
		s.Underline = NoUnderline
	case p >= 30 && p <= 37:
		s.Foreground = Indexed(uint8(p - 30))
	case p == 39:
		s.Foreground = 0
	case p >= 40 && p <= 47:
		s.Background = Indexed(uint8(p - 40))
	case p == 49:
		s.Background = 0
	case p == 59:
		s.UnderlineColor = 0
	case p >= 90 && p <= 97:
		s.Foreground = Indexed(uint8(p - 90 + 8))
	case p >= 100 && p <= 107:
		s.Background = Indexed(uint8(p - 100 + 8))
	}
}
