package mailbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	netmail "net/mail"
	"regexp"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/ticket"
)

const (
	// runTimeout bounds one look at the mailbox.
	runTimeout = 5 * time.Minute
	// maxFailures is how many mails may fail one after the other before it is the database or the mailbox that does.
	maxFailures = 2
)

// Mailbox is where mails arrive.
type Mailbox struct {
	cfg      Config
	receiver receiver
	log      *slog.Logger
	mails    *prometheus.CounterVec
	unseen   prometheus.Gauge
	// tries counts the mails that were tried. failed are those in the inbox that could not be taken, with the try at which
	// they failed last.
	tries  int
	failed map[imap.UID]int
}

// New returns the mailbox, which is not called before its task runs. openings match how our
// mails to customers begin, which answers quote.
func New(cfg Config, sent mail.Config, openings []*regexp.Regexp, tickets Tickets, accounts Accounts, reports Reports, rt *service.Runtime) (*Mailbox, error) {
	m := &Mailbox{
		cfg: cfg, log: rt.Log.With("unit", "mailbox"), failed: map[imap.UID]int{},
		receiver: receiver{
			tickets: tickets, accounts: accounts, reports: reports, now: rt.Clock.Now, openings: openings, reply: cfg.Reply(), hosts: cfg.TrustedHosts, own: ownAddresses(cfg.ReplyAddress, sent.From, sent.ReplyTo, sent.EnvelopeFrom),
			conversation: func(t ticket.Ticket) []string { return sent.Conversation(email.RootKey(t), t.Customer.Email) },
		},
		mails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "support_mails_total", Help: "Mails that were taken from the mailbox, by what became of them.",
		}, []string{"outcome"}),
		unseen: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "support_mails_for_people", Help: "Mails in the folder for people that nobody had opened when this replica looked last.",
		}),
	}
	for _, o := range outcomes {
		m.mails.WithLabelValues(string(o))
	}
	return m, errors.Join(rt.Metrics.Register(m.mails), rt.Metrics.Register(m.unseen))
}

func ownAddresses(list ...string) (own []string) {
	for _, item := range list {
		if address, err := netmail.ParseAddress(item); err == nil {
			own = append(own, spelled(address.Address))
		}
	}
	return own
}

// Task takes what has arrived.
func (m *Mailbox) Task() periodic.Task {
	return periodic.Task{Name: "mailbox", Every: m.cfg.Every, Timeout: runTimeout, Exclusive: true, Run: m.Run}
}

// Run takes all mails that wait. A mail is moved when what it became is committed: if the process
// ends between the two, the next run finds it known. At an error it stays where it is, and is
// tried again after all others, so that it does not keep them waiting.
func (m *Mailbox) Run(ctx context.Context) error {
	conn, hangUp, err := connect(ctx, m.cfg)
	if err != nil {
		return err
	}
	defer hangUp()
	var failed []error
	inARow := 0
	for {
		uids, err := conn.waiting()
		if err != nil {
			return fmt.Errorf("mailbox: %w", err)
		}
		maps.DeleteFunc(m.failed, func(uid imap.UID, _ int) bool { return !slices.Contains(uids, uid) })
		slices.SortStableFunc(uids, func(a, b imap.UID) int { return cmp.Compare(m.failed[a], m.failed[b]) })
		uids = uids[:min(len(uids), atOnce)]
		sizes, err := conn.sizes(uids)
		if err != nil {
			return fmt.Errorf("mailbox: %w", err)
		}
		for _, uid := range uids {
			m.tries++
			if err := m.one(ctx, conn, uid, sizes[uid]); err != nil {
				failed, m.failed[uid] = append(failed, err), m.tries
				inARow++
			} else {
				delete(m.failed, uid)
				inARow = 0
			}
			if inARow > maxFailures || ctx.Err() != nil {
				return errors.Join(failed...)
			}
		}
		if len(uids) < atOnce {
			break
		}
	}
	unseen, err := conn.unseen(conn.people)
	m.unseen.Set(float64(unseen))
	return errors.Join(append(failed, err)...)
}

func (m *Mailbox) one(ctx context.Context, conn *connection, uid imap.UID, size int64) error {
	outcome := TooLarge
	if !tooLarge(size) {
		source, err := conn.read(uid)
		if errors.Is(err, errGone) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("mailbox: %w", err)
		}
		if outcome, err = m.receiver.receive(ctx, source); err != nil {
			return err
		}
	}
	folder := conn.done
	if outcome.forPeople() {
		folder = conn.people
	}
	if err := conn.move(uid, folder); err != nil {
		return fmt.Errorf("mailbox: %w", err)
	}
	m.mails.WithLabelValues(string(outcome)).Inc()
	m.log.InfoContext(ctx, "a mail was taken from the mailbox", "uid", uint32(uid), "outcome", string(outcome), "folder", folder)
	return nil
}
