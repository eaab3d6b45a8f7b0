package stack

import (
	"context"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/deploy/local/kratos"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/deploy/standins/github"
	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/deploy/standins/smtp"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
)

const orphanWait = 10 * time.Second

// endOrphans ends what a killed runner left of a part.
func (s *Stack) endOrphans(part string) error {
	return subprocess.EndOrphan(s.opts.State.PIDFile(part), syscall.SIGTERM, orphanWait)
}

// startProgram starts a part that tests may kill and start again.
func (s *Stack) startProgram(ctx context.Context, name string, start func(context.Context) (*subprocess.Process, error)) error {
	program := subprocess.NewProgram(name, start)
	if err := program.Start(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.programs[name] = program
	s.mu.Unlock()
	s.started(name, nil, program.Stop)
	return nil
}

func (s *Stack) startStandins(ctx context.Context) error {
	signIn := oidc.Options{Addr: ports.Loopback(s.plan.providers), SiteOrigin: s.origin()}
	if s.public() {
		signIn.GoogleHost, signIn.Apple = prepare.GoogleHost, s.publicApple()
	}
	providers, err := oidc.Start(ctx, signIn)
	if err != nil {
		return err
	}
	s.started("providers", nil, providers.Close)
	mail, err := smtp.Start(ctx, smtp.Options{
		SMTPAddr: ports.Loopback(s.plan.smtp), HTTPAddr: ports.Loopback(s.plan.mail), Dir: s.opts.State.Path("mail"), TLS: s.publicTLS,
	})
	if err != nil {
		return err
	}
	s.started("mail", nil, mail.Close)
	releases, err := github.Start(ctx, github.Options{
		Addr: ports.Loopback(s.plan.github), URL: s.publicURL(prepare.GitHubHost), APIURL: s.publicURL(prepare.GitHubAPI),
	})
	if err != nil {
		return err
	}
	s.started("github", nil, releases.Close)
	s.urls = URLs{Site: s.origin(), Providers: providers.URL(), Mail: mail.URL(), GitHub: releases.URL()}
	s.smtpAddr = mail.SMTPAddr()
	return s.startStripe(ctx)
}

func (s *Stack) startKratos(ctx context.Context) error {
	if err := s.endOrphans(kratosName); err != nil {
		return err
	}
	options, err := s.kratosOptions()
	if err != nil {
		return err
	}
	if err := kratos.Prepare(ctx, options); err != nil {
		return err
	}
	serve := func(ctx context.Context) (*subprocess.Process, error) { return kratos.Serve(ctx, options) }
	if s.opts.Form == Processes {
		return s.startProgram(ctx, kratosName, serve)
	}
	process, err := serve(ctx)
	if err != nil {
		return err
	}
	s.startedChild(kratosName, process)
	return nil
}

func (s *Stack) kratosOptions() (kratos.Options, error) {
	database, err := s.databaseVia(kratosName)
	if err != nil {
		return kratos.Options{}, err
	}
	var hooks []string
	for _, name := range s.opts.instances("identity") {
		hooks = append(hooks, s.plan.hooks[name])
	}
	configured := kratosconfig.Config{
		SiteOrigin: s.origin(), StandInURL: s.urls.Providers, DatabaseURL: config.Secret(database), MaxConns: 8,
		PublicAddr: s.plan.kratosPublic, AdminAddr: s.plan.kratosAdmin, AdminURL: "http://" + s.plan.kratosAdmin,
		HookURL: "http://" + s.balanced(kratosName, "identity", hooks...), HookKey: config.Secret(s.secrets.hookKey.value),
		CookieSecrets: []config.Secret{config.Secret(s.secrets.kratosCookie.value)},
		CipherSecrets: []config.Secret{config.Secret(s.secrets.kratosCipher.value)},
	}
	if s.public() {
		configured.StandInURL = ""
		configured.Google = kratosconfig.Google{ClientID: oidc.PublicGoogleClientID, ClientSecret: oidc.GoogleClientSecret}
		configured.Apple = s.apple()
	}
	return kratos.Options{
		Program: s.opts.Tools.Kratos, Dir: s.opts.State.Path("secrets", "kratos"),
		LogFile: s.opts.State.Log(kratosName), PIDFile: s.opts.State.PIDFile(kratosName), Config: configured,
	}, nil
}

// cleanKratos removes what earlier runs left to expire. Nobody waits for it.
func (s *Stack) cleanKratos() error {
	options, err := s.kratosOptions()
	if err != nil {
		return err
	}
	process, err := kratos.CleanUp(options)
	if err != nil {
		return err
	}
	rows, cancel := context.WithCancel(context.Background())
	removed := make(chan struct{})
	go func() {
		defer close(removed)
		// Without the database nothing else works either, and says so.
		_, _ = kratosconfig.RemoveErrors(rows, options.Config.DatabaseURL)
	}()
	s.started("kratos cleanup", nil, func(ctx context.Context) error {
		cancel()
		<-removed
		select {
		case <-process.Done():
			return nil
		default:
			return process.Stop(ctx)
		}
	})
	return nil
}

func (s *Stack) startFrontDoor(ctx context.Context) error {
	const name = "caddy"
	if err := s.endOrphans(name); err != nil {
		return err
	}
	site := s.opts.State.Path("site")
	if err := s.opts.State.Make("site", "caddy"); err != nil {
		return err
	}
	settings, err := s.siteSettings()
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(site, "config.json"), settings, 0o644); err != nil {
		return err
	}
	var gateways []string
	for _, instance := range s.opts.instances(gatewayName) {
		gateways = append(gateways, s.plan.http[instance])
	}
	caddyfile, dev := "Caddyfile", ""
	if s.opts.Dev {
		caddyfile = "dev.Caddyfile"
		if dev, err = s.startNextDev(ctx); err != nil {
			return err
		}
	}
	process, err := caddy.Start(ctx, caddy.Options{
		Program: s.opts.Tools.Caddy, Caddyfile: filepath.Join(s.opts.Root, "deploy", "caddy", caddyfile), Dev: dev,
		Port: s.plan.site, OpsPort: s.plan.siteOps, Gateway: s.balanced(name, gatewayName, gateways...), Export: s.opts.Tools.Export, ConfigDir: site,
		PosthogHost: s.opts.Analytics.PosthogHost, MeasurementID: s.opts.Analytics.MeasurementID,
		SiteOrigin: s.origin(), Settings: s.publicDoor(),
		StateDir: s.opts.State.Path("caddy"), LogFile: s.opts.State.Log(name), PIDFile: s.opts.State.PIDFile(name),
	})
	if err != nil {
		return err
	}
	s.startedChild(name, process)
	return nil
}
