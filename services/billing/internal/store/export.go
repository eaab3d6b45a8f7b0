package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/export"
)

// ExportTables are what a person takes along of plans and credits.
func ExportTables(conns *pgxpool.Pool) []export.Table {
	pool, q := db.DBTX(conns), db.New()
	subscriptions := func(ctx context.Context, pool db.DBTX, userID uuid.UUID) ([][]byte, error) {
		return q.ExportSubscriptions(ctx, pool, db.ExportSubscriptionsParams{UserID: userID, Whole: stripe.WholeCurrencies(), Thousandths: stripe.ThousandthCurrencies()})
	}
	return []export.Table{
		{File: "subscriptions", About: "Your plans, those that have ended, too. The price is today's of the plan; what you paid is on Stripe's invoices.", Read: export.Whole(pool, subscriptions)},
		{File: "credits", About: "Your credits at this moment.", Read: export.Whole(pool, q.ExportCredits)},
		{File: "credit-history", About: "Every change of your credits: given, spent, expired, taken back.", Read: export.Page(pool, q.ExportCreditEntries)},
		{File: "credit-grants", About: "The credits that you were given, what for, and what is left of each grant.", Read: export.Page(pool, q.ExportGrants)},
		{File: "credit-payments", About: "What you have paid of the invoices that your grants are of.", Read: export.Page(pool, q.ExportPayments)},
		{File: "credit-packs-on-their-way", About: "Credits that you have ordered and whose payment has not arrived.", Read: export.Whole(pool, q.ExportPacksOnTheirWay)},
		{File: "billing-notices", About: "What we wrote to you about your credits and your plan, or were about to.", Read: export.Page(pool, q.ExportNotices)},
		{File: "credit-holds", About: "Credits that were set aside for work in progress.", Read: export.Page(pool, q.ExportHolds)},
		{File: "credit-requests", About: "What your apps asked to spend or set aside in the last weeks.", Read: export.Page(pool, q.ExportSpendRequests)},
		{File: "credit-corrections", About: "Credits that went back with a refund or a dispute, and those that came back after all.", Read: export.Whole(pool, q.ExportCorrections)},
		{File: "stripe-customers", About: "Under which ids Stripe, which takes your payments, knows you or knew you.", Read: export.Whole(pool, q.ExportCustomers)},
		{File: "billing-state", About: "Whether plans renew, or do not because your account was disabled.", Read: export.Whole(pool, q.ExportStanding)},
	}
}
