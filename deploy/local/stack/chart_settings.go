package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// chartSettings are what the chart sets for an installation, which its own tests write:
// "program KEY=value", one a line.
var chartSettings = filepath.Join("helm", "charttest", "testdata", "settings.env")

// notHere are the chart's settings for which the stack's own or the program's default stand.
var notHere = []string{
	"DRAIN_DELAY",                                  // nobody balances between replicas here
	"MIGRATE_ON_START",                             // no Job has migrated
	"APPROVAL_UNDO",                                // tests wait for the email
	"FREE_MONTHLY_CREDITS",                         // tests begin without credits
	"SMTP_USER", "SMTP_AUTH", "SMTP_PASSWORD_FILE", // the mail server takes everybody's
	"STRIPE_LIVE_PACKS", "STRIPE_LIVE_PRO_PRODUCT_ID", "STRIPE_LIVE_PRO_PRICE_ID", // the account is another
	"STRIPE_LIVE_BUSINESS_PRODUCT_ID", "STRIPE_LIVE_BUSINESS_PRICE_ID",
}

// asInstalled lays a program's settings over the chart's: those of places, accounts and people.
// What the chart mounts as a file is one, in dir. It is an error when a setting of the chart's is
// left that names a place in a cluster.
func asInstalled(chart, name, dir string, env []string) ([]string, error) {
	own := map[string]string{}
	for _, setting := range env {
		key, value, _ := strings.Cut(setting, "=")
		own[key] = value
	}
	found := false
	for line := range strings.Lines(chart) {
		of, setting, _ := strings.Cut(strings.TrimSpace(line), " ")
		key, value, _ := strings.Cut(setting, "=")
		if of != name {
			continue
		}
		found = true
		_, there := own[key]
		secret := strings.TrimSuffix(key, "_FILE")
		content, inline := own[secret]
		switch {
		case there || slices.Contains(notHere, key):
		case inline: // under the key without _FILE
			path := filepath.Join(dir, name+"-"+secret)
			if err := renameio.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
				return nil, err
			}
			env = slices.DeleteFunc(env, func(setting string) bool { return strings.HasPrefix(setting, secret+"=") })
			env = append(env, key+"="+path)
		case strings.HasPrefix(value, "/run/") || strings.Contains(value, "//fledge-"):
			return nil, fmt.Errorf("stack: the chart sets %s of %s to %s, and nothing takes its place", key, name, value)
		default:
			env = append(env, setting)
		}
	}
	if !found {
		return nil, fmt.Errorf("stack: the chart has no settings of %s", name)
	}
	return env, nil
}

// installed are a program's settings in an installation.
func (s *Stack) installed(name string, env []string) ([]string, error) {
	chart, err := os.ReadFile(filepath.Join(s.opts.Root, chartSettings))
	if err != nil {
		return nil, err
	}
	return asInstalled(string(chart), name, s.opts.State.Path("secrets"), env)
}
