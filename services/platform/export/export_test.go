package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/fault"
)

var ann = export.Account{ID: uuid.MustParse("0192f8a0-7a3b-7c1d-9e2f-00112233aabb"), Emails: []string{"ann@example.com"}}

// numbered is a table of n rows, each of so many bytes and more.
func numbered(file string, n, size int) export.Table {
	return export.Table{File: file, About: "Rows of " + file + ".", Read: func(_ context.Context, _ export.Account, after string) (rows []export.Row, err error) {
		for i := range n {
			key := fmt.Sprintf("%06d", i)
			if key > after && len(rows) < export.PageSize {
				rows = append(rows, export.Row{Key: key, Fields: fmt.Appendf(nil, `{"n": %d, "text": "%s"}`, i, strings.Repeat("x", size))})
			}
		}
		return rows, nil
	}}
}

// telling is a service with these tables, and the number of pieces that it told.
func telling(tables ...export.Table) (export.Ask, *int) {
	var pieces int
	return func(ctx context.Context, cursor string) ([]*exportv1.Part, string, error) {
		pieces++
		return export.PieceOf(ctx, tables, ann.Proto(), cursor)
	}, &pieces
}

func TestEveryRowIsToldOnce(t *testing.T) {
	once := export.Table{File: "once", Read: func(context.Context, export.Account, string) ([]export.Row, error) {
		return export.Unkeyed(slices.Repeat([][]byte{[]byte(`{"a": 1}`)}, 2*export.PageSize)), nil
	}}
	one, pieces := telling(numbered("long", 333, 20_000), once, numbered("empty", 0, 0), numbered("full", 2*export.PageSize, 1))
	other, _ := telling(numbered("more", 3, 1), numbered("long", 4, 1))
	archive, err := export.Collect(t.Context(), time.Minute, one, other)
	errtest.None(t, err)
	got := map[string]int{}
	for _, file := range archive {
		got[file.Name] = len(file.Rows)
		if distinct := slices.Compact(slices.Sorted(slices.Values(file.Rows))); file.Name == "full" && len(distinct) != len(file.Rows) {
			t.Error("a row is there twice")
		}
	}
	if want := map[string]int{"long": 337, "once": 100, "empty": 0, "full": 100, "more": 3}; fmt.Sprint(got) != fmt.Sprint(want) || len(archive) != len(want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	if *pieces < 6 {
		t.Errorf("6.6 MB came in %d pieces", *pieces)
	}
}

func TestWithoutOneServiceThereIsNoExport(t *testing.T) {
	away := fault.New(fault.Unavailable, "away", "Later.")
	calls := 0
	failing := func(context.Context, string) ([]*exportv1.Part, string, error) {
		if calls++; calls == 2 {
			return nil, "", away
		}
		return nil, "0/x", nil
	}
	hung := func(ctx context.Context, _ string) ([]*exportv1.Part, string, error) {
		<-ctx.Done()
		return nil, "", ctx.Err()
	}
	if _, err := export.Collect(t.Context(), time.Minute, hung, failing); !errors.Is(err, fault.Unavailable) || fault.Of(err).Reason != "away" {
		t.Errorf("one fails: %v", err)
	}
	if _, err := export.Collect(t.Context(), time.Millisecond, hung); !errors.Is(fault.Of(err), fault.Unavailable) {
		t.Errorf("one hangs: %v", err)
	}
}

func TestWhatIsNoCursor(t *testing.T) {
	tables := []export.Table{numbered("a", 1, 1)}
	for _, cursor := range []string{"x", "1/", "-1/", "0", "9999999999999999999/", "/0"} {
		if _, _, err := export.Piece(t.Context(), tables, ann, cursor); fault.Of(err).Reason != "invalid_cursor" {
			t.Errorf("%q: %v", cursor, err)
		}
	}
	if _, _, err := export.PieceOf(t.Context(), tables, &exportv1.Account{Id: "ann"}, ""); fault.Of(err).Kind != fault.Invalid {
		t.Errorf("no id: %v", err)
	}
}

func TestTheArchive(t *testing.T) {
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.FixedZone("", 3600))
	archive := export.Archive{
		{Name: "credit-history", About: "Every change.", Rows: []string{
			`{"z": "=1+1", "credits": -1.25, "tags": ["a", "b"], "none": null, "text": "one\ntwo", "yes": true}`,
			`{"z": "é", "credits": 10.00, "tags": [], "none": "x", "text": "", "yes": false}`,
		}},
		{Name: "empty", About: "Nothing."},
	}
	var buf bytes.Buffer
	errtest.None(t, archive.Write(&buf, ann, at))
	files := unpack(t, buf.Bytes())
	if len(files) != 4 || files["empty.json"] != "[]\n" {
		t.Errorf("%d files, the empty one is %q", len(files), files["empty.json"])
	}
	for _, said := range []string{"ann@example.com", ann.ID.String(), "2026-11-26T09:00:00Z", "credit-history\n    Every change.", "empty (empty)\n    Nothing.", "hashes"} {
		if !strings.Contains(files["README.txt"], said) {
			t.Errorf("the README does not say %q:\n%s", said, files["README.txt"])
		}
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(files["credit-history.json"]), &rows); err != nil || len(rows) != 2 || rows[0]["credits"] != -1.25 {
		t.Errorf("JSON: %v, %v", rows, err)
	}
	sheet, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(files["credit-history.csv"], "\ufeff"))).ReadAll()
	want := [][]string{
		{"z", "credits", "tags", "none", "text", "yes"},
		{"'=1+1", "-1.25", `["a","b"]`, "", "one\ntwo", "true"},
		{"é", "10.00", "[]", "x", "", "false"},
	}
	if err != nil || fmt.Sprint(sheet) != fmt.Sprint(want) {
		t.Errorf("CSV: %q, %v", sheet, err)
	}
	if name := export.Name(at); name != "fledge-data-2026-11-26.zip" {
		t.Errorf("it is called %s", name)
	}
}

// unpack returns the content of each file, and fails if a name occurs twice.
func unpack(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	errtest.None(t, err)
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		errtest.None(t, err)
		content, err := io.ReadAll(in)
		errtest.None(t, err)
		if _, twice := files[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		files[f.Name] = string(content)
	}
	return files
}
