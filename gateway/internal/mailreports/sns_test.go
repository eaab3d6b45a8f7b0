package mailreports

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/service"
)

const topic = "arn:aws:sns:eu-central-1:123456789012:bounces"

// amazon is SNS: it signs, and answers at its own host alone.
type amazon struct {
	t     *testing.T
	key   *rsa.PrivateKey
	cert  []byte
	asked []string
	fails int
}

func newAmazon(t *testing.T, notAfter time.Time) *amazon {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	errtest.None(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: notAfter}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	errtest.None(t, err)
	return &amazon{t: t, key: key, cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

func (a *amazon) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r.URL.String())
	if a.fails > 0 {
		a.fails--
		return nil, errors.New("no route")
	}
	status := http.StatusOK
	if r.URL.Host != "sns.eu-central-1.amazonaws.com" || r.URL.Scheme != "https" {
		a.t.Errorf("%s was asked", r.URL)
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(string(a.cert)))}, nil
}

// sign signs the message in its version.
func (a *amazon) sign(m message) message {
	a.t.Helper()
	text, err := m.signed()
	errtest.None(a.t, err)
	hash, sum := crypto.SHA256, sha256.Sum256([]byte(text))
	digest := sum[:]
	if m.SignatureVersion == "1" {
		sum := sha1.Sum([]byte(text))
		hash, digest = crypto.SHA1, sum[:]
	}
	signature, err := rsa.SignPKCS1v15(nil, a.key, hash, digest)
	errtest.None(a.t, err)
	m.Signature = base64.StdEncoding.EncodeToString(signature)
	return m
}

func (a *amazon) reader() *sns {
	s := newSNS([]string{topic}, service.NewRuntime("gateway", "test", slog.New(slog.DiscardHandler)))
	s.http.Transport = a
	return s
}

func notified(t *testing.T, name string) message {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	errtest.None(t, err)
	return message{
		Type: notification, MessageID: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b", TopicARN: topic, Subject: "Amazon SES Email Event Notification", Message: string(raw),
		Timestamp: timeOf(0), SignatureVersion: "2", SigningCertURL: "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem",
	}
}

// timeOf is a time from now as SNS writes it.
func timeOf(after time.Duration) string {
	return time.Now().UTC().Add(after).Format("2006-01-02T15:04:05.000Z")
}

// post hands the message over as SNS does.
func post(t *testing.T, s *sns, m message) (report, error) {
	t.Helper()
	raw, err := json.Marshal(m)
	errtest.None(t, err)
	w := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(w)
	c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/mail-webhook/ses", strings.NewReader(string(raw)))
	c.Request.Header.Set("Content-Type", "text/plain; charset=UTF-8")
	return s.read(c)
}

func summary(r report) (text string) {
	for _, e := range r.events {
		text += fmt.Sprint(e.GetAddress(), " ", enum.Name(e.GetKind()), " (", e.GetReason(), ")")
	}
	for kind, n := range r.others {
		text += fmt.Sprint(n, " ", kind)
	}
	return text
}

func TestSESReports(t *testing.T) {
	a := newAmazon(t, time.Now().Add(time.Hour))
	s := a.reader()
	for name, want := range map[string]string{
		"ses-bounce": "Gone@Example.com bounced (550 5.1.1)", "ses-soft-bounce": "1 deferred", "ses-complaint": "cross@example.com complained (abuse)",
		"ses-not-spam": "1 ignored", "ses-delivery": "1 ignored",
	} {
		for _, version := range []string{"1", "2"} {
			m := notified(t, name)
			m.SignatureVersion = version
			if r, err := post(t, s, a.sign(m)); err != nil || summary(r) != want {
				t.Errorf("%s, version %s: %q, %v, want %q", name, version, summary(r), err, want)
			}
		}
	}
	for message, want := range map[string]string{
		`{"eventType":"DeliveryDelay","deliveryDelay":{"delayType":"MailboxFull","delayedRecipients":[{"emailAddress":"a@b.co"}]}}`:                                                              "1 ignored",
		`{"eventType":"Reject","reject":{"reason":"Bad content"}}`:                                                                                                                               "1 ignored",
		`{"eventType":"Bounce","bounce":{"bounceType":"Permanent","bounceSubType":"OnAccountSuppressionList","feedbackId":"1","bouncedRecipients":[{"emailAddress":"a@b.co"}]}}`:                 "a@b.co bounced (OnAccountSuppressionList)",
		`{"eventType":"Bounce","bounce":{"bounceType":"Undetermined","bounceSubType":"Undetermined","feedbackId":"1","bouncedRecipients":[{"emailAddress":"a@b.co"}]}}`:                          "1 deferred",
		`{"eventType":"Complaint","complaint":{"feedbackId":"1","complaintFeedbackType":"auth-failure","complainedRecipients":[{"emailAddress":"a@b.co"}]}}`:                                     "1 ignored",
		`{"eventType":"Complaint","complaint":{"feedbackId":"1","complaintFeedbackType":null,"complaintSubType":"OnAccountSuppressionList","complainedRecipients":[{"emailAddress":"a@b.co"}]}}`: "a@b.co complained (OnAccountSuppressionList)",
	} {
		m := notified(t, "ses-bounce")
		m.Message = message
		if r, err := post(t, s, a.sign(m)); err != nil || summary(r) != want {
			t.Errorf("%s: %q, %v, want %q", message, summary(r), err, want)
		}
	}
	m := notified(t, "ses-bounce")
	m.Subject, m.Message = "", "Successfully validated SNS topic for Amazon SES event publishing."
	if r, err := post(t, s, a.sign(m)); err != nil || summary(r) != "1 ignored" {
		t.Errorf("the first message of SES: %q, %v", summary(r), err)
	}
	if len(a.asked) != 1 {
		t.Errorf("the certificate was fetched %d times", len(a.asked))
	}
}

