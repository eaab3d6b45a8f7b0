package identity_test

import (
	"archive/zip"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// others are the services that identity asks; down is what billing fails with.
type others struct {
	billing
	support
	waitlist
	releases
}

type (
	billing struct {
		billingv1.UnimplementedBillingServiceServer
		asked []*exportv1.Account
		down  error
	}
	support struct {
		supportv1.UnimplementedSupportServiceServer
	}
	waitlist struct {
		waitlistv1.UnimplementedWaitlistServiceServer
	}
	releases struct {
		releasesv1.UnimplementedReleasesServiceServer
	}
)

func (b *billing) ExportAccount(_ context.Context, req *billingv1.ExportAccountRequest) (*billingv1.ExportAccountResponse, error) {
	b.asked = append(b.asked, req.GetAccount())
	return &billingv1.ExportAccountResponse{Parts: []*exportv1.Part{{File: "credits", Rows: []string{`{"balance":1}`}}}}, b.down
}

func (support) ExportAccount(context.Context, *supportv1.ExportAccountRequest) (*supportv1.ExportAccountResponse, error) {
	return &supportv1.ExportAccountResponse{Parts: []*exportv1.Part{{File: "tickets"}}}, nil
}

func (waitlist) ExportAccount(context.Context, *waitlistv1.ExportAccountRequest) (*waitlistv1.ExportAccountResponse, error) {
	return &waitlistv1.ExportAccountResponse{Parts: []*exportv1.Part{{File: "waitlist"}}}, nil
}

func (releases) ExportAccount(context.Context, *releasesv1.ExportAccountRequest) (*releasesv1.ExportAccountResponse, error) {
	return &releasesv1.ExportAccountResponse{Parts: []*exportv1.Part{{File: "update-channel"}}}, nil
}

// start serves them at one address, to whoever has the token.
func (o *others) start(t *testing.T, token string) string {
	t.Helper()
	issuer := authntest.New(t, nil)
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: config.Secret(token)}, service.NewRuntime("others", "test", slog.New(slog.DiscardHandler)),
		issuer.Verifier(), issuer, authn.Policy{
			billingv1.BillingService_ExportAccount_FullMethodName:   authn.Internal,
			supportv1.SupportService_ExportAccount_FullMethodName:   authn.Internal,
			waitlistv1.WaitlistService_ExportAccount_FullMethodName: authn.Internal,
			releasesv1.ReleasesService_ExportAccount_FullMethodName: authn.Internal,
		})
	errtest.None(t, err)
	server.Register(only(&billingv1.BillingService_ServiceDesc), &o.billing)
	server.Register(only(&supportv1.SupportService_ServiceDesc), &o.support)
	server.Register(only(&waitlistv1.WaitlistService_ServiceDesc), &o.waitlist)
	server.Register(only(&releasesv1.ReleasesService_ServiceDesc), &o.releases)
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return server.Addr()
}

// only is the service with no method but ExportAccount.
func only(desc *grpc.ServiceDesc) *grpc.ServiceDesc {
	reduced := *desc
	reduced.Methods = slices.DeleteFunc(slices.Clone(desc.Methods), func(m grpc.MethodDesc) bool { return m.MethodName != "ExportAccount" })
	return &reduced
}

func TestExportAccountCommand(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef"
	r := newRig(t)
	id := r.session(r.kratos.signIn("ann@example.com", true)).GetUser().GetId()
	r.kratos.enrol(id, true)
	var services others
	addr := services.start(t, token)
	env := []string{"DATABASE_URL=" + r.url, "DATABASE_DEADLINE=20s", "INTERNAL_TOKEN=" + token, "KRATOS_ADMIN_URL=" + r.kratos.server.URL, "KRATOS_PUBLIC_URL=" + r.kratos.server.URL, "BILLING_ADDR=" + addr, "RELEASES_ADDR=" + addr, "SUPPORT_ADDR=" + addr, "WAITLIST_ADDR=" + addr}
	for _, who := range []string{" Ann@example.com", id} {
		out, err := command(t, env, "export-account", who)
		errtest.None(t, err)
		archive, err := zip.NewReader(strings.NewReader(out), int64(len(out)))
		errtest.None(t, err)
		for name, says := range map[string]string{"README.txt": "ann@example.com", "account.json": id, "sign-in-accounts.csv": "2,apple", "second-factor.json": "totp", "sign-ins.csv": "192.0.2.9", "credits.csv": "balance", "tickets.json": "[]", "update-channel.json": "[]"} {
			f, err := archive.Open(name)
			errtest.None(t, err)
			if content, err := io.ReadAll(f); err != nil || !strings.Contains(string(content), says) {
				t.Errorf("%s: %s, %v", name, content, err)
			}
		}
	}
	if asked := services.asked[0]; asked.GetId() != id || !slices.Equal(asked.GetEmails(), []string{"ann@example.com"}) {
		t.Errorf("billing was asked about %v", asked)
	}
	services.down = fault.New(fault.Unavailable, "away", "Later.")
	if out, err := command(t, env, "export-account", id); err == nil || out != "" {
		t.Errorf("without billing: %q, %v", out, err)
	}
	for _, args := range [][]string{{}, {id, id}, {"--force"}, {"joann@example.com"}} {
		if out, err := command(t, env, "export-account", args...); err == nil || out != "" {
			t.Errorf("%q: %q, %v", args, out, err)
		}
	}
	if _, err := command(t, env[:len(env)-1], "export-account", id); err == nil || !strings.Contains(err.Error(), "WAITLIST_ADDR") {
		t.Errorf("without an address: %v", err)
	}

	waittest.Eventually(t, "the audit log hears of both", func() bool {
		var n int
		err := r.db.QueryRow(t.Context(), `SELECT count(*) FROM audit_log WHERE action = 'account.exported' AND actor_email = 'operator'
			AND subject = $1 AND subject_label = 'ann@example.com'`, id).Scan(&n)
		return err == nil && n == 2
	})
}

// TestAnExportIsForWhoeverHasJustSignedIn, and of their own account.
func TestAnExportIsForWhoeverHasJustSignedIn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	r.session(r.kratos.signIn("joann@example.com", true))
	resp, err := r.ExportAccount(r.as(ann), &identityv1.ExportAccountRequest{})
	if err != nil || resp.GetAccount().GetId() != ann.GetUser().GetId() || !slices.Equal(resp.GetAccount().GetEmails(), []string{"ann@example.com"}) || resp.GetNextCursor() != "" {
		t.Fatalf("%v, %v", resp, err)
	}
	for _, part := range resp.GetParts() {
		if said := strings.Join(part.GetRows(), ""); strings.Contains(said, "joann") || part.GetFile() == "account" && !strings.Contains(said, "ann@example.com") {
			t.Errorf("%s: %s", part.GetFile(), said)
		}
	}
	late := r.session(r.kratos.signInAt("ann@example.com", time.Now().Add(-16*time.Minute)))
	if _, err := r.ExportAccount(r.as(late), &identityv1.ExportAccountRequest{}); fault.Of(err).Reason != "fresh_sign_in_required" {
		t.Errorf("after 16 minutes: %v", err)
	}
	r.deleteAccount(ann)
	if _, err := r.ExportAccount(r.as(ann), &identityv1.ExportAccountRequest{}); err == nil {
		t.Error("an account that is being deleted was exported to a session that has ended")
	}
}
