package screen

import (
	"fmt"
	"math/bits"
)

// A digest is a hash of numbers that is the same in every process.
type digest uint64

// add takes in a number. It is the round of MurmurHash3.
func (d *digest) add(v uint64) {
	v *= 0x87c37b91114253d5
	v = bits.RotateLeft64(v, 31) * 0x4cf5ad432745937f
	*d = digest(bits.RotateLeft64(uint64(*d)^v, 27)*5 + 0x52dce729)
}

func (d *digest) addText(s string) {
	d.add(uint64(len(s)))
	for i := range len(s) {
		d.add(uint64(s[i]))
	}
}

// sum returns the hash of all that was added.
func (d digest) sum() uint64 {
	h := uint64(d)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Hash returns a name for what s shows, 16 hexadecimal digits: equal pictures
// have equal ones, whatever led to them. The lines count as they are seen, with
// their styles and links, and so do the size and a visible cursor; the rest of
// the modes, the title and the scrollback do not.
func (s *Snapshot) Hash() string {
	var d digest
	for _, v := range []int{s.Cols, s.Rows, s.First, btoi(s.Modes.ReverseVideo)} {
		d.add(uint64(v))
	}
	if s.Cursor.Visible {
		d.add(uint64(s.Cursor.Col)<<32 | uint64(s.Cursor.Row)<<8 | uint64(s.Cursor.Shape))
	}
	for _, row := range s.RowHashes() {
		d.add(row)
	}
	return fmt.Sprintf("%016x", d.sum())
}

// RowHashes returns a hash of each of Lines: of its text as it is seen, with
// its styles and links.
func (s *Snapshot) RowHashes() []uint64 {
	styles := s.styleHashes()
	hashes := make([]uint64, len(s.Lines))
	for i := range s.Lines {
		var d digest
		for _, c := range s.Lines[i].cells[:s.seen(i)] {
			switch {
			case c&cellCluster != 0:
				d.addText(s.clusters[c&cellText])
			case c&(cellText|cellTail) == 0:
				d.add(' ')
			default:
				d.add(uint64(c & (cellText | cellTail)))
			}
			d.add(styles[c.style()])
		}
		hashes[i] = d.sum()
	}
	return hashes
}

// styleHashes returns a hash of how each of the styles is seen. That of the
// default style is 0.
func (s *Snapshot) styleHashes() []uint64 {
	colors := s.Palette.hash()
	hashes := make([]uint64, len(s.styles))
	for i, style := range s.styles {
		link, _ := s.Link(style)
		style.link = 0
		style.Attributes &^= Protected
		if style == (Style{}) && link == (Link{}) && colors == 0 {
			continue
		}
		d := digest(colors)
		for _, v := range []Color{style.Foreground, style.Background, style.UnderlineColor, Color(style.Attributes), Color(style.Underline)} {
			d.add(uint64(v))
		}
		d.addText(link.URI)
		d.addText(link.ID)
		hashes[i] = d.sum()
	}
	return hashes
}

// seen returns the column behind the last cell of line i that is not a blank
// in the default style.
func (s *Snapshot) seen(i int) int {
	cells := s.Lines[i].cells
	for len(cells) > 0 {
		c := cells[len(cells)-1]
		if style := s.styles[c.style()]; style.Attributes&^Protected != 0 || style.Underline != 0 || !style.Background.IsDefault() || style.link != 0 {
			break
		}
		if c&(cellText|cellCluster|cellTail) != ' ' && c.written() {
			break
		}
		cells = cells[:len(cells)-1]
	}
	return len(cells)
}

// hash returns a number for the colours that the program has set, 0 for none.
func (p Palette) hash() uint64 {
	if p.Foreground|p.Background|p.Cursor == 0 && len(p.entries) == 0 {
		return 0
	}
	var d digest
	for _, c := range []Color{p.Foreground, p.Background, p.Cursor} {
		d.add(uint64(c))
	}
	for i := range 256 {
		if c, ok := p.entries[uint8(i)]; ok {
			d.add(uint64(i)<<32 | uint64(c))
		}
	}
	return d.sum()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
