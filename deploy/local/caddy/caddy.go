// Package caddy runs Caddy with deploy/caddy/Caddyfile: the static site and
// /api on one address of this machine.
package caddy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/subprocess"
)

const (
	startTimeout = 20 * time.Second
	// A connection that was opened for no request is idle after 5 seconds to net/http, which is when it is closed.
	stopTimeout = 15 * time.Second
)

// Options describes a front door.
type Options struct {
	// Program is Caddy, Caddyfile its configuration.
	Program   string
	Caddyfile string
	// Port on 127.0.0.1. It answers for localhost and 127.0.0.1 alone, so that
	// no foreign name can be made to point here (DNS rebinding). The pages of
	// 127.0.0.1 lead to localhost, the site's one origin.
	Port int
	// OpsPort on 127.0.0.1 is where /metrics is.
	OpsPort int
	// SiteOrigin is the site's own origin. Default Origin(Port).
	SiteOrigin string
	// Gateway is a host:port; Export and ConfigDir are folders, see the Caddyfile.
	Gateway   string
	Export    string
	ConfigDir string
	// Dev is the host:port of a development server that pages come from instead, with
	// dev.Caddyfile. Default none.
	Dev string
	// PosthogHost and MeasurementID are the analytics that config.json has keys
	// for; the policy lets their hosts through. Default none.
	PosthogHost   string
	MeasurementID string
	// Settings are others of the Caddyfile, KEY=value. They win.
	Settings []string
	// StateDir is where Caddy may write. It keeps the site of this port in StateDir/site.
	StateDir string
	LogFile  string
	PIDFile  string
}

// Origin is the site's origin on this port, as browsers write it: they leave
// http's own port out.
func Origin(port int) string {
	if port == 80 {
		return "http://localhost"
	}
	return fmt.Sprintf("http://localhost:%d", port)
}

// Start runs Caddy and waits until it answers.
func Start(ctx context.Context, opts Options) (*subprocess.Process, error) {
	if _, err := os.Stat(filepath.Join(opts.Export, "index.html")); err != nil && opts.Dev == "" {
		return nil, fmt.Errorf("caddy: the site is not built: %w", err)
	}
	process, err := subprocess.Start(subprocess.Spec{
		Name: "caddy", Path: opts.Program, Args: []string{"run", "--config", opts.Caddyfile, "--adapter", "caddyfile"},
		Env: opts.environment(), LogFile: opts.LogFile, PIDFile: opts.PIDFile, StopTimeout: stopTimeout,
	})
	if err != nil {
		return nil, err
	}
	if err := ready.HTTP(ctx, "http://"+ports.Loopback(opts.Port)+"/", 0, process.Done(), startTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("caddy: %w, see %s", err, opts.LogFile), process.Kill())
	}
	return process, nil
}

func (o Options) environment() []string {
	return append([]string{
		fmt.Sprintf("FLEDGE_SITE_ADDRESS=http://:%d", o.Port),
		"FLEDGE_ALIAS_HOST=127.0.0.1",
		"FLEDGE_SITE_ORIGIN=" + cmp.Or(o.SiteOrigin, Origin(o.Port)),
		"FLEDGE_SUPPORT_EMAIL=support@fledge.test",
		"FLEDGE_SALES_EMAIL=sales@fledge.test",
		"FLEDGE_PRIVACY_EMAIL=privacy@fledge.test",
		"FLEDGE_BIND=127.0.0.1",
		"FLEDGE_OPS_PORT=" + strconv.Itoa(o.OpsPort),
		"FLEDGE_GATEWAY=" + o.Gateway,
		"FLEDGE_EXPORT=" + o.Export,
		"FLEDGE_SITE_DEV=" + o.Dev,
		"FLEDGE_WEB_ROOT=" + filepath.Join(o.StateDir, "site"),
		"FLEDGE_CONFIG_DIR=" + o.ConfigDir,
		"FLEDGE_POSTHOG_HOST=" + o.PosthogHost,
		"FLEDGE_MEASUREMENT_ID=" + o.MeasurementID,
		"HOME=" + o.StateDir,
		"XDG_CONFIG_HOME=" + o.StateDir,
		"XDG_DATA_HOME=" + o.StateDir,
		// The garbage collector's default would let a mostly idle server double.
		"GOMEMLIMIT=64MiB",
	}, o.Settings...)
}
