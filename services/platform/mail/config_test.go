package mail_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/smtptest"
)

// addresses have no default: another's would send in the name of whoever owns it.
var addresses = []string{"MAIL_FROM=Fledge <hello@fledge.test>", "MAIL_REPLY_TO=support@fledge.test"}

func TestConfigDefaultsAreValid(t *testing.T) {
	cfg, err := config.Load[mail.Config](addresses)
	errtest.None(t, err)
	// Rescue, River's search, our first retry and its scheduling: an email is
	// out within two minutes of a kill.
	if worst := cfg.RescueStuckJobsAfter + 30*time.Second + 4*time.Second + 5*time.Second; worst > 2*time.Minute {
		t.Errorf("a killed worker's email takes %s", worst)
	}
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	for _, environ := range [][]string{
		{"SMTP_ADDR=mail"}, {"SMTP_ADDR=mail:99999"}, {"SMTP_TLS=maybe"}, {"SMTP_USER=a"}, {"MAIL_FROM=nobody"}, {"MAIL_REPLY_TO=nobody"},
		{"SMTP_TLS=none", "SMTP_USER=a", "SMTP_PASSWORD=b"}, {"MAIL_RESCUE_STUCK_JOBS_AFTER=20s"}, {"SMTP_TIMEOUT=0s"},
		{"SMTP_AUTH=ntlm"}, {"SMTP_HELO=mail server"}, {"MAIL_ENVELOPE_FROM=Fledge <bounces@fledge.test>"}, {"MAIL_ENVELOPE_FROM=nobody"},
	} {
		if _, err := config.Load[mail.Config](append(slices.Clone(addresses), environ...)); err == nil {
			t.Errorf("%v is accepted", environ)
		}
	}
}

func TestSenderAndAddressForAnswersHaveNoDefault(t *testing.T) {
	_, err := config.Load[mail.Config](nil)
	for _, sentence := range []string{"MAIL_FROM is missing: the sender of all emails", "MAIL_REPLY_TO is missing: the address for answers"} {
		if err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%v does not say that %s", err, sentence)
		}
	}
}

func TestStartTLSIsDemandedAndVerified(t *testing.T) {
	certificate, caFile := selfSigned(t)
	r := newRig(t)
	secure := smtptest.Start(t, &tls.Config{Certificates: []tls.Certificate{certificate}})
	cfg := plainConfig(secure.Addr())
	cfg.TLS, cfg.CAFile = mail.TLSStart, caFile
	q, _ := r.queue(cfg)
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "ada@example.test"))
	r.eventuallyJobs("completed", 1)
	if len(secure.Accepted()) != 1 {
		t.Error("no email")
	}
}

func TestEmailWaitsRatherThanTravelInTheClear(t *testing.T) {
	r := newRig(t)
	cfg := plainConfig(r.smtp.Addr())
	cfg.TLS = mail.TLSStart
	q, rt := r.queue(cfg)
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "ada@example.test"))
	r.eventuallyTried(rt, "blocked")
	if got := r.smtp.Accepted(); len(got) != 0 {
		t.Errorf("%d emails travelled", len(got))
	}
}

func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	errtest.None(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	errtest.None(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}
