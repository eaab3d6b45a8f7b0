package mail_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

// TestADailyLimitLosesNoEmail: what is refused for our sake waits, with all others.
func TestADailyLimitLosesNoEmail(t *testing.T) {
	r := newRig(t)
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	var refused atomic.Int32
	r.smtp.OnDeliver(func(smtptest.Delivery) error {
		if refused.Add(1) <= 2 {
			return smtptest.EnhancedRefusal(550, 4, 5, "Daily user sending limit exceeded")
		}
		return nil
	})
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "ada@example.test"), emailTo("approved/2", "grace@example.test"))
	r.eventuallyJobs("completed", 2)
	if !tried(t, rt, "blocked") || tried(t, rt, "bounced") {
		t.Error("the metric does not say that all waited")
	}
}

// TestAServerThatRefusesUsIsNotStormed: a wrong password must not lock the account.
func TestAServerThatRefusesUsIsNotStormed(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	var tries atomic.Int32
	r.smtp.OnHello(func() error {
		tries.Add(1)
		return smtptest.EnhancedRefusal(535, 7, 8, "Username and Password not accepted")
	})
	var waiting []mail.Email
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		waiting = append(waiting, emailTo("approved/"+name, name+"@example.test"))
	}
	r.enqueue(q, waiting...)
	r.work(q)
	var putOff int
	waittest.Eventually(t, "all emails are put off", func() bool {
		err := r.pool.QueryRow(t.Context(), "SELECT count(*) FROM mail.river_job WHERE metadata ? 'snoozes'").Scan(&putOff)
		return err == nil && putOff == len(waiting)
	})
	// Four go at first, and then one for each pause of two seconds and more.
	if got := tries.Load(); got > 8 {
		t.Errorf("%d tries for %d emails", got, len(waiting))
	}
}

func TestTheServiceHearsHowAnEmailEnded(t *testing.T) {
	r := newRig(t)
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnRecipient(func(address string) error {
		switch {
		case strings.HasPrefix(address, "gone"):
			return smtptest.EnhancedRefusal(550, 1, 1, "No mailbox <"+address+">")
		case strings.HasPrefix(address, "slow"):
			return smtptest.EnhancedRefusal(451, 4, 1, "No answer from the server of "+address)
		default:
			return nil
		}
	})
	var mu sync.Mutex
	ends := map[string]mail.Outcome{}
	q.Tell(func(_ context.Context, _ pgx.Tx, key string, o mail.Outcome) error {
		mu.Lock()
		defer mu.Unlock()
		ends[key] = o
		return nil
	})
	r.enqueue(q, emailTo("well", "ada@example.test"), emailTo("gone", "gone@example.test"), emailTo("slow", "slow@example.test"))
	if _, err := r.pool.Exec(t.Context(), "UPDATE mail.river_job SET created_at = created_at - interval '5 days' WHERE args->>'key' = 'slow'"); err != nil {
		t.Fatal(err)
	}
	r.work(q)
	r.eventuallyJobs("completed", 1)
	r.eventuallyJobs("cancelled", 2)
	mu.Lock()
	defer mu.Unlock()
	for key, want := range map[string]mail.Outcome{
		"well": {State: mail.Sent},
		"gone": {State: mail.Bounced, Reply: "550 5.1.1", At: "RCPT TO"},
		"slow": {State: mail.GivenUp, Reply: "451 4.4.1", At: "RCPT TO"},
	} {
		if ends[key] != want {
			t.Errorf("%s ended as %+v, want %+v", key, ends[key], want)
		}
	}
	if !tried(t, rt, "bounced") || !tried(t, rt, "given_up") {
		t.Error("the metric does not know of both")
	}
}

func TestHowWeIntroduceOurselves(t *testing.T) {
	for name, tc := range map[string]struct {
		change             func(*mail.Config)
		helo, envelopeFrom string
	}{
		"by the sender's domain": {func(*mail.Config) {}, "fledge.test", "hello@fledge.test"},
		"as the settings say": {func(c *mail.Config) {
			c.HELO, c.EnvelopeFrom = "out.fledge.test", "bounces@mail.fledge.test"
		}, "out.fledge.test", "bounces@mail.fledge.test"},
		"in letters that DNS knows": {func(c *mail.Config) { c.From = "hello@bücher.test" }, "xn--bcher-kva.test", "hello@xn--bcher-kva.test"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			cfg := plainConfig(r.smtp.Addr())
			tc.change(&cfg)
			q, _ := r.queue(cfg)
			r.work(q)
			r.enqueue(q, emailTo("approved/1", "ada@example.test"))
			r.eventuallyJobs("completed", 1)
			if sent := r.smtp.Accepted()[0]; sent.HELO != tc.helo || sent.From != tc.envelopeFrom {
				t.Errorf("HELO %s, MAIL FROM %s", sent.HELO, sent.From)
			}
		})
	}
}

