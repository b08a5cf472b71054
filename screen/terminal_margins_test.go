package screen

import "testing"

// Five rows of ten columns, with columns 3 to 6 as margins. Margins, columns and rectangles are
// functions of the VT420, which DECSCL turns on.
const (
	vt420     = "\x1b[64;1\"p"
	five      = vt420 + "abcdefghij\r\nklmnopqrst\r\nABCDEFGHIJ\r\nKLMNOPQRST\r\n0123456789"
	inMargins = five + "\x1b[?69h\x1b[3;6s"
)

func TestTerminalScrollRegion(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"LF at its bottom", 10, 5, five + "\x1b[2;4r\x1b[4;3H\n", "abcdefghij\nABCDEFGHIJ\nKLMNOPQRST\n\n0123456789", 2, 3},
		{"RI at its top", 10, 5, five + "\x1b[2;4r\x1b[2;3H\x1bM", "abcdefghij\n\nklmnopqrst\nABCDEFGHIJ\n0123456789", 2, 1},
		{"NEL at its bottom", 10, 5, five + "\x1b[2;4r\x1b[4;3H\x1bE", "abcdefghij\nABCDEFGHIJ\nKLMNOPQRST\n\n0123456789", 0, 3},
		{"LF below it", 10, 5, five + "\x1b[2;4r\x1b[5;3H\n", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 2, 4},
		{"RI above it", 10, 5, five + "\x1b[2;4r\x1b[1;3H\x1bM", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 2, 0},
		{"wrap at its bottom", 5, 4, "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1Hvwxyz!", "a\nvwxyz\n!\nd", 1, 2},
		{"SU", 10, 5, five + "\x1b[2;4r\x1b[2S", "abcdefghij\nKLMNOPQRST\n\n\n0123456789", 0, 0},
		{"SD", 10, 5, five + "\x1b[2;4r\x1b[2T", "abcdefghij\n\n\nklmnopqrst\n0123456789", 0, 0},
		{"huge SU", 10, 5, five + "\x1b[2;4r\x1b[99S", "abcdefghij\n\n\n\n0123456789", 0, 0},
		{"IL in it", 10, 5, five + "\x1b[2;4r\x1b[3;1H\x1b[L", "abcdefghij\nklmnopqrst\n\nABCDEFGHIJ\n0123456789", 0, 2},
		{"DL in it", 10, 5, five + "\x1b[2;4r\x1b[3;1H\x1b[M", "abcdefghij\nklmnopqrst\nKLMNOPQRST\n\n0123456789", 0, 2},
		{"IL outside", 10, 5, five + "\x1b[2;4r\x1b[5;1H\x1b[L", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 0, 4},
		{"DL outside", 10, 5, five + "\x1b[2;4r\x1b[1;1H\x1b[M", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 0, 0},
		{"CUU stops at its top", 10, 5, "\x1b[2;4r\x1b[3;1H\x1b[9Ax", "\nx", 1, 1},
		{"CUD stops at its bottom", 10, 5, "\x1b[2;4r\x1b[3;1H\x1b[9Bx", "\n\n\nx", 1, 3},
		{"CUU from above", 10, 5, "\x1b[3;4r\x1b[2;1H\x1b[9Ax", "x", 1, 0},
		{"CUD from below", 10, 6, "\x1b[2;4r\x1b[5;1H\x1b[9Bx", "\n\n\n\n\nx", 1, 5},
		{"CPL stops at its top", 10, 5, "\x1b[2;4r\x1b[3;3H\x1b[9Fx", "\nx", 1, 1},
		{"CNL stops at its bottom", 10, 5, "\x1b[2;4r\x1b[3;3H\x1b[9Ex", "\n\n\nx", 1, 3},
		{"DECSTBM goes home", 10, 5, "\x1b[3;3H\x1b[2;4rx", "x", 1, 0},
		{"DECSTBM with bottom above top", 10, 5, "\x1b[3;3H\x1b[4;2rx", "\n\n  x", 3, 2},
		{"DECSTBM of one row", 10, 5, "\x1b[3;3H\x1b[2;2rx", "\n\n  x", 3, 2},
		{"DECSTBM of all", 10, 5, five + "\x1b[2;4r\x1b[r\x1b[5;1H\nx", "klmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789\nx", 1, 4},
		{"DECSTBM beyond the screen", 10, 5, five + "\x1b[2;99r\x1b[5;1H\nx", "abcdefghij\nABCDEFGHIJ\nKLMNOPQRST\n0123456789\nx", 1, 4},
		{"DECSTBM of 0", 10, 5, five + "\x1b[2;4r\x1b[0;0r\x1b[5;1H\nx", "klmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789\nx", 1, 4},
	})
}

