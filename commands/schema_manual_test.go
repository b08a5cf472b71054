package commands

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// jsonPage is the file of devtools-json(5). Its tables are generated between two comments each.
const jsonPage = "../man/devtools-json.5"

// withTables returns the page with its tables made anew.
func withTables(page string, objects map[string]*object) (string, error) {
	for name, table := range map[string]string{
		"commands": commandTable(objects),
		"objects":  objectTables(objects),
		"members":  memberTable(objects),
	} {
		begin, end := fmt.Sprintf(".\\\" generated: %s\n", name), fmt.Sprintf(".\\\" end of %s\n", name)
		head, rest, ok := strings.Cut(page, begin)
		_, tail, ended := strings.Cut(rest, end)
		if !ok || !ended {
			return "", fmt.Errorf("%s has no lines %q and %q", jsonPage, begin, end)
		}
		page = head + begin + table + end + tail
	}
	return page, nil
}

// commandTable says which objects each command prints.
func commandTable(map[string]*object) string {
	var page strings.Builder
	for _, command := range slices.Sorted(maps.Keys(resultTypes)) {
		var names []string
		for _, name := range resultNames(command) {
			names = append(names, `\fB`+name+`\fR`)
		}
		label := command
		if command == "version" || command == "error" {
			label = map[string]string{"version": "--version", "error": "an error"}[command]
		}
		fmt.Fprintf(&page, ".TP\n%s\n%s\n", label0(label), strings.Join(names, ", "))
	}
	return page.String()
}

func label0(label string) string {
	if strings.Contains(label, " ") {
		return label
	}
	return ".B " + hyphens(label)
}

// objectTables has a table of members for each object.
func objectTables(objects map[string]*object) string {
	var page strings.Builder
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		o := objects[name]
		fmt.Fprintf(&page, ".SS %s\n%s", name, prose(o.doc))
		fmt.Fprintf(&page, "Printed by: %s.\n", hyphens(printers(o)))
		whole := ""
		for _, m := range o.members {
			known := slices.IndexFunc(m.owners, func(name string) bool { return objects[name] != nil })
			if known >= 0 { // in the table of the other object
				if whole != m.owners[known] {
					whole = m.owners[known]
					fmt.Fprintf(&page, ".PP\nIt has all members of\n.BR %s .\n", whole)
				}
				continue
			}
			details := m.typ.text()
			if u := unit(m.name, m.typ); u != "" {
				details += ", " + u
			}
			if m.optional {
				details += ", optional"
			}
			fmt.Fprintf(&page, ".TP\n.BR %s \" (%s)\"\n%s%s", hyphens(m.name), details, prose(m.doc), valueTable(m.typ))
		}
		if o.reminds {
			page.WriteString(".PP\nIt has all members of\n.BR Reminder .\n")
		}
	}
	return page.String()
}

// printers names the commands that print an object. Every command prints an error, and --version is none.
func printers(o *object) string {
	labels := slices.DeleteFunc(slices.Clone(o.commands), func(command string) bool { return command == "error" })
	if i := slices.Index(labels, "version"); i >= 0 {
		labels[i] = "devtools --version"
	}
	if slices.Contains(o.commands, "error") {
		labels = append(labels, "every command that fails")
	}
	return strings.Join(labels, ", ")
}

// valueTable lists the values of a member, with their meanings if these are known.
func valueTable(t memberType) string {
	for t.of != nil {
		t = *t.of
	}
	if len(t.values) == 0 {
		return ""
	}
	var words []string
	var rows strings.Builder
	explained := false
	for _, v := range t.values {
		word := v.text
		if word == "" {
			word = "the empty string"
		} else {
			word = `\fB` + hyphens(word) + `\fR`
		}
		words = append(words, word)
		explained = explained || v.doc != ""
		doc := v.doc
		if doc != "" {
			doc = ": " + doc
		}
		fmt.Fprintf(&rows, ".br\n%s%s\n", word, escaped(doc))
	}
	if !explained {
		return "One of: " + strings.Join(words, ", ") + ".\n"
	}
	return rows.String()
}

// memberTable lists all members by name, with their types and the objects that have them.
func memberTable(objects map[string]*object) string {
	uses := map[string]map[string][]string{} // names of objects, by member and type
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		for _, m := range objects[name].members {
			typ := m.typ.text()
			if u := unit(m.name, m.typ); u != "" {
				typ += ", " + u
			}
			if uses[m.name] == nil {
				uses[m.name] = map[string][]string{}
			}
			uses[m.name][typ] = append(uses[m.name][typ], name)
		}
	}
	var page strings.Builder
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		for _, typ := range slices.Sorted(maps.Keys(uses[name])) {
			fmt.Fprintf(&page, ".TP\n.BR %s \" (%s)\"\n%s\n", hyphens(name), typ, strings.Join(uses[name][typ], ", "))
		}
	}
	return page.String()
}

var (
	sentenceEnd = regexp.MustCompile(`([.;:]) ([A-Z"])`)
	optionWord  = regexp.MustCompile(`(^|[^\w\\-])(--?)([A-Za-z][\w-]*)`)
)

// prose returns a text with each sentence on a line.
func prose(text string) string {
	var page strings.Builder
	for line := range strings.Lines(sentenceEnd.ReplaceAllString(text, "$1\n$2") + "\n") {
		line = escaped(strings.TrimSpace(line))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		page.WriteString(line + "\n")
	}
	return page.String()
}

// escaped returns text in which nothing is markup.
func escaped(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = optionWord.ReplaceAllStringFunc(text, hyphens)
	var page strings.Builder
	for _, r := range text {
		if r < 128 {
			page.WriteRune(r)
		} else {
			fmt.Fprintf(&page, `\[u%04X]`, r)
		}
	}
	return page.String()
}

// hyphens makes hyphens into those of a command line.
func hyphens(text string) string { return strings.ReplaceAll(text, "-", `\-`) }
