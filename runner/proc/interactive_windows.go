package proc

func interactive(Info) bool { return false }
