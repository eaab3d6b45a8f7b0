package github

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/hostname"
)

// Config says which repository to mirror and how often.
type Config struct {
	// APIURL is the REST API's base URL. Plain http is for this machine and for a
	// service of the same cluster alone.
	APIURL string `env:"API_URL" envDefault:"https://api.github.com/"`
	// Owner and Repo name the repository. There is no default: another
	// repository's builds must never reach our users by accident.
	Owner string `env:"OWNER"`
	Repo  string `env:"REPO"`
	// Token is a fine-grained token that may read the repository's contents.
	// Without one GitHub allows 60 requests an hour.
	Token config.Secret `env:"TOKEN"`
	// WebhookSecrets are one or, during a rotation, two secrets of the repository's
	// webhook, with a comma between. Without one the webhook is off and the
	// interval decides alone.
	WebhookSecrets config.Secret `env:"WEBHOOK_SECRETS"`
	// DownloadHosts are further hosts that asset URLs may name.
	DownloadHosts []string `env:"DOWNLOAD_HOSTS"`
	// Interval is the time between two looks at GitHub.
	Interval time.Duration `env:"SYNC_INTERVAL" envDefault:"5m"`
	// Spacing lies at least between two looks, however often staff ask.
	Spacing time.Duration `env:"SYNC_SPACING" envDefault:"10s"`
	// Timeout bounds one request.
	Timeout time.Duration `env:"TIMEOUT" envDefault:"3s"`
}

// GitHub's own rules for account and repository names. They also keep "..",
// "@", "#" and slashes out of the API's URL.
var (
	ownerPattern = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$`)
	repoPattern  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
)

// minInterval keeps an anonymous mirror of one page within GitHub's limit.
const minInterval = time.Minute

// Bounds of webhook secrets.
const (
	maxSecrets      = 2
	minSecretLength = 16
)

// maxTimeout leaves time for a second request in a run of the mirror.
const maxTimeout = 10 * time.Second

// maxTick bounds how late a look can be after a failure.
const maxTick = 10 * time.Second

// Validate reports every setting that cannot be used.
func (c Config) Validate() error {
	var errs []error
	if _, err := c.api(); err != nil {
		errs = append(errs, err)
	}
	if !ownerPattern.MatchString(c.Owner) {
		errs = append(errs, fmt.Errorf("GITHUB_OWNER: %q is not a GitHub account", c.Owner))
	}
	if !repoPattern.MatchString(c.Repo) || c.Repo == "." || c.Repo == ".." {
		errs = append(errs, fmt.Errorf("GITHUB_REPO: %q is not a repository name", c.Repo))
	}
	if strings.ContainsFunc(c.Token.Reveal(), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		errs = append(errs, errors.New("GITHUB_TOKEN: holds characters that no token has"))
	}
	for _, host := range c.DownloadHosts {
		if !validHost(host) {
			errs = append(errs, fmt.Errorf("GITHUB_DOWNLOAD_HOSTS: %q is not a host", host))
		}
	}
	errs = append(errs, c.validateSecrets())
	if c.Interval < minInterval {
		errs = append(errs, fmt.Errorf("GITHUB_SYNC_INTERVAL: must be at least %s", minInterval))
	}
	if c.Spacing < 0 || c.Spacing > c.Interval {
		errs = append(errs, errors.New("GITHUB_SYNC_SPACING: must not be negative nor longer than the interval"))
	}
	if c.Timeout <= 0 || c.Timeout > maxTimeout {
		errs = append(errs, fmt.Errorf("GITHUB_TIMEOUT: must be positive and at most %s", maxTimeout))
	}
	return errors.Join(errs...)
}

// Tick is how often to check whether a look is due.
func (c Config) Tick() time.Duration { return min(c.Interval/6, maxTick) }

// Repository returns what the settings name. They must be valid.
func (c Config) Repository() (Repository, error) {
	api, err := c.api()
	if err != nil {
		return Repository{}, err
	}
	return Repository{
		API:       api,
		Owner:     c.Owner,
		Name:      c.Repo,
		Token:     c.Token.Reveal(),
		Downloads: HostsFor(api, c.DownloadHosts...),
	}, nil
}

// Webhook returns the verifier of deliveries.
func (c Config) Webhook() Webhook { return Webhook{secrets: c.WebhookSecrets.Split()} }

func (c Config) validateSecrets() error {
	secrets := c.WebhookSecrets.Split()
	if len(secrets) > maxSecrets {
		return fmt.Errorf("GITHUB_WEBHOOK_SECRETS: has %d secrets, takes one or two", len(secrets))
	}
	for _, secret := range secrets {
		if len(secret) < minSecretLength {
			return fmt.Errorf("GITHUB_WEBHOOK_SECRETS: a secret has less than %d characters", minSecretLength)
		}
	}
	return nil
}

func (c Config) api() (*url.URL, error) {
	u, err := url.Parse(c.APIURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Path, "..") {
		return nil, fmt.Errorf("GITHUB_API_URL: %q is not a base URL", c.APIURL)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !hostname.IsLoopback(u.Hostname()) && !hostname.IsCluster(u.Hostname())) {
		return nil, fmt.Errorf("GITHUB_API_URL: %q must be https unless it is on this machine or in this cluster", c.APIURL)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}
