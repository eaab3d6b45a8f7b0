package support

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/route"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
)

var ticketColumns = []string{
	"ticket_id", "created_at", "updated_at", "status", "priority", "category", "user_email", "subject", "message", "app_version", "operating_system",
	"assignee", "tags", "first_answer_at", "waiting_since", "resolved_at", "first_answer_seconds", "resolve_seconds",
}

func (h *handlers) exportSupportTickets(c *gin.Context) error {
	filter, err := ticketFilter(c)
	if err != nil {
		return err
	}
	req := &supportv1.ExportTicketsRequest{Filter: filter}
	filename := "support-tickets-" + h.clock.Now().UTC().Format(time.DateOnly) + ".csv"
	return h.csv.Send(c, filename, ticketColumns, func(ctx context.Context) ([][]string, bool, error) {
		resp, err := h.support.ExportTickets(ctx, req, roomForTickets)
		if err != nil {
			return nil, false, err
		}
		req.Cursor = resp.GetNextCursor()
		return route.Each(resp.GetTickets(), ticketRow), req.GetCursor() != "", nil
	})
}

func ticketRow(t *supportv1.Ticket) []string {
	return []string{
		t.GetNumber(), t.GetCreatedAt().AsTime().Format(time.RFC3339), t.GetUpdatedAt().AsTime().Format(time.RFC3339),
		enum.Name(t.GetStatus()), enum.Name(t.GetPriority()), enum.Name(t.GetCategory()),
		t.GetUserEmail(), t.GetSubject(), t.GetMessage(), t.GetAppVersion(), t.GetOperatingSystem(),
		t.GetDesk().GetAssigneeEmail(), strings.Join(t.GetDesk().GetTags(), " "), timeCell(t.GetDesk().GetAnsweredAt()), timeCell(t.GetDesk().GetWaitingSince()),
		timeCell(t.GetDesk().GetResolvedAt()), secondsCell(t, t.GetDesk().GetAnsweredAt()), secondsCell(t, t.GetDesk().GetResolvedAt()),
	}
}

// timeCell is empty without a time.
func timeCell(at *timestamppb.Timestamp) string {
	if at == nil {
		return ""
	}
	return at.AsTime().Format(time.RFC3339)
}

// secondsCell is how long after its opening something happened to the ticket; empty without.
func secondsCell(t *supportv1.Ticket, at *timestamppb.Timestamp) string {
	if at == nil {
		return ""
	}
	return strconv.FormatInt(at.GetSeconds()-t.GetCreatedAt().GetSeconds(), 10)
}
