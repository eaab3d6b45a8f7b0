// Package export serves what a person takes along: everything that the services hold about
// their account, as one file.
package export

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/export"
)

type handlers struct {
	services *backend.Services
	patience time.Duration
	clock    clock.Clock
}

// Routes returns the routes. patience is how long a service may take for a piece.
func Routes(services *backend.Services, patience time.Duration, clk clock.Clock) []route.Route {
	h := &handlers{services, patience, clk}
	return []route.Route{
		{Method: http.MethodGet, Path: "/api/auth/export", Access: route.User, Limit: route.SignIn, Budget: route.FileBudget, Names: route.SnakeCase, Handle: h.export},
	}
}

// export answers when all services have told everything, so that nobody gets a part of it.
func (h *handlers) export(c *gin.Context) error {
	ctx := c.Request.Context()
	account, archive, err := h.collect(ctx)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	now := h.clock.Now()
	if err := archive.Write(&file, account, now); err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="`+export.Name(now)+`"`)
	c.Header("Content-Length", strconv.Itoa(file.Len()))
	c.Data(http.StatusOK, export.ContentType, file.Bytes())
	return nil
}

// collect first asks identity alone: it says whether the caller may have the export, and whose
// data the other services are to tell.
func (h *handlers) collect(ctx context.Context) (export.Account, export.Archive, error) {
	first, err := h.begin(ctx)
	if err != nil {
		return export.Account{}, nil, err
	}
	whose := first.GetAccount()
	id, err := uuid.Parse(whose.GetId())
	if err != nil {
		return export.Account{}, nil, err
	}
	rest := export.Remote(h.services.Identity.ExportAccount, func(cursor string) *identityv1.ExportAccountRequest {
		return &identityv1.ExportAccountRequest{Cursor: cursor}
	})
	archive, err := export.Collect(ctx, h.patience,
		func(ctx context.Context, cursor string) ([]*exportv1.Part, string, error) {
			if cursor == "" {
				return first.GetParts(), first.GetNextCursor(), nil
			}
			return rest(ctx, cursor)
		},
		export.Remote(h.services.Waitlist.ExportAccount, func(cursor string) *waitlistv1.ExportAccountRequest {
			return &waitlistv1.ExportAccountRequest{Account: whose, Cursor: cursor}
		}),
		export.Remote(h.services.Billing.ExportAccount, func(cursor string) *billingv1.ExportAccountRequest {
			return &billingv1.ExportAccountRequest{Account: whose, Cursor: cursor}
		}),
		export.Remote(h.services.Support.ExportAccount, func(cursor string) *supportv1.ExportAccountRequest {
			return &supportv1.ExportAccountRequest{Account: whose, Cursor: cursor}
		}),
		export.Remote(h.services.Releases.ExportAccount, func(cursor string) *releasesv1.ExportAccountRequest {
			return &releasesv1.ExportAccountRequest{Account: whose, Cursor: cursor}
		}))
	return export.Account{ID: id, Emails: whose.GetEmails()}, archive, err
}

func (h *handlers) begin(ctx context.Context) (*identityv1.ExportAccountResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, h.patience)
	defer cancel()
	return h.services.Identity.ExportAccount(ctx, &identityv1.ExportAccountRequest{})
}
