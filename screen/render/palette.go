package render

import (
	"cmp"
	"maps"
	"slices"
)

// reduce returns a palette of at most most colours for the counted colours, which are 0xrrggbb, and
// the number of each in the palette. If there are too many colours, it uses median cut: it divides
// the colours where they differ most until there are enough parts, and each part becomes one colour.
func reduce(counts map[uint32]int, most int) (palette []uint32, numbers map[uint32]uint8) {
	colors := slices.Sorted(maps.Keys(counts))
	numbers = make(map[uint32]uint8, len(colors))
	if len(colors) <= most {
		for i, c := range colors {
			numbers[c] = uint8(i)
		}
		return colors, numbers
	}
	parts := [][]uint32{colors}
	for len(parts) < most {
		// Choose the part that gains most from a division: many pixels, in colours that are far apart.
		best, worth, channel := -1, 0, 0
		for i, part := range parts {
			c, width := widest(part)
			if w := width * weight(part, counts); w > worth {
				best, worth, channel = i, w, c
			}
		}
		if best < 0 {
			break
		}
		part := parts[best]
		slices.SortStableFunc(part, func(a, b uint32) int { return cmp.Compare(a>>channel&0xff, b>>channel&0xff) })
		half, seen, middle := weight(part, counts)/2, 0, 0
		for middle < len(part)-1 && (middle == 0 || seen < half) {
			seen += counts[part[middle]]
			middle++
		}
		parts[best] = part[:middle]
		parts = append(parts, part[middle:])
	}
	for i, part := range parts {
		palette = append(palette, mean(part, counts))
		for _, c := range part {
			numbers[c] = uint8(i)
		}
	}
	return palette, numbers
}

// widest returns the channel, as its shift, in which the colours are farthest apart, and how far.
func widest(colors []uint32) (channel, width int) {
	for _, shift := range []int{8, 16, 0} {
		low, high := 255, 0
		for _, c := range colors {
			v := int(c >> shift & 0xff)
			low, high = min(low, v), max(high, v)
		}
		if high-low > width {
			channel, width = shift, high-low
		}
	}
	return channel, width
}

// weight returns how many pixels have one of the colours.
func weight(colors []uint32, counts map[uint32]int) (n int) {
	for _, c := range colors {
		n += counts[c]
	}
	return n
}

// mean returns the mean of colours.
func mean(colors []uint32, counts map[uint32]int) uint32 {
	var sums [3]int
	for _, c := range colors {
		for i := range sums {
			sums[i] += int(c>>(8*i)&0xff) * counts[c]
		}
	}
	n := weight(colors, counts)
	var color uint32
	for i, sum := range sums {
		color |= uint32((sum+n/2)/n) << (8 * i)
	}
	return color
}
