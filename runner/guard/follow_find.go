package guard

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// found returns the commands of find: those of -exec, with what is found in the place of {}, and a
// deletion for -delete.
func (x *invocation) found() (starts []start) {
	if x.table.lists["exec"] == nil {
		return nil
	}
	items := x.foundItems()
	if len(items) > mostFolders {
		items = []string{line.Unknown}
	}
	for i, word := range x.words {
		if word == "-delete" && x.table.has("dashes") {
			for _, item := range items {
				starts = append(starts, x.startOf([]string{"rm", "-rf", item}, nil))
			}
		}
		if !slices.Contains(x.table.lists["exec"], word) {
			continue
		}
		if len(starts) > mostFolders*10 {
			x.judge.unknown("it starts too many commands")
			break
		}
		end := i + 1
		for end < len(x.words) && x.words[end] != ";" && x.words[end] != "+" {
			end++
		}
		inner := x.words[i+1 : end]
		if len(inner) == 0 {
			continue
		}
		for _, item := range items {
			words := make([]string, len(inner))
			for k, one := range inner {
				words[k] = strings.ReplaceAll(one, "{}", item)
			}
			if !x.table.has("dashes") && !slices.Contains(inner, "{}") { // fd adds it
				words = append(words, item)
			}
			starts = append(starts, x.startOf(words, nil))
		}
	}
	return starts
}

// mostFolders is the most folders that find gets, for each to be looked at.
const mostFolders = 50

// foundItems returns the paths that find finds, one for each folder.
func (x *invocation) foundItems() (items []string) {
	var folders []string
	name, filtered := "", false
	if x.table.has("dashes") {
		for i := 1; i < len(x.words); i++ {
			word := x.words[i]
			switch {
			case word == "-name" || word == "-iname":
				if name = line.Unknown; i+1 < len(x.words) {
					name = strings.NewReplacer("*", line.Names, "?", line.Names).Replace(x.words[i+1])
				}
			case word == "-o" || word == "-or" || word == "-not" || word == "!":
				name, filtered = "", filtered || word != "-o" && word != "-or"
			case x.table.names("tests", word):
				filtered = true
			}
		}
		for _, word := range x.words[1:] {
			if word == "-H" || word == "-L" || word == "-P" || strings.HasPrefix(word, "-O") {
				continue
			}
			if strings.HasPrefix(word, "-") || word == "(" || word == "!" {
				break
			}
			folders = append(folders, word)
		}
	} else {
		name = line.Names
		folders = slices.Clone(x.operands[min(1, len(x.operands)):])
		filtered = len(x.operands) > 0
	}
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, folder := range folders {
		switch {
		case name != "" && name != line.Names:
			items = append(items, folder+"/"+name)
		case filtered:
			items = append(items, folder+"/found"+line.Names)
		default:
			items = append(items, folder)
		}
	}
	return items
}