// DECOM makes rows and columns count from the margins, and keeps the cursor within them (DEC STD
// 070).
func TestTerminalOriginMode(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"CUP", 10, 5, "\x1b[2;4r\x1b[?6h\x1b[1;1Ha\x1b[9;9Hb", "\na\n\n        b", 9, 3},
		{"VPA", 10, 5, "\x1b[2;4r\x1b[?6h\x1b[2da\x1b[9db", "\n\na\n b", 2, 3},
		{"goes home when set", 10, 5, "\x1b[2;4r\x1b[5;5H\x1b[?6hx", "\nx", 1, 1},
		{"goes home when reset", 10, 5, "\x1b[2;4r\x1b[?6h\x1b[2;2H\x1b[?6lx", "x", 1, 0},
		{"DECSTBM goes to its home", 10, 5, "\x1b[?6h\x1b[3;4rx", "\n\nx", 1, 2},
		{"CUU and CUD", 10, 5, "\x1b[2;4r\x1b[?6h\x1b[9Ba\x1b[9Ab", "\n b\n\na", 2, 1},
		{"left and right", 10, 5, vt420 + "\x1b[2;4r\x1b[?69h\x1b[3;6s\x1b[?6h\x1b[1;1Ha\x1b[9;9Hb", "\n  a\n\n     b", 5, 3},
		{"CHA", 10, 5, vt420 + "\x1b[?69h\x1b[3;6s\x1b[?6h\x1b[2Ga\x1b[9Gb", "   a b", 5, 0},
		{"CR", 10, 5, vt420 + "\x1b[?69h\x1b[3;6s\x1b[?6h\x1b[1;2H\ra", "  a", 3, 0},
		{"ED is of the whole screen", 10, 5, five + "\x1b[2;4r\x1b[?6h\x1b[2J", "", 0, 1},
	})
}