func TestAddressesBeyondASCII(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.work(q)
	r.enqueue(q, emailTo("1", "ada@bücher.test"), emailTo("2", "jürgen@bücher.test"))
	r.eventuallyJobs("completed", 2)
	utf8 := map[string]bool{}
	for _, sent := range r.smtp.Accepted() {
		utf8[sent.To] = sent.UTF8
	}
	if asked, ok := utf8["ada@xn--bcher-kva.test"]; !ok || asked {
		t.Errorf("a domain is no reason for SMTPUTF8: %v", utf8)
	}
	if asked, ok := utf8["jürgen@xn--bcher-kva.test"]; !ok || !asked {
		t.Errorf("a name beyond ASCII needs SMTPUTF8: %v", utf8)
	}
}

func TestAReaderCanUnsubscribeByOneClick(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.work(q)
	m := emailTo("1", "ada@example.test")
	m.Unsubscribe = "https://fledge.test/api/leave-waitlist?token=secret"
	r.enqueue(q, m)
	r.eventuallyJobs("completed", 1)
	header := r.smtp.Accepted()[0].Header
	if got := header.Get("List-Unsubscribe"); got != "<"+m.Unsubscribe+">" || header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("%q, %q", got, header.Get("List-Unsubscribe-Post"))
	}
	if got := header.Get("Precedence"); got != "bulk" {
		t.Errorf("precedence %q", got)
	}
}

// TestRetriesFollowTheServicesClock, which follows the database's: that one decides what is due.
func TestRetriesFollowTheServicesClock(t *testing.T) {
	r := newRig(t)
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
	rt.Clock = clock.Off(24 * time.Hour)
	q, err := mail.NewQueue(r.pool, plainConfig(r.smtp.Addr()), place, rt)
	errtest.None(t, err)
	r.smtp.OnRecipient(func(address string) error {
		if strings.HasPrefix(address, "slow") {
			return smtptest.EnhancedRefusal(451, 4, 1, "No answer from the server of "+address)
		}
		return nil
	})
	r.smtp.OnDeliver(func(smtptest.Delivery) error {
		return smtptest.EnhancedRefusal(550, 4, 5, "Daily user sending limit exceeded")
	})
	r.work(q)
	r.enqueue(q, emailTo("place/1", "slow@example.test"), emailTo("place/2", "ada@example.test"))
	waittest.Seen(t, "a deferred and a blocked email wait, from the service's time on", func() (bool, string) {
		var waiting int
		errtest.None(t, r.pool.QueryRow(t.Context(), "SELECT count(*) FROM mail.river_job WHERE scheduled_at > now() + interval '23 hours'").Scan(&waiting))
		return waiting == 2, r.states()
	})
}

// TestAnEmailWithoutAnAnswerIsRepeatedSeldom: the server may have taken it, and be slow to say so.
func TestAnEmailWithoutAnAnswerIsRepeatedSeldom(t *testing.T) {
	r := newRig(t)
	cfg := plainConfig(r.smtp.Addr())
	cfg.Timeout = time.Second
	q, rt := r.queue(cfg)
	answer := make(chan struct{})
	r.smtp.OnDeliver(func(d smtptest.Delivery) error {
		if d.To == "slow@example.test" {
			<-answer
		}
		return nil
	})
	defer close(answer)
	r.work(q)
	r.enqueue(q, emailTo("slow", "slow@example.test"))
	waittest.Eventually(t, "it waits by itself", func() bool { return tried(t, rt, "deferred") })
	r.enqueue(q, emailTo("well", "ada@example.test"))
	r.eventuallyJobs("completed", 1)
	if tried(t, rt, "blocked") {
		t.Error("all emails have waited")
	}
}

// TestASentEmailIsToldAndSentOnce, also when that could not be recorded at once.
func TestASentEmailIsToldAndSentOnce(t *testing.T) {
	for name, failure := range map[string]error{"the database is away": context.DeadlineExceeded, "the service fails": errors.New("a wrong statement")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			q, _ := r.queue(plainConfig(r.smtp.Addr()))
			var told atomic.Int32
			q.Tell(func(_ context.Context, _ pgx.Tx, _ string, o mail.Outcome) error {
				if o != (mail.Outcome{State: mail.Sent}) {
					t.Errorf("ended as %+v", o)
				}
				if told.Add(1) == 1 {
					return failure
				}
				return nil
			})
			r.work(q)
			r.enqueue(q, emailTo("1", "ada@example.test"))
			r.eventuallyJobs("completed", 1)
			if sent := len(r.smtp.Accepted()); sent != 1 || told.Load() != 2 {
				t.Errorf("sent %d times, told %d times", sent, told.Load())
			}
		})
	}
}
