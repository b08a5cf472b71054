// Command widths makes the table of package screen that says how many columns each character takes.
// It reads the Unicode Character Database. With -compare it writes the widths of other programs,
// which a test compares with the table. CONTRIBUTING.md says where to get the data and how to run
// the command.
package main

import (
	"errors"
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	ucd := flag.String("ucd", "", "folder with the files of the Unicode Character Database")
	table := flag.String("table", "width_table.go", "Go file to write")
	compare := flag.String("compare", "", "write what others say into this folder, not the table")
	flag.Parse()
	if err := run(*ucd, *table, *compare); err != nil {
		log.Fatal(err)
	}
}

func run(ucd, table, compare string) error {
	if compare != "" {
		return writeOthers(compare)
	}
	if ucd == "" {
		return errors.New("no folder with the Unicode Character Database: set UCD for go generate, see CONTRIBUTING.md")
	}
	db, err := readDatabase(ucd)
	if err != nil {
		return err
	}
	source, err := db.source()
	if err != nil {
		return err
	}
	return os.WriteFile(table, source, 0o644)
}
