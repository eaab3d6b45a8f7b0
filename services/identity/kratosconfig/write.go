package kratosconfig

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/config"
)

// ConfigFile is the file that Write makes and Kratos starts with.
const ConfigFile = "kratos.yml"

//go:embed files
var files embed.FS

var configTemplate = template.Must(template.New(ConfigFile+".tmpl").
	Funcs(template.FuncMap{"q": quote, "embedded": embedded}).ParseFS(files, "files/"+ConfigFile+".tmpl"))

// Write validates the settings and writes the complete configuration into dir,
// which it makes if need be. It is one file, its owner's alone.
func (c Config) Write(dir string) error {
	if err := c.Validate(); err != nil {
		return err
	}
	rendered, err := c.render()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("kratosconfig: %w", err)
	}
	return writeFile(filepath.Join(dir, ConfigFile), rendered)
}

// view is what the template sees beside the settings.
type view struct {
	Config
	DSN, SessionCookie, HookKey  string
	Issuer                       string
	CookieSecrets, CipherSecrets []string
	Public, Admin                listener
}

func (c Config) render() ([]byte, error) {
	public, publicErr := parseListener(c.PublicAddr)
	admin, adminErr := parseListener(c.AdminAddr)
	dsn, err := c.dsn()
	if err := errors.Join(publicErr, adminErr, err); err != nil {
		return nil, fmt.Errorf("kratosconfig: %w", err)
	}
	scheme, _, _ := strings.Cut(c.SiteOrigin, ":")
	var out bytes.Buffer
	err = configTemplate.Execute(&out, view{
		Config: c, DSN: dsn, SessionCookie: brand.SessionCookieOf(scheme), Issuer: brand.Name, HookKey: c.HookKey.First(), Public: public, Admin: admin,
		CookieSecrets: reveal(c.CookieSecrets), CipherSecrets: reveal(c.CipherSecrets),
	})
	if err != nil {
		return nil, fmt.Errorf("kratosconfig: %w", err)
	}
	return out.Bytes(), nil
}

// dsn adds the bounds of the pool. Idle equals max, or Kratos spends its time
// connecting; idle ones end after a while, or they keep the server's memory.
func (c Config) dsn() (string, error) {
	u, err := url.Parse(c.DatabaseURL.Reveal())
	if err != nil {
		return "", errors.New("KRATOS_DATABASE_URL: not a URL") // the cause would show the password
	}
	query, conns := u.Query(), strconv.Itoa(c.MaxConns)
	query.Set("max_conns", conns)
	query.Set("max_idle_conns", conns)
	query.Set("max_conn_idle_time", "1m")
	// Drivers leave a plus sign as it is.
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String(), nil
}

func reveal(secrets []config.Secret) []string {
	revealed := make([]string, len(secrets))
	for i, s := range secrets {
		revealed[i] = trimmed(s)
	}
	return revealed
}

// embedded is a file as a URL that carries it: what Kratos makes of the paths of
// files differs from place to place.
func embedded(name string) (string, error) {
	content, err := files.ReadFile("files/" + name)
	return `"base64://` + base64.StdEncoding.EncodeToString(content) + `"`, err
}

// quote writes JSON, which is YAML too.
func quote(v any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// writeFile replaces a file whole: Kratos, which watches it, never sees half.
func writeFile(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("kratosconfig: %w", err)
	}
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("kratosconfig: %w", errors.Join(err, os.Remove(temporary.Name())))
	}
	return nil
}
