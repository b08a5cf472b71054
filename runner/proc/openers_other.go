//go:build !linux

package proc

func openers(int) []Info { return nil }

func folderOpeners(string) []Info { return nil }

func oldBuild(int) bool { return false }
