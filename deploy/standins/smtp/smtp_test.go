package smtp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	netsmtp "net/smtp"
	"os"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/standins/smtp"
	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
)

const email = "From: Fledge <hello@fledge.test>\r\n" +
	"To: ada@example.test\r\n" +
	"Subject: =?utf-8?q?Du_bist_dabei=2C_J=C3=BCrgen?=\r\n" +
	"Message-ID: <1@fledge.test>\r\n" +
	"MIME-Version: 1.0\r\n" +
	"Content-Type: multipart/related; boundary=r\r\n\r\n" +
	"--r\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n" +
	"--a\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe\r\n" +
	"--a\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" +
	`<!doctype html><html><head><title>x</title></head><body><img src="cid:mark"><a href="http://localhost:8080/">Go</a><script>alert(1)</script></body></html>` +
	"\r\n--a--\r\n" +
	"--r\r\nContent-Type: image/png\r\nContent-ID: <mark>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw==\r\n--r--\r\n"

func start(t *testing.T, dir string) *smtp.Server {
	t.Helper()
	s, err := smtp.Start(t.Context(), smtp.Options{SMTPAddr: "127.0.0.1:0", HTTPAddr: "127.0.0.1:0", Dir: dir})
	errtest.None(t, err)
	return s
}

func stop(t *testing.T, s *smtp.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

func send(t *testing.T, s *smtp.Server, to, message string) {
	t.Helper()
	errtest.None(t, netsmtp.SendMail(s.SMTPAddr(), nil, "hello@fledge.test", []string{to}, []byte(message)))
}

type answer struct {
	status int
	header http.Header
	body   string
}

func get(t *testing.T, url string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	errtest.None(t, err)
	return do(t, request)
}

func do(t *testing.T, request *http.Request) answer {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	errtest.None(t, err)
	body, err := io.ReadAll(response.Body)
	errtest.None(t, err)
	errtest.None(t, response.Body.Close())
	return answer{response.StatusCode, response.Header, string(body)}
}

func list(t *testing.T, s *smtp.Server, query string) []smtp.Message {
	t.Helper()
	var got struct{ Messages []smtp.Message }
	errtest.None(t, json.Unmarshal([]byte(get(t, s.URL()+"/messages"+query).body), &got))
	return got.Messages
}

func TestMailIsDecodedAndListed(t *testing.T) {
	s := start(t, t.TempDir())
	defer stop(t, s)
	send(t, s, "ada@example.test", email)
	send(t, s, "grace@example.test", "Subject: Second\r\n\r\nJust text.\r\n")

	all := list(t, s, "")
	if len(all) != 2 || all[0].Subject != "Second" || strings.TrimSpace(all[0].Text) != "Just text." {
		t.Fatalf("newest first: %+v", all)
	}
	for _, m := range list(t, s, "?to=ADA@example.test") {
		if m.Subject != "Du bist dabei, Jürgen" || m.From != "hello@fledge.test" || len(m.To) != 1 || m.To[0] != "ada@example.test" ||
			m.MessageID != "1@fledge.test" || strings.TrimSpace(m.Text) != "Grüße" || !strings.Contains(m.HTML, "cid:mark") ||
			m.Headers["Message-Id"][0] != "<1@fledge.test>" || time.Since(m.ReceivedAt).Abs() > time.Minute || m.Problem != "" {
			t.Errorf("%+v", m)
		}
	}
	one := get(t, s.URL()+"/messages/"+all[1].ID)
	if one.status != http.StatusOK || !strings.Contains(one.body, `"subject":"Du bist dabei, Jürgen"`) {
		t.Errorf("%+v", one)
	}
	if got := get(t, s.URL()+"/messages/unknown"); got.status != http.StatusNotFound {
		t.Errorf("%+v", got)
	}
}

func TestMailSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	send(t, first, "ada@example.test", email)
	send(t, first, "ada@example.test", "Subject: Second\r\n\r\n2\r\n")
	before := list(t, first, "")
	stop(t, first)
	errtest.None(t, os.WriteFile(dir+"/notes.txt", []byte("not mail"), 0o600))

	second := start(t, dir)
	defer stop(t, second)
	after := list(t, second, "")
	if len(after) != 2 || after[0].ID != before[0].ID || after[1].HTML != before[1].HTML || !after[1].ReceivedAt.Equal(before[1].ReceivedAt) {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestPageShowsMailAndKeepsItInItsFrame(t *testing.T) {
	s := start(t, t.TempDir())
	defer stop(t, s)
	if got := get(t, s.URL()+"/"); !strings.Contains(got.body, "No mail yet") {
		t.Errorf("empty: %s", got.body)
	}
	send(t, s, "ada@example.test", email)
	id := list(t, s, "")[0].ID

	page := get(t, s.URL()+"/mail/"+id)
	if !strings.Contains(page.body, "Du bist dabei, Jürgen") || !strings.Contains(page.body, "Grüße") || strings.Contains(page.body, "alert(1)") ||
		!strings.Contains(page.body, `sandbox="allow-popups allow-popups-to-escape-sandbox"`) {
		t.Errorf("page: %s", page.body)
	}
	frame := get(t, s.URL()+"/messages/"+id+"/html")
	if policy := frame.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox ") || strings.Contains(policy, "script") {
		t.Errorf("policy %q", policy)
	}
	if !strings.Contains(frame.body, `src="inline/mark"`) || !strings.Contains(frame.body, `<base target="_blank">`) {
		t.Errorf("frame: %s", frame.body)
	}
	if picture := get(t, s.URL()+"/messages/"+id+"/inline/mark"); picture.header.Get("Content-Type") != "image/png" || picture.body != "\x89PNG" {
		t.Errorf("picture: %+v", picture)
	}
	if source := get(t, s.URL()+"/messages/"+id+"/source"); !strings.Contains(source.body, "Delivered-To: ada@example.test") {
		t.Errorf("source: %s", source.body)
	}
}

func TestMalformedMailIsShownWithItsProblem(t *testing.T) {
	s := start(t, t.TempDir())
	defer stop(t, s)
	send(t, s, "ada@example.test", "Subject: Torn\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nhalf\r\n")
	got := list(t, s, "")
	if len(got) != 1 || got[0].Subject != "Torn" || got[0].Problem == "" {
		t.Errorf("%+v", got)
	}
}

func TestOnlyThisMachineMayConnect(t *testing.T) {
	for _, opts := range []smtp.Options{
		{SMTPAddr: "0.0.0.0:0", HTTPAddr: "127.0.0.1:0"},
		{SMTPAddr: "127.0.0.1:0", HTTPAddr: ":0"},
		{SMTPAddr: "127.0.0.1:0", HTTPAddr: "mail.example:0"},
		{SMTPAddr: "127.0.0.1", HTTPAddr: "127.0.0.1:0"},
	} {
		opts.Dir = t.TempDir()
		if s, err := smtp.Start(t.Context(), opts); err == nil {
			stop(t, s)
			t.Errorf("started with %+v", opts)
		}
	}
	s := start(t, t.TempDir())
	defer stop(t, s)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/messages", nil)
	errtest.None(t, err)
	request.Host = "rebound.example"
	if got := do(t, request); got.status != http.StatusMisdirectedRequest {
		t.Errorf("a foreign name reads mail: %+v", got)
	}
}

// TestMailTravelsEncryptedWhereTheServerHasTLS, as providers demand.
func TestMailTravelsEncryptedWhereTheServerHasTLS(t *testing.T) {
	ca, err := certstest.New(time.Hour)
	errtest.None(t, err)
	files, err := ca.Issue(certstest.Leaf{Name: "mail", Lifetime: time.Hour})
	errtest.None(t, err)
	certificate, err := tls.X509KeyPair(files[certstest.CertFile], files[certstest.KeyFile])
	errtest.None(t, err)
	s, err := smtp.Start(t.Context(), smtp.Options{
		SMTPAddr: "127.0.0.1:0", HTTPAddr: "127.0.0.1:0", Dir: t.TempDir(), TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	})
	errtest.None(t, err)
	defer stop(t, s)
	client, err := netsmtp.Dial(s.SMTPAddr())
	errtest.None(t, err)
	if err := client.Mail("hello@fledge.test"); err == nil || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("in the clear: %v", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.PEM())
	errtest.None(t, client.StartTLS(&tls.Config{RootCAs: roots, ServerName: "mail", MinVersion: tls.VersionTLS12}))
	if err := client.Mail("hello@fledge.test"); err != nil {
		t.Errorf("encrypted: %v", err)
	}
	if err := client.Quit(); err != nil {
		t.Error(err)
	}
}
