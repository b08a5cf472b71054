package screen

import (
	"fmt"
	"strconv"
)

// sgrAttributes are the parameters of SGR that turn an attribute on and off.
var sgrAttributes = [...]struct {
	attribute Attributes
	on, off   string
}{
	{Bold, "1", "22"},
	{Dim, "2", "22"},
	{Italic, "3", "23"},
	{Blink, "5", "25"},
	{Reverse, "7", "27"},
	{Hidden, "8", "28"},
	{Strike, "9", "29"},
	{Overline, "53", "55"},
}

// Changes returns the parameters of SGR (ECMA-48 8.3.117; ctlseqs for the extensions) that change
// the style s into to. SGR does not change links.
func (s Style) Changes(to Style) []string {
	var list []string
	old, lost := s.Attributes, s.Attributes&^to.Attributes
	const weights = Bold | Dim
	if lost&weights != 0 { // one parameter turns both off
		list = append(list, "22")
		old, lost = old&^weights, lost&^weights
	}
	for _, a := range sgrAttributes {
		switch {
		case lost&a.attribute != 0:
			list = append(list, a.off)
		case to.Attributes&^old&a.attribute != 0:
			list = append(list, a.on)
		}
	}
	switch {
	case to.Underline == s.Underline:
	case to.Underline == NoUnderline:
		list = append(list, "24")
	case to.Underline == SingleUnderline:
		list = append(list, "4")
	default:
		list = append(list, "4:"+strconv.Itoa(int(to.Underline)))
	}
	if to.Foreground != s.Foreground {
		list = append(list, colorParameters(to.Foreground, 30))
	}
	if to.Background != s.Background {
		list = append(list, colorParameters(to.Background, 40))
	}
	if to.UnderlineColor != s.UnderlineColor {
		list = append(list, underlineColor(to.UnderlineColor))
	}
	return list
}

// colorParameters returns the parameters for a colour. base is the parameter of palette entry 0: 30
// for the foreground, 40 for the background.
func colorParameters(c Color, base int) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("%d;2;%d;%d;%d", base+8, r, g, b)
	}
	switch i, ok := c.Index(); {
	case !ok:
		return strconv.Itoa(base + 9)
	case i < 8:
		return strconv.Itoa(base + int(i))
	case i < 16:
		return strconv.Itoa(base + 60 + int(i) - 8)
	default:
		return fmt.Sprintf("%d;5;%d", base+8, i)
	}
}

// underlineColor returns the parameter for a colour with its sub-parameters. Terminals that do not
// know it skip it.
func underlineColor(c Color) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("58:2::%d:%d:%d", r, g, b)
	}
	if i, ok := c.Index(); ok {
		return fmt.Sprintf("58:5:%d", i)
	}
	return "59"
}
