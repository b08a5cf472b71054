package stack

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A version is the major and the minor version of node.
type version [2]int

// nodeVersion returns the version of node and its text. The version is zero if it is unknown.
func (s *search) nodeVersion(path string) (version, string) {
	printed := ""
	if s.Version != nil {
		printed = strings.TrimSpace(s.Version(path))
	}
	parts := strings.SplitN(strings.TrimPrefix(printed, "v"), ".", 3)
	if len(parts) < 2 {
		return version{}, "of an unknown version"
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return version{}, "of an unknown version"
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return version{}, "of an unknown version"
	}
	return version{major, minor}, fmt.Sprintf("%d.%d", major, minor)
}

func (v version) atLeast(major, minor int) bool {
	return slices.Compare(v[:], []int{major, minor}) >= 0
}

// detectsModules reports whether node finds out by the code of a .js file whether it is a module
// (--experimental-detect-module is on by default: v22.7.0, v20.19.0).
func (v version) detectsModules() bool {
	return v.atLeast(22, 7) || v[0] == 20 && v.atLeast(20, 19)
}

// stripping returns the flags with which node runs TypeScript without a warning, nil if it cannot.
// It can from 22.6 on, by default from 22.18 and 23.6 on, and without a warning from 22.18 and 24.3
// on (https://nodejs.org/api/typescript.html, history).
func stripping(v version) []string {
	const quiet = "--disable-warning=ExperimentalWarning"
	switch {
	case !v.atLeast(22, 6):
		return nil
	case v.atLeast(24, 3) || v[0] == 22 && v.atLeast(22, 18):
		return []string{}
	case v.atLeast(23, 6):
		return []string{quiet}
	}
	return []string{"--experimental-strip-types", quiet}
}
