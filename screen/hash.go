package screen

import (
	"fmt"
	"math/bits"
)

// A digest is a hash of numbers that is the same in every process.
type digest uint64

// add adds a number to the hash. It is the round of MurmurHash3.
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

// sum returns the hash of all numbers.
func (d digest) sum() uint64 {
	h := uint64(d)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Hash returns 16 hexadecimal digits that identify the picture: equal pictures have equal hashes,
// however they came about. The hash covers the visible lines with their styles and links, the size,
// and a visible cursor. It does not cover the other modes, the title and the scrollback.
func (s *Snapshot) Hash() string {
	var d digest
	for _, v := range []int{s.Cols, s.Rows, s.First} {
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

// RowHashes returns a hash of each of Lines. It covers the visible text with its styles and links,
// and whether the screen is in reverse video.
func (s *Snapshot) RowHashes() []uint64 {
	styles, blanks := s.styleHashes()
	hashes := make([]uint64, len(s.Lines))
	for i := range s.Lines {
		cells := s.Lines[i].cells
		for len(cells) > 0 && cells[len(cells)-1].blank() && blanks[cells[len(cells)-1].style()] == blanks[0] {
			cells = cells[:len(cells)-1]
		}
		var d digest
		for _, c := range cells {
			style := styles[c.style()]
			switch {
			case c.blank():
				d.add(' ')
				style = blanks[c.style()]
			case c&cellCluster != 0:
				d.addText(s.clusters[c&cellText])
			default:
				d.add(uint64(c & (cellText | cellTail)))
			}
			d.add(style)
		}
		hashes[i] = d.sum() ^ blanks[0]
	}
	return hashes
}

// blank reports whether a cell shows no text.
func (c cell) blank() bool {
	text := c & (cellText | cellCluster | cellTail)
	return text == 0 || text == ' '
}

// styleHashes returns hashes of how each style looks, on text and on a blank. Of a style, a blank
// shows less.
func (s *Snapshot) styleHashes() (styles, blanks []uint64) {
	colors := s.Palette.hash() ^ uint64(btoi(s.Modes.ReverseVideo))
	hash := func(style Style, link Link) uint64 {
		if style.Underline == NoUnderline {
			style.UnderlineColor = 0
		}
		d := digest(colors)
		for _, v := range []Color{
			style.Foreground, style.Background, style.UnderlineColor,
			Color(style.Attributes &^ Protected), Color(style.Underline),
		} {
			d.add(uint64(v))
		}
		d.addText(link.URI)
		d.addText(link.ID)
		return d.sum()
	}
	for _, style := range s.styles {
		link, _ := s.Link(style)
		styles = append(styles, hash(style, link))
		style.Attributes &= Reverse | Strike | Overline
		if style.Attributes == 0 && style.Underline == NoUnderline {
			style.Foreground = 0
		}
		blanks = append(blanks, hash(style, link))
	}
	return styles, blanks
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
