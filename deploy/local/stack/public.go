package stack

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/standins/github"
	"fledge.dev/deploy/standins/loopback"
	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/config"
)

const (
	// AnswersDir is the folder, in the state's, of what the site at a public name answered.
	AnswersDir = "answers"

	ingressAddr  = "127.0.0.1:443"
	trustedRoots = "SSL_CERT_FILE"
)

// public reports whether the site has a name of the internet.
func (s *Stack) public() bool { return s.opts.PublicHost != "" }

// IngressKey is the hash of the ingress' key as Chromium's list of certificates to be taken
// has it; "" without one.
func (s *Stack) IngressKey() string { return s.ingressKey }

// startIngress ends TLS for the site's name and for those of others, as the ingress of a
// cluster and the others do, by an authority that this process and all parts trust alone.
func (s *Stack) startIngress(ctx context.Context) error {
	if !s.public() {
		return nil
	}
	if !loopback.Alone() {
		return errors.New("a public name needs a network of its own, without any interface but loopback")
	}
	var err error
	if err = s.makeAppleKey(); err != nil {
		return err
	}
	certificate, err := s.publicCertificate()
	if err != nil {
		return err
	}
	s.publicTLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	to := map[string]int{
		s.opts.PublicHost: s.plan.site, prepare.GoogleHost: s.plan.providers, prepare.AppleHost: s.plan.providers, prepare.GitHubHost: s.plan.github, prepare.GitHubAPI: s.plan.github,
		prepare.StripeHost: s.plan.stripe, prepare.StripeAPI: s.plan.stripe,
	}
	if err := s.opts.State.Make(AnswersDir); err != nil {
		return err
	}
	file, err := os.Create(s.opts.State.Path(AnswersDir, "site.txt"))
	if err != nil {
		return err
	}
	said := &answers{file: file}
	// Of the site; its files are searched where they are.
	isAnswer := func(r *http.Request) bool {
		return r.Host == s.opts.PublicHost && !strings.HasPrefix(r.URL.Path, "/_next/")
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: ports.Loopback(to[r.In.Host])})
			r.Out.Host = r.In.Host
			r.SetXForwarded()
			if isAnswer(r.Out) {
				asReadable(r.Out.Header)
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			if isAnswer(resp.Request) {
				said.keep(resp)
			}
			return nil
		},
		// Tests have clients leave and Stripe fail, of which nobody needs a line among their results.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", ingressAddr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: proxy, ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: s.publicTLS.Clone(), // which the server changes
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = server.ServeTLS(listener, "", "") // of its end by itself the front door's callers tell
	}()
	s.started("ingress", gone, func(context.Context) error { return errors.Join(server.Close(), file.Close()) })
	return nil
}

// publicCertificate makes the authority of the run and one certificate for all names.
func (s *Stack) publicCertificate() (tls.Certificate, error) {
	ca, err := certstest.New(certificateLifetime)
	if err != nil {
		return tls.Certificate{}, err
	}
	files, err := ca.Issue(certstest.Leaf{Name: s.opts.PublicHost, Hosts: prepare.PublicHosts(s.opts.PublicHost)[1:], Lifetime: certificateLifetime})
	if err != nil {
		return tls.Certificate{}, err
	}
	roots := s.opts.State.Path("secrets", "public-ca.crt")
	if err := renameio.WriteFile(roots, ca.PEM(), 0o644); err != nil {
		return tls.Certificate{}, err
	}
	// Read at the first connection of this process and, from here, of all that it starts.
	if err := os.Setenv(trustedRoots, roots); err != nil {
		return tls.Certificate{}, err
	}
	certificate, err := tls.X509KeyPair(files[certstest.CertFile], files[certstest.KeyFile])
	if err != nil {
		return tls.Certificate{}, err
	}
	hash := sha256.Sum256(certificate.Leaf.RawSubjectPublicKeyInfo)
	s.ingressKey = base64.StdEncoding.EncodeToString(hash[:])
	return certificate, nil
}

// makeAppleKey makes a key of the form that Apple gives out.
func (s *Stack) makeAppleKey() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	s.appleKey, s.applePEM = &key.PublicKey, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	return err
}

// apple are the settings of an installation.
func (s *Stack) apple() kratosconfig.Apple {
	return kratosconfig.Apple{ClientID: "dev.fledge.web", TeamID: "TEAM123456", KeyID: "0123456789", PrivateKey: config.Secret(s.applePEM)}
}

// publicApple is the stand-in for Apple, as Apple knows the installation.
func (s *Stack) publicApple() oidc.PublicApple {
	apple := s.apple()
	return oidc.PublicApple{Host: prepare.AppleHost, ClientID: apple.ClientID, TeamID: apple.TeamID, KeyID: apple.KeyID, Key: s.appleKey}
}

// publicProviders are the settings of Google and Apple for identity, as for Kratos.
func (s *Stack) publicProviders() []string {
	apple := s.apple()
	return []string{
		"GOOGLE_CLIENT_ID=" + oidc.PublicGoogleClientID, "GOOGLE_CLIENT_SECRET=" + oidc.GoogleClientSecret,
		"APPLE_CLIENT_ID=" + apple.ClientID, "APPLE_TEAM_ID=" + apple.TeamID, "APPLE_KEY_ID=" + apple.KeyID, "APPLE_PRIVATE_KEY=" + s.applePEM,
	}
}

// publicSettings are those of a part at a public name, over the usual ones.
func (s *Stack) publicSettings(calls []string) []string {
	with := []string{trustedRoots + "=" + os.Getenv(trustedRoots)}
	for _, callee := range calls {
		switch callee {
		case "providers":
			with = append(with, s.publicProviders()...)
		case "github":
			with = append(with, "GITHUB_OWNER="+github.Owner, "GITHUB_REPO="+github.Repo, "GITHUB_TOKEN="+github.Token, "RELEASES_INITIAL_AVAILABILITY=enabled")
		case "stripe":
			with = append(with, StripeStandIn("")...)
		}
	}
	return with
}

// publicDoor are the front door's settings behind the ingress.
func (s *Stack) publicDoor() []string {
	if !s.public() {
		return nil
	}
	at := "@" + s.opts.PublicHost
	return []string{
		"FLEDGE_TRUSTED_PROXIES=127.0.0.1/32", "FLEDGE_SUPPORT_EMAIL=support" + at, "FLEDGE_SALES_EMAIL=sales" + at, "FLEDGE_PRIVACY_EMAIL=privacy" + at,
	}
}

// publicURL is a stand-in's address under another's name; "" without a public name.
func (s *Stack) publicURL(host string) string {
	if !s.public() {
		return ""
	}
	return "https://" + host
}
