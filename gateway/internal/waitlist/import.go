package waitlist

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/csvfile"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/address"
	times "fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/obs"
)

const (
	// importPart is how many lines the waitlist service adds at a time.
	importPart = 5000
	// maxCell is how many characters of a cell the service gets to see, and one more, which
	// is enough for it to refuse it.
	maxCell = 254
	// previewRows is how many lines a preview shows.
	previewRows = 5
	// maxColumns is how many columns a preview offers.
	maxColumns = 1000
)

var importLimits = csvfile.Limits{Bytes: 10 << 20, Lines: 50_000}

// importWaitlistUsers reads the whole file before it imports the first part.
func (h *handlers) importWaitlistUsers(c *gin.Context) error {
	file, err := readImport(c)
	if err != nil {
		return err
	}
	report, _, err := h.sendImport(c.Request.Context(), file, false)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, report)
	return nil
}

// previewWaitlistImport tells what importWaitlistUsers would do.
func (h *handlers) previewWaitlistImport(c *gin.Context) error {
	file, err := readImport(c)
	if err != nil {
		return err
	}
	report, rows, err := h.sendImport(c.Request.Context(), file, true)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.ImportPreview{
		Report: report, Rows: rows, Columns: file.named(), Head: int64(file.shape.Head()), DayFirst: file.dayFirst, OldestFirst: file.isOldestFirst(time.Now()),
		Email: file.number(emailColumn), Joined: file.number(joinedColumn), Status: file.number(statusColumn), Source: file.number(sourceColumn),
	})
	return nil
}

// importFile is a file of people and what its columns are.
type importFile struct {
	mapping
	shape   csvfile.Shape
	records []csvfile.Record
}

func readImport(c *gin.Context) (f importFile, err error) {
	given, err := mappingOf(c)
	if err != nil {
		return f, err
	}
	file, err := csvfile.Read(c.Writer, c.Request, importLimits)
	if err != nil {
		return f, err
	}
	f.shape = file.Shape("email", given.columns[emailColumn])
	f.mapping = given.completed(f.shape)
	columns := slices.Concat(f.columns[:], f.kept[:])
	for _, c := range f.left {
		columns = append(columns, c.index)
	}
	if f.records, err = file.Records(f.shape, columns...); err != nil {
		return f, err
	}
	f.dates = f.toldBy(func(yield func(string) bool) {
		for _, record := range f.records {
			if !yield(record.Cells[joinedColumn]) {
				return
			}
		}
	})
	return f, nil
}

// statusOf is what the line says of the status, in our words where we have one.
func (f importFile) statusOf(cells []string) string {
	status := cells[statusColumn]
	if isGone(status) {
		return unsubscribed
	}
	for i, c := range f.left {
		if c.left(cells[columnKinds+len(recordColumns)+i]) {
			return unsubscribed
		}
	}
	return statusOf(status)
}

// number is that of the column from 1, 0 for none.
func (f importFile) number(kind int) int64 { return int64(f.columns[kind]) + 1 }

// named are the file's columns, for a person to choose from.
func (f importFile) named() []wire.ImportPreview_Columns {
	columns := make([]wire.ImportPreview_Columns, min(f.shape.Width(), maxColumns))
	for _, i := range f.times {
		if i < len(columns) {
			columns[i].IsTime = true
		}
	}
	for i := range columns {
		columns[i].Title = cut(f.shape.Title(i), 60)
		for line := range f.shape.Sample {
			if columns[i].Sample = cut(f.shape.Column(line, i), 60); columns[i].Sample != "" {
				break
			}
		}
	}
	return columns
}

// isOldestFirst tells whether people joined in the order of the lines: as the request says, or by the first date
// and the last.
func (f importFile) isOldestFirst(now time.Time) bool {
	if f.order != "" {
		return f.order == oldestFirst
	}
	const looked = 100 // of lines at either end
	date := func(records iter.Seq2[int, csvfile.Record]) (at time.Time) {
		n := 0
		for _, record := range records {
			if at, err := times.ParsePast(record.Cells[joinedColumn], f.dayFirst, now); err == nil || n == looked {
				return at
			}
			n++
		}
		return at
	}
	first, last := date(slices.All(f.records)), date(slices.Backward(f.records))
	return !first.IsZero() && first.Before(last)
}

