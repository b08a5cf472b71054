//go:build !linux

package proc

func family(root int, cut func(Member) bool) []Member {
	var found []Member
	without := map[int]bool{}
	for _, info := range Tree(root) {
		m := Member{Info: info, Args: CommandLine(info.PID)}
		if without[info.Parent] || cut != nil && cut(m) {
			without[info.PID] = true
			continue
		}
		if !info.Ended() {
			found = append(found, m)
		}
	}
	return found
}
