// Package csvfile reads the files of addresses that people have: RFC 4180 in UTF-8, and what
// spreadsheets and other tools make of it. The platform's package of that name writes them.
package csvfile

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/fault"
)

// Limits bound what is read of a file.
type Limits struct {
	Bytes int64
	// Lines counts records, without the one that names the columns.
	Lines int
}

// Record is one line's values of some columns.
type Record struct {
	// Line is where the line begins in the file, from 1.
	Line int
	// Cells are valid UTF-8 without surrounding space; "" where the line is too short.
	Cells []string
}

// File is what has arrived.
type File struct {
	text []byte
	most int
}

// The ways in which a file is refused as a whole.
var (
	UnsupportedMediaType = &problem.Refusal{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "The body must be text/csv in UTF-8."}

	errEmpty    = fault.New(fault.Invalid, "empty_file", "The file has no lines.")
	errWorkbook = fault.New(fault.Invalid, "invalid_csv", "The file is a workbook. Save it as CSV first.")
	errForeign  = fault.New(fault.Invalid, "invalid_csv", "The file is not a table of text. Save it as CSV first.")
)

// Read takes in the request's body, in whichever encoding (UTF-8, UTF-16 or Windows-1252) its content
// tells.
//
// It fails with UnsupportedMediaType unless the body is declared as text/csv,
// with fault.TooLarge past the limit of bytes, and with fault.Invalid for a workbook or another document.
func Read(w http.ResponseWriter, r *http.Request, limits Limits) (*File, error) {
	if !jsonbody.Is(r.Header, "text/csv") {
		return nil, UnsupportedMediaType
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limits.Bytes))
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		return nil, fault.New(fault.TooLarge, "body_too_large", "The file is too large.").Wrap(err)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("%w: %w", problem.BodyTooSlow, err)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "body_incomplete", "The file did not arrive completely.").Wrap(err)
	}
	if err := foreign(raw); err != nil {
		return nil, err
	}
	return &File{text: decoded(raw), most: limits.Lines}, nil
}

// Records returns the values of the columns, by their indexes, in each line that is about somebody. In
// the shape's column of addresses `Ada <ada@example.com>` is the address. Lines may differ in length;
// empty ones are skipped. Quotes that make no sense spoil their own line at most. It fails with
// fault.Invalid for a file that has no lines or too many.
func (f *File) Records(shape Shape, columns ...int) ([]Record, error) {
	lines := linesOf(f.text, shape.comma)
	var records []Record
	for n := 0; ; n++ {
		cells, line, err := lines.next()
		if err != nil {
			break
		}
		if n < shape.skip || isBlank(cells) {
			continue
		}
		if len(records) == f.most {
			return nil, fault.New(fault.Invalid, "too_many_lines", "The file has more than "+strconv.Itoa(f.most)+" lines.")
		}
		records = append(records, Record{line, shape.pick(cells, columns)})
	}
	if len(records) == 0 {
		return nil, errEmpty
	}
	return records, nil
}

func (s Shape) pick(cells []string, columns []int) []string {
	picked := make([]string, len(columns))
	for i, column := range columns {
		if picked[i] = csvfile.Cell(cells, column); column == s.Email {
			picked[i] = bare(picked[i])
		}
	}
	return picked
}