// sendImport sends the file in parts; the request id identifies the import. Of a dry run it
// returns the first lines, too.
func (h *handlers) sendImport(ctx context.Context, f importFile, dryRun bool) (wire.ImportReport, []wire.ImportPreview_Rows, error) {
	report := wire.ImportReport{
		Lines: []wire.ImportReport_Lines{}, Dates: route.OrNull(wire.ImportReportDates(f.read())), DatesUnclear: route.OrNull(f.found && !f.said && !f.told),
	}
	rows := []wire.ImportPreview_Rows{}
	began, added := timestamppb.Now(), map[string]bool{}
	rises := f.isOldestFirst(began.AsTime())
	for part := range slices.Chunk(f.records, importPart) {
		req := &waitlistv1.ImportUsersRequest{ImportId: obs.RequestID(ctx), DryRun: dryRun, DayFirst: f.dayFirst, OldestFirst: rises, BeganAt: began}
		for _, record := range part {
			req.Lines = append(req.Lines, &waitlistv1.ImportLine{
				Line: int32(record.Line) + f.offset, Email: cut(record.Cells[emailColumn], maxCell+1), Joined: cut(record.Cells[joinedColumn], maxCell),
				Status: cut(f.statusOf(record.Cells), maxCell), Source: cut(record.Cells[sourceColumn], maxCell),
				Record: recordOf(record.Cells[columnKinds : columnKinds+len(recordColumns)]),
			})
		}
		resp, err := h.waitlist.ImportUsers(ctx, req)
		if err != nil {
			return report, nil, err
		}
		if dryRun {
			knowAgain(added, req.GetLines(), resp.GetResults())
		}
		addTo(&report, req.GetLines(), resp.GetResults())
		for i, result := range resp.GetResults() {
			if dryRun && len(rows) < previewRows {
				rows = append(rows, rowOf(req.GetLines()[i], result))
			}
		}
	}
	return report, rows, nil
}

// recordOf is what stands in recordColumns, nil for nothing.
func recordOf(cells []string) *waitlistv1.Record {
	if strings.Join(cells, "") == "" {
		return nil
	}
	kept := make([]string, len(cells))
	for i, cell := range cells {
		kept[i] = cut(cell, maxCell)
	}
	return &waitlistv1.Record{
		Consent: kept[0], ConsentedAt: kept[1], ConfirmedAt: kept[2], LeftAt: kept[3], Suppressed: kept[4], SuppressedAt: kept[5], InvitationExpiredAt: kept[6],
	}
}

// cellsOfRecord is recordOf the other way: what stands in recordColumns.
func cellsOfRecord(r *waitlistv1.Record) []string {
	return []string{r.GetConsent(), r.GetConsentedAt(), r.GetConfirmedAt(), r.GetLeftAt(), r.GetSuppressed(), r.GetSuppressedAt(), r.GetInvitationExpiredAt()}
}

// knowAgain reports an address as known if an earlier part of the same dry run would have added it. It
// adds this part's new addresses to added.
func knowAgain(added map[string]bool, lines []*waitlistv1.ImportLine, results []*waitlistv1.ImportResult) {
	for i, result := range results {
		if result.GetOutcome() != waitlistv1.ImportResult_OUTCOME_ADDED {
			continue
		}
		email, err := address.Parse(lines[i].GetEmail())
		if err != nil {
			continue // the service would not have added it
		}
		if added[email] {
			result.Outcome = waitlistv1.ImportResult_OUTCOME_KNOWN
		}
		added[email] = true
	}
}

// addTo counts all lines and names the refused ones: a file has at most importLimits of them.
func addTo(r *wire.ImportReport, lines []*waitlistv1.ImportLine, results []*waitlistv1.ImportResult) {
	for i, result := range results {
		switch result.GetOutcome() {
		case waitlistv1.ImportResult_OUTCOME_ADDED:
			r.Added++
		case waitlistv1.ImportResult_OUTCOME_KNOWN:
			r.Known++
		default:
			r.Invalid++
			r.Lines = append(r.Lines, wire.ImportReport_Lines{
				Line: int64(lines[i].GetLine()), Email: cut(lines[i].GetEmail(), maxCell),
				Joined: route.OrNull(lines[i].GetJoined()), Status: route.OrNull(lines[i].GetStatus()), Source: route.OrNull(lines[i].GetSource()), Record: refusedRecord(lines[i].GetRecord()),
				Outcome: wire.ImportReportLinesOutcome(enum.Name(result.GetOutcome())), Error: route.OrNull(result.GetError()),
			})
		}
	}
}

// refusedRecord has the cells of a record by their columns, nil for none.
func refusedRecord(r *waitlistv1.Record) *map[string]string {
	if r == nil {
		return nil
	}
	cells := map[string]string{}
	for i, cell := range cellsOfRecord(r) {
		if cell != "" {
			cells[recordColumns[i]] = cell
		}
	}
	return &cells
}

func rowOf(line *waitlistv1.ImportLine, result *waitlistv1.ImportResult) wire.ImportPreview_Rows {
	return wire.ImportPreview_Rows{
		Line: int64(line.GetLine()), Email: cut(line.GetEmail(), maxCell), Outcome: wire.ImportPreviewRowsOutcome(enum.Name(result.GetOutcome())),
		JoinedAt: route.TimeOrNull(result.GetJoinedAt()), Error: route.OrNull(result.GetError()),
		Status: route.OrNull(wire.WaitlistStatus(enum.Name(result.GetStatus()))), Source: route.OrNull(enum.Name(result.GetSource())),
	}
}

// cut returns the first n characters of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return strings.Clone(s[:i])
		}
		n--
	}
	return s
}