func TestSNSIsConfirmedAtItsOwnAddress(t *testing.T) {
	a := newAmazon(t, time.Now().Add(time.Hour))
	s := a.reader()
	m := notified(t, "ses-bounce")
	m.Type, m.Token, m.SubscribeURL = subscribed, "tok&en", "https://evil.example/?Action=ConfirmSubscription"
	if _, err := post(t, s, a.sign(m)); err != nil {
		t.Fatal(err)
	}
	want := "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=tok%26en&TopicArn=arn%3Aaws%3Asns%3Aeu-central-1%3A123456789012%3Abounces"
	if len(a.asked) != 2 || a.asked[1] != want {
		t.Errorf("asked %q", a.asked)
	}
	m.Type = unsubscribed
	if _, err := post(t, s, a.sign(m)); err != nil || len(a.asked) != 2 {
		t.Errorf("the end of a subscription: %v, asked %q", err, a.asked[2:])
	}
}

func TestSNSIsRefused(t *testing.T) {
	a, b := newAmazon(t, time.Now().Add(time.Hour)), newAmazon(t, time.Now().Add(time.Hour))
	good := notified(t, "ses-complaint")
	changed := func(change func(*message)) message {
		m := good
		change(&m)
		return m
	}
	after := func(change func(*message)) message {
		m := a.sign(good)
		change(&m)
		return m
	}
	for name, m := range map[string]message{
		"without a signature": good,
		"signed by another":   b.sign(good),
		"changed":             after(func(m *message) { m.Message = strings.Replace(m.Message, "cross@", "ada@", 1) }),
		"without its subject": after(func(m *message) { m.Subject = "" }),
		"of another version":  after(func(m *message) { m.SignatureVersion = "1" }),
		"of no version":       after(func(m *message) { m.SignatureVersion = "3" }),
		"of another topic":    a.sign(changed(func(m *message) { m.TopicARN += "2" })),
		"with a foreign key":  a.sign(changed(func(m *message) { m.SigningCertURL = "https://evil.example/SimpleNotificationService-1.pem" })),
		"with a look-alike": a.sign(changed(func(m *message) {
			m.SigningCertURL = "https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem"
		})),
		"with a name before": a.sign(changed(func(m *message) {
			m.SigningCertURL = "https://x@sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem"
		})),
		"with a port": a.sign(changed(func(m *message) {
			m.SigningCertURL = "https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-1.pem"
		})),
		"of another region": a.sign(changed(func(m *message) {
			m.SigningCertURL = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem"
		})),
		"in the clear": a.sign(changed(func(m *message) {
			m.SigningCertURL = "http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem"
		})),
		"with a query":            a.sign(changed(func(m *message) { m.SigningCertURL += "?x=1" })),
		"with another file of it": a.sign(changed(func(m *message) { m.SigningCertURL = "https://sns.eu-central-1.amazonaws.com/?Action=x.pem" })),
		"sent again later":        a.sign(changed(func(m *message) { m.Timestamp = timeOf(-70 * time.Minute) })),
		"of a time to come":       a.sign(changed(func(m *message) { m.Timestamp = timeOf(10 * time.Minute) })),
		"of no time":              a.sign(changed(func(m *message) { m.Timestamp = "" })),
	} {
		if r, err := post(t, a.reader(), m); !errors.Is(err, fault.Invalid) || len(r.events) > 0 {
			t.Errorf("%s: %q, %v", name, summary(r), err)
		}
	}
	late := a.sign(changed(func(m *message) { m.Timestamp = timeOf(-time.Hour) }))
	if r, err := post(t, a.reader(), late); err != nil || len(r.events) != 1 {
		t.Errorf("tried for an hour: %q, %v", summary(r), err)
	}
	// Raw delivery has the report alone, which nobody has signed; of another topic not even a subscription is confirmed.
	for name, raw := range map[string]string{
		"delivered raw": good.Message, "a list": "[]", "a word": `"Notification"`, "nothing": "{}",
		"another topic's subscription": `{"Type":"SubscriptionConfirmation","TopicArn":"` + topic + `2","Token":"t","SubscribeURL":"https://sns.eu-central-1.amazonaws.com/"}`,
	} {
		s, c := a.reader(), new(gin.Context)
		c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/mail-webhook/ses", strings.NewReader(raw))
		asked := len(a.asked)
		if r, err := s.read(c); !errors.Is(err, fault.Invalid) || len(r.events) > 0 || len(a.asked) != asked {
			t.Errorf("%s: %q, %v, asked %q", name, summary(r), err, a.asked[asked:])
		}
	}
	expired := newAmazon(t, time.Now().Add(-time.Minute))
	if _, err := post(t, expired.reader(), expired.sign(good)); !errors.Is(err, fault.Invalid) {
		t.Errorf("with a certificate of the past: %v", err)
	}
}

// TestAnOutageOfSNSIsNotARefusal: it comes back with the message. And nobody makes us ask it for ever.
func TestAnOutageOfSNSIsNotARefusal(t *testing.T) {
	a := newAmazon(t, time.Now().Add(time.Hour))
	a.fails = 1
	s := a.reader()
	m := a.sign(notified(t, "ses-complaint"))
	if _, err := post(t, s, m); !errors.Is(err, fault.Unavailable) {
		t.Errorf("while SNS is away: %v", err)
	}
	if _, err := post(t, s, m); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	for n := range 50 {
		if _, err := s.get(context.Background(), fmt.Sprintf("https://sns.eu-central-1.amazonaws.com/%d", n)); err != nil {
			return
		}
	}
	t.Error("SNS can be asked without end")
}
