package commands

import "strings"

// mostTypos is how many typing errors a word may have for which another word is suggested.
const mostTypos = 2

// nearest returns the word that a mistyped word may stand for, or "". It has the same first letter. The word is the
// beginning of it, or differs from it by few typing errors.
func nearest(mistyped string, words []string) string {
	best, least := "", mostTypos+1
	for _, word := range words {
		if mistyped == "" || word == "" || word[0] != mistyped[0] {
			continue
		}
		n := typos(mistyped, word)
		if len(mistyped) > 1 && strings.HasPrefix(word, mistyped) {
			n = 1
		}
		if n < least && n < len(mistyped) {
			best, least = word, n
		}
	}
	return best
}

// typos returns the number of typing errors that lead from b to a: a letter too many, a letter too few, another letter,
// or two letters in the wrong order.
func typos(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
				continue
			case j == 0:
				rows[i][j] = i
				continue
			}
			other := 1
			if a[i-1] == b[j-1] {
				other = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
