// Command pack makes the data of package glyph from two free fonts: the outlines of DejaVu Sans
// Mono, and the bitmaps of GNU Unifont. Debian installs them with fonts-dejavu-core and unifont. Run
// it with go generate. Package glyph describes the formats.
package main

import (
	"bytes"
	"compress/flate"
	"log"
	"os"
	"path/filepath"
)

const (
	dejavu  = "/usr/share/fonts/truetype/dejavu"
	unifont = "/usr/share/unifont/unifont.hex"
	upper   = "/usr/share/fonts/opentype/unifont/unifont_upper.otf"
)

func main() {
	if err := pack("data"); err != nil {
		log.Fatal(err)
	}
}

// pack writes the data files into the folder.
func pack(folder string) error {
	for name, font := range map[string]string{"regular.bin": "DejaVuSansMono.ttf", "bold.bin": "DejaVuSansMono-Bold.ttf"} {
		packed, err := packOutlines(filepath.Join(dejavu, font))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), packed, 0o644); err != nil {
			return err
		}
	}
	bitmaps, err := readHex(unifont)
	if err != nil {
		return err
	}
	if err := addPixels(bitmaps, upper); err != nil {
		return err
	}
	packed, err := packBitmaps(bitmaps)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "bitmaps.bin"), packed, 0o644)
}

// deflate returns b compressed.
func deflate(b []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
