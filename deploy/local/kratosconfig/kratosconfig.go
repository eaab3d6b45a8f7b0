// Package kratosconfig renders the local stack's Kratos configuration from
// deploy/kratos/kratos.local.yml.tmpl. That directory's README describes the
// template.
package kratosconfig

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"text/template"
)

// TemplateName is the template's file name in the deploy/kratos directory.
const TemplateName = "kratos.local.yml.tmpl"

// Lengths that Kratos asks of its secrets.
const (
	MinCookieSecret    = 32
	CipherSecretLength = 32
)

// Settings are the template's fields.
type Settings struct {
	SiteOrigin   string // http://localhost:8080
	DSN          string // the database, with max_conns = max_idle_conns
	PublicAddr   string // host:port
	AdminAddr    string // host:port
	HookURL      string // the identity service's hook listener
	HookKey      string // proves to that listener that Kratos calls
	OIDCURL      string // base of the stand-in's two issuers
	CookieSecret string // at least MinCookieSecret characters
	CipherSecret string // exactly CipherSecretLength characters
}

// Validate names every setting that Kratos would refuse or misread.
func (s Settings) Validate() error {
	var errs []error
	for name, value := range map[string]string{
		"SiteOrigin": s.SiteOrigin, "DSN": s.DSN, "HookURL": s.HookURL, "HookKey": s.HookKey, "OIDCURL": s.OIDCURL,
	} {
		if value == "" {
			errs = append(errs, fmt.Errorf("kratosconfig: %s is missing", name))
		}
	}
	for name, addr := range map[string]string{"PublicAddr": s.PublicAddr, "AdminAddr": s.AdminAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			errs = append(errs, fmt.Errorf("kratosconfig: %s: %w", name, err))
		}
	}
	if len(s.CookieSecret) < MinCookieSecret || len(s.CipherSecret) != CipherSecretLength {
		errs = append(errs, fmt.Errorf("kratosconfig: CookieSecret needs at least %d characters and CipherSecret exactly %d", MinCookieSecret, CipherSecretLength))
	}
	return errors.Join(errs...)
}

// Render writes the configuration. dir is the deploy/kratos directory, which
// must also be the working directory of the Kratos that reads the result.
func Render(w io.Writer, dir string, s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	tmpl, err := template.New(TemplateName).Funcs(template.FuncMap{"host": host, "port": port}).
		Option("missingkey=error").ParseFiles(filepath.Join(dir, TemplateName))
	if err != nil {
		return fmt.Errorf("kratosconfig: %w", err)
	}
	if err := tmpl.Execute(w, s); err != nil {
		return fmt.Errorf("kratosconfig: %w", err)
	}
	return nil
}

func host(addr string) (string, error) {
	h, _, err := net.SplitHostPort(addr)
	return h, err
}

func port(addr string) (string, error) {
	_, p, err := net.SplitHostPort(addr)
	return p, err
}
