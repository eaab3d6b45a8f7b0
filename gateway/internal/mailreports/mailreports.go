// Package mailreports serves the webhook by which a provider of emails reports what became of
// them later: it verifies and reads the forms of the providers, and tells the services that send.
package mailreports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/service"
)

// Config says which providers report; none does by default.
type Config struct {
	// SESTopics are the ARNs of the SNS topics by which Amazon SES reports.
	SESTopics []string `env:"MAIL_REPORTS_SES_TOPICS"`
	// PostmarkPassword is that of the user "postmark" in the URL that Postmark calls; one of a
	// list, of at least 32 characters each.
	PostmarkPassword config.Secret `env:"MAIL_REPORTS_POSTMARK_PASSWORD"`
	// GenericSecrets sign the reports of everybody else; one of a list, of at least 32
	// characters each.
	GenericSecrets config.Secret `env:"MAIL_REPORTS_SECRETS"`
}

// Validate reports every setting that cannot work.
func (c Config) Validate() error {
	var errs []error
	for _, arn := range c.SESTopics {
		if !topicARN.MatchString(arn) {
			errs = append(errs, fmt.Errorf("MAIL_REPORTS_SES_TOPICS: %q is not like arn:aws:sns:eu-central-1:123456789012:name", arn))
		}
	}
	for key, secret := range map[string]config.Secret{"MAIL_REPORTS_POSTMARK_PASSWORD": c.PostmarkPassword, "MAIL_REPORTS_SECRETS": c.GenericSecrets} {
		if secret != "" && secret.Shorter(minSecret) {
			errs = append(errs, fmt.Errorf("%s: needs at least %d characters", key, minSecret))
		}
	}
	return errors.Join(errs...)
}

const (
	minSecret = 32
	// maxEvents is what the services take at a time.
	maxEvents = 100
	maxReason = 64
)

// What a report says that no service is told of, because nothing follows from it.
const (
	deferred = "deferred"
	ignored  = "ignored"
)

var (
	errNoWebhook = fault.New(fault.NotFound, "no_webhook", "This installation takes no reports of that provider.")
	errSignature = fault.New(fault.Invalid, "invalid_signature", "The signature is not valid.")
	errPayload   = fault.New(fault.Invalid, "invalid_payload", "The report is not in the form of the provider.")
)

// report is what a provider has said, read.
type report struct {
	events []*mailv1.Event
	// others counts what is not passed on: deferred, ignored.
	others map[string]int
}

func (r *report) add(e *mailv1.Event) { r.events = append(r.events, e) }

func (r *report) count(kind string) {
	if r.others == nil {
		r.others = map[string]int{}
	}
	r.others[kind]++
}

// reader verifies a request of a provider and reads its report.
type reader func(c *gin.Context) (report, error)

type handlers struct {
	services []mailv1.MailServiceClient
	readers  map[string]reader
	received *prometheus.CounterVec
}

// Routes returns the route, and registers mail_reports_total.
func Routes(cfg Config, services *backend.Services, rt *service.Runtime) ([]route.Route, error) {
	h := &handlers{services: services.Mail, readers: readers(cfg, rt), received: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mail_reports_total", Help: "Reports on emails by their provider and kind: bounced, complained, unsubscribed, restored, deferred, ignored.",
	}, []string{"provider", "kind"})}
	for _, provider := range []string{"ses", "postmark", "generic"} {
		for _, kind := range append(enum.Names[mailv1.Kind](), deferred, ignored) {
			h.received.WithLabelValues(provider, kind)
		}
	}
	return []route.Route{{
		Method: http.MethodPost, Path: "/api/mail-webhook/:provider", Access: route.Anyone, Webhook: true, Limit: route.MailReport, Handle: h.receive,
	}}, rt.Metrics.Register(h.received)
}

func readers(cfg Config, rt *service.Runtime) map[string]reader {
	all := map[string]reader{}
	if len(cfg.SESTopics) > 0 {
		all["ses"] = newSNS(cfg.SESTopics, rt).read
	}
	if cfg.PostmarkPassword != "" {
		all["postmark"] = postmark{cfg.PostmarkPassword, rt.Clock}.read
	}
	if cfg.GenericSecrets != "" {
		all["generic"] = generic{cfg.GenericSecrets, rt.Clock}.read
	}
	return all
}

// receive tells all services that send: a provider does not say whose email it was. When one is
// away the provider reports again, and the others know it already.
func (h *handlers) receive(c *gin.Context) error {
	provider := c.Param("provider")
	read, ok := h.readers[provider]
	if !ok {
		return errNoWebhook
	}
	r, err := read(c)
	if err != nil {
		return err
	}
	if err := h.tell(c.Request.Context(), r.events); err != nil {
		return err
	}
	for _, e := range r.events {
		h.received.WithLabelValues(provider, enum.Name(e.GetKind())).Inc()
	}
	for kind, n := range r.others {
		h.received.WithLabelValues(provider, kind).Add(float64(n))
	}
	c.JSON(http.StatusOK, wire.Received{Received: true})
	return nil
}

func (h *handlers) tell(ctx context.Context, events []*mailv1.Event) error {
	for part := range slices.Chunk(events, maxEvents) {
		for _, service := range h.services {
			if _, err := service.Report(ctx, &mailv1.ReportRequest{Events: part}); err != nil {
				return err
			}
		}
	}
	return nil
}

// at reads a provider's time. One that cannot be read, or is yet to come, is now.
func at(text string, clk clock.Clock) *timestamppb.Timestamp {
	now := clk.Now()
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.After(now) {
		t = now
	}
	return timestamppb.New(t)
}

// replyCode finds the codes in what a server has answered, such as "smtp; 550 5.1.1 No such user".
var replyCode = regexp.MustCompile(`\b([45]\d\d)(?:[ -]+#?([45]\.\d{1,3}\.\d{1,3}))?\b`)

// reason is short and names nobody: the codes of the server's answer, or else the provider's word for it.
func reason(diagnostic string, words ...string) string {
	if found := replyCode.FindStringSubmatch(diagnostic); found != nil {
		return strings.TrimSpace(found[1] + " " + found[2])
	}
	for _, word := range words {
		if word = plain(word); word != "" {
			return word
		}
	}
	return ""
}

// plain keeps letters, digits and few signs, none of which an address is made of.
func plain(word string) string {
	kept := strings.Map(func(r rune) rune {
		if r == ' ' || r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, word)
	return kept[:min(len(kept), maxReason)]
}