// Left and right margins (DECSLRM, DEC STD 070; xterm ctlseqs).
func TestTerminalLeftRightMargins(t *testing.T) {
	const rest = "\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789"
	runScreenTests(t, []screenTest{
		{"ICH", 10, 5, inMargins + "\x1b[1;4H\x1b[2@", "abc  dghij" + rest, 3, 0},
		{"ICH outside", 10, 5, inMargins + "\x1b[1;8H\x1b[2@", "abcdefghij" + rest, 7, 0},
		{"huge ICH", 10, 5, inMargins + "\x1b[1;4H\x1b[99@", "abc   ghij" + rest, 3, 0},
		{"DCH", 10, 5, inMargins + "\x1b[1;4H\x1b[2P", "abcf  ghij" + rest, 3, 0},
		{"DCH outside", 10, 5, inMargins + "\x1b[1;2H\x1b[2P", "abcdefghij" + rest, 1, 0},
		{"ECH is not bound", 10, 5, inMargins + "\x1b[1;4H\x1b[5X", "abc     ij" + rest, 3, 0},
		{"EL is not bound", 10, 5, inMargins + "\x1b[1;4H\x1b[K", "abc" + rest, 3, 0},
		{"IRM", 10, 5, inMargins + "\x1b[1;4H\x1b[4hX", "abcXdeghij" + rest, 4, 0},
		{"IL", 10, 5, inMargins + "\x1b[2;3H\x1b[L", "abcdefghij\nkl    qrst\nABmnopGHIJ\nKLCDEFQRST\n01MNOP6789", 2, 1},
		{"IL outside", 10, 5, inMargins + "\x1b[1;8H\x1b[L", "abcdefghij" + rest, 7, 0},
		{"DL", 10, 5, inMargins + "\x1b[2;3H\x1b[2M", "abcdefghij\nklMNOPqrst\nAB2345GHIJ\nKL    QRST\n01    6789", 2, 1},
		{"DL outside", 10, 5, inMargins + "\x1b[1;2H\x1b[M", "abcdefghij" + rest, 1, 0},
		{"SU", 10, 5, inMargins + "\x1b[S", "abmnopghij\nklCDEFqrst\nABMNOPGHIJ\nKL2345QRST\n01    6789", 0, 0},
		{"SD", 10, 5, inMargins + "\x1b[T", "ab    ghij\nklcdefqrst\nABmnopGHIJ\nKLCDEFQRST\n01MNOP6789", 0, 0},
		{"SU with rows", 10, 5, inMargins + "\x1b[2;3r\x1b[S", "abcdefghij\nklCDEFqrst\nAB    GHIJ\nKLMNOPQRST\n0123456789", 0, 0},
		{"LF", 10, 5, inMargins + "\x1b[5;3H\n", "abmnopghij\nklCDEFqrst\nABMNOPGHIJ\nKL2345QRST\n01    6789", 2, 4},
		{"LF outside", 10, 5, inMargins + "\x1b[5;8H\n", "abcdefghij" + rest, 7, 4},
		{"RI", 10, 5, inMargins + "\x1b[1;3H\x1bM", "ab    ghij\nklcdefqrst\nABmnopGHIJ\nKLCDEFQRST\n01MNOP6789", 2, 0},
		{"RI outside", 10, 5, inMargins + "\x1b[1;1H\x1bM", "abcdefghij" + rest, 0, 0},
		{"wrap", 10, 5, inMargins + "\x1b[1;5HXYZ", "abcdXYghij\nklZnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 3, 1},
		{"wrap scrolls", 10, 5, inMargins + "\x1b[5;5HXYZ", "abmnopghij\nklCDEFqrst\nABMNOPGHIJ\nKL23XYQRST\n01Z   6789", 3, 4},
		{"wrap of a wide one", 10, 5, inMargins + "\x1b[1;5HX世", "abcdXfghij\nkl世opqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 4, 1},
		{"CR", 10, 5, inMargins + "\x1b[1;5H\rX", "abXdefghij" + rest, 3, 0},
		{"CR from the left", 10, 5, inMargins + "\x1b[1;2H\rX", "Xbcdefghij" + rest, 1, 0},
		{"CR from the right", 10, 5, inMargins + "\x1b[1;9H\rX", "abXdefghij" + rest, 3, 0},
		{"BS", 10, 5, inMargins + "\x1b[1;4H\b\b\bX", "abXdefghij" + rest, 3, 0},
		{"CUB", 10, 5, inMargins + "\x1b[1;5H\x1b[9DX", "abXdefghij" + rest, 3, 0},
		{"CUB from the left", 10, 5, inMargins + "\x1b[1;2H\x1b[9DX", "Xbcdefghij" + rest, 1, 0},
		{"CUF", 10, 5, inMargins + "\x1b[1;4H\x1b[9CX", "abcdeXghij" + rest, 5, 0},
		{"CUF from the right", 10, 5, inMargins + "\x1b[1;8H\x1b[9CX", "abcdefghiX" + rest, 9, 0},
		{"NEL", 10, 5, inMargins + "\x1b[1;5H\x1bEX", "abcdefghij\nklXnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 3, 1},
		{"CNL", 10, 5, inMargins + "\x1b[1;5H\x1b[EX", "abcdefghij\nklXnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 3, 1},
		{"CUP is not bound", 10, 5, inMargins + "\x1b[1;9HX", "abcdefghXj" + rest, 9, 0},
		{"HT stops at the right one", 10, 5, inMargins + "\x1b[1;4H\tX", "abcdeXghij" + rest, 5, 0},
	})
}

func TestTerminalMarginsSetting(t *testing.T) {
	const rest = "\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789"
	runScreenTests(t, []screenTest{
		{"goes home", 10, 5, vt420 + "\x1b[3;3H\x1b[?69h\x1b[3;6sX", "X", 1, 0},
		{"right before left", 10, 5, five + "\x1b[?69h\x1b[1;4H\x1b[6;3s\x1b[2@", "abc  defgh" + rest, 3, 0},
		{"one column", 10, 5, five + "\x1b[?69h\x1b[1;4H\x1b[3;3s\x1b[2@", "abc  defgh" + rest, 3, 0},
		{"all", 10, 5, inMargins + "\x1b[s\x1b[1;4H\x1b[2@", "abc  defgh" + rest, 3, 0},
		{"beyond the screen", 10, 5, five + "\x1b[?69h\x1b[3;99s\x1b[1;4H\x1b[2@", "abc  defgh" + rest, 3, 0},
		{"without the mode it is SCOSC", 10, 5, five + "\x1b[2;3H\x1b[3;6s\x1b[H\x1b[uX", "abcdefghij\nklXnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 3, 1},
		{"end of the mode", 10, 5, inMargins + "\x1b[?69l\x1b[1;4H\x1b[2@", "abc  defgh" + rest, 3, 0},
		{"DECSTR", 10, 5, inMargins + "\x1b[!p\x1b[1;4H\x1b[2@", "abc  defgh" + rest, 3, 0},
	})
}

func TestTerminalColumns(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"DECIC", 10, 2, vt420 + "abcdef\r\nghijkl\x1b[1;3H\x1b[2'}", "ab  cdef\ngh  ijkl", 2, 0},
		{"DECDC", 10, 2, vt420 + "abcdef\r\nghijkl\x1b[1;3H\x1b[2'~", "abef\nghkl", 2, 0},
		{"DECIC in margins", 10, 5, inMargins + "\x1b[2;4r\x1b[2;4H\x1b['}", "abcdefghij\nklm noqrst\nABC DEGHIJ\nKLM NOQRST\n0123456789", 3, 1},
		{"DECDC in margins", 10, 5, inMargins + "\x1b[2;4r\x1b[2;4H\x1b['~", "abcdefghij\nklmop qrst\nABCEF GHIJ\nKLMOP QRST\n0123456789", 3, 1},
		{"DECIC outside", 10, 5, inMargins + "\x1b[1;8H\x1b['}", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 7, 0},
		{"SL", 10, 2, vt420 + "abcdef\r\nghijkl\x1b[1;3H\x1b[2 @", "cdef\nijkl", 2, 0},
		{"SR", 10, 2, vt420 + "abcdef\r\nghijkl\x1b[1;3H\x1b[2 A", "  abcdef\n  ghijkl", 2, 0},
		{"SL in margins", 10, 5, inMargins + "\x1b[1;4H\x1b[ @", "abdef ghij\nklnop qrst\nABDEF GHIJ\nKLNOP QRST\n01345 6789", 3, 0},
		{"SR in margins", 10, 5, inMargins + "\x1b[1;4H\x1b[ A", "ab cdeghij\nkl mnoqrst\nAB CDEGHIJ\nKL MNOQRST\n01 2346789", 3, 0},
		{"huge SL", 10, 2, vt420 + "abcdef\r\nghijkl\x1b[99999 @", "", 6, 1},
		{"DECBI moves", 10, 2, vt420 + "abc\x1b6X", "abX", 3, 0},
		{"DECBI at the margin", 10, 2, vt420 + "abc\r\ndef\r\x1b6X", " abc\nXdef", 1, 1},
		{"DECFI moves", 10, 2, vt420 + "abc\x1b9X", "abc X", 5, 0},
		{"DECFI at the margin", 5, 2, vt420 + "abcde\r\nfghij\x1b9", "bcde\nghij", 4, 1},
		{"DECBI in margins", 10, 5, inMargins + "\x1b[1;3H\x1b6", "ab cdeghij\nkl mnoqrst\nAB CDEGHIJ\nKL MNOQRST\n01 2346789", 2, 0},
		{"DECFI in margins", 10, 5, inMargins + "\x1b[1;6H\x1b9", "abdef ghij\nklnop qrst\nABDEF GHIJ\nKLNOP QRST\n01345 6789", 5, 0},
		{"DECBI at the screen's edge", 10, 5, inMargins + "\x1b[1;1H\x1b6", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 0, 0},
	})
}
