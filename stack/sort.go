package stack

import "sort"

// sortBy sorts, and keeps the order of equal values. slices.SortFunc would be compiled anew for each of
// our types: 12 KB for each, whose lists have some ten values.
func sortBy[T any](all []T, compare func(a, b T) int) {
	sort.SliceStable(all, func(i, j int) bool { return compare(all[i], all[j]) < 0 })
}
