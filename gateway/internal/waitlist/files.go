package waitlist

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/csvfile"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/obs"
)

// exportWaitlistUsers sends all entries that match the filters.
func (h *handlers) exportWaitlistUsers(c *gin.Context) error {
	list, err := listRequest(c)
	if err != nil {
		return err
	}
	req := &waitlistv1.ExportUsersRequest{Status: list.GetStatus(), Search: list.GetSearch(), Undelivered: list.GetUndelivered()}
	return h.csv.Send(c, "waitlist.csv", []string{"email", "status", "source", "created_at"}, func(ctx context.Context) ([][]string, bool, error) {
		resp, err := h.waitlist.ExportUsers(ctx, req)
		if err != nil {
			return nil, false, err
		}
		next := make([][]string, 0, len(resp.GetUsers()))
		for _, u := range resp.GetUsers() {
			next = append(next, []string{
				u.GetEmail(), enum.Name(u.GetStatus()), enum.Name(u.GetSource()),
				u.GetCreatedAt().AsTime().Format(time.RFC3339),
			})
		}
		req.Cursor = resp.GetNextCursor()
		return next, req.GetCursor() != "", nil
	})
}

const (
	// importPart is how many lines the waitlist service adds at a time.
	importPart = 5000
	// maxEmail is how many characters of a cell the service gets to see, and one more, which
	// is enough for it to refuse it.
	maxEmail = 254
)

var importLimits = csvfile.Limits{Bytes: 10 << 20, Lines: 50_000}

// importWaitlistUsers reads the whole file before it imports the first part. The request id
// identifies the import.
func (h *handlers) importWaitlistUsers(c *gin.Context) error {
	cells, err := csvfile.ReadColumn(c.Writer, c.Request, importLimits, "email")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	report := wire.ImportReport{Lines: []wire.ImportReport_Lines{}}
	for part := range slices.Chunk(cells, importPart) {
		req := &waitlistv1.ImportUsersRequest{ImportId: obs.RequestID(ctx)}
		for _, cell := range part {
			req.Lines = append(req.Lines, &waitlistv1.ImportLine{Line: int32(cell.Line), Email: cut(cell.Text, maxEmail+1)})
		}
		resp, err := h.waitlist.ImportUsers(ctx, req)
		if err != nil {
			return err
		}
		addTo(&report, req.GetLines(), resp.GetResults())
	}
	c.JSON(http.StatusOK, report)
	return nil
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
				Line: int64(lines[i].GetLine()), Email: cut(lines[i].GetEmail(), maxEmail), Outcome: wire.ImportReportLinesOutcome(enum.Name(result.GetOutcome())), Error: route.OrNull(result.GetError()),
			})
		}
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
