package export

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/csvfile"
)

// ContentType is the type of an archive.
const ContentType = "application/zip"

// Its {words} are replaced. A template of Go's calls methods by name, for which the linker would keep
// every method in each program that writes an archive.
//
//go:embed readme.txt
var readme string

// Archive is everything that is held about an account.
type Archive []File

// Name is what the file is called that is written at that time.
func Name(at time.Time) string { return "fledge-data-" + at.UTC().Format(time.DateOnly) + ".zip" }

// Write writes the ZIP: a README that says what is in it and what is not, and each file as JSON
// and, if it has rows, as CSV.
func (a Archive) Write(w io.Writer, account Account, at time.Time) error {
	out := zip.NewWriter(w)
	add := func(name string, write func(io.Writer) error) error {
		f, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at.UTC()})
		if err != nil {
			return err
		}
		return write(f)
	}
	if err := add("README.txt", func(w io.Writer) error { return a.readme(w, account, at) }); err != nil {
		return err
	}
	for _, file := range a {
		if err := add(file.Name+".json", file.writeJSON); err != nil {
			return err
		}
		if len(file.Rows) == 0 {
			continue
		}
		if err := add(file.Name+".csv", file.writeCSV); err != nil {
			return err
		}
	}
	return out.Close()
}

func (a Archive) readme(w io.Writer, account Account, at time.Time) error {
	var files strings.Builder
	for _, file := range a {
		empty := ""
		if len(file.Rows) == 0 {
			empty = " (empty)"
		}
		files.WriteString("\n" + file.Name + empty + "\n    " + file.About + "\n")
	}
	_, err := strings.NewReplacer("{product}", brand.Name, "{account}", account.ID.String(), "{emails}", strings.Join(account.Emails, ", "),
		"{written}", at.UTC().Format(time.RFC3339), "{files}", files.String()).WriteString(w, readme)
	return err
}

func (f File) writeJSON(w io.Writer) error {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte("["+strings.Join(f.Rows, ",")+"]"), "", "  "); err != nil {
		return fmt.Errorf("export: %s: %w", f.Name, err)
	}
	out.WriteByte('\n')
	_, err := out.WriteTo(w)
	return err
}

func (f File) writeCSV(w io.Writer) error {
	var out *csvfile.Writer
	for _, row := range f.Rows {
		names, cells, err := line(row)
		if err != nil {
			return fmt.Errorf("export: %s: %w", f.Name, err)
		}
		if out == nil {
			if out, err = csvfile.NewWriter(w, names); err != nil {
				return err
			}
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	return out.Flush()
}

// line returns the fields of a JSON object in their order. What is a list or an object itself is
// one cell with its JSON; null is an empty one.
func line(object string) (names, cells []string, err error) {
	fields := json.NewDecoder(strings.NewReader(object))
	if _, err := fields.Token(); err != nil {
		return nil, nil, err
	}
	for fields.More() {
		name, err := fields.Token()
		if err != nil {
			return nil, nil, err
		}
		var value json.RawMessage
		if err := fields.Decode(&value); err != nil {
			return nil, nil, err
		}
		cell, err := cellOf(value)
		if err != nil {
			return nil, nil, err
		}
		names, cells = append(names, fmt.Sprint(name)), append(cells, cell)
	}
	return names, cells, nil
}

func cellOf(value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	case 'n':
		return "", nil
	default:
		var compact bytes.Buffer
		err := json.Compact(&compact, value)
		return compact.String(), err
	}
}
