package stack

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/natsserver"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/subprocess"
)

const (
	natsName    = "nats"
	natsTimeout = 20 * time.Second
)

func (s *Stack) startNATS(ctx context.Context) error {
	for _, name := range s.opts.natsInstances() {
		if err := s.startNATSServer(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) startNATSServer(ctx context.Context, name string) error {
	config, err := s.natsOptions(name).Config()
	if err != nil {
		return err
	}
	configFile := s.opts.State.Path("secrets", name+".conf")
	if err := errors.Join(renameio.WriteFile(configFile, config, 0o600), s.endOrphans(name)); err != nil {
		return err
	}
	if s.opts.Form == InProcess {
		server, err := natsserver.Start(configFile)
		if err != nil {
			return err
		}
		s.started(name, nil, server.Stop)
		return nil
	}
	return s.startProgram(ctx, name, func(ctx context.Context) (*subprocess.Process, error) {
		process, err := subprocess.Start(subprocess.Spec{
			Name: name, Path: filepath.Join(s.opts.Programs, "nats-server"), Args: []string{"-c", configFile},
			LogFile: s.opts.State.Log(name + "-server"), PIDFile: s.opts.State.PIDFile(name),
		})
		if err != nil {
			return nil, err
		}
		return process, ready.TCP(ctx, ports.Loopback(s.plan.nats[name].client), process.Done(), natsTimeout)
	})
}

func (s *Stack) natsOptions(name string) natsserver.Options {
	own := s.plan.nats[name]
	options := natsserver.Options{
		Name: "fledge-" + name, Port: own.client, StoreDir: s.NATSStore(name), LogFile: s.opts.State.Log(name),
		TLS:       natsserver.TLS{CertFile: s.certificates[natsName].cert, KeyFile: s.certificates[natsName].key, CAFile: s.certificates[natsName].ca},
		Passwords: map[string]string{},
	}
	for service, password := range s.secrets.nats {
		options.Passwords[service] = password.value
	}
	if instances := s.opts.natsInstances(); len(instances) > 1 {
		options.Cluster = &natsserver.Cluster{Port: own.cluster}
		for _, instance := range instances {
			options.Cluster.Ports = append(options.Cluster.Ports, s.plan.nats[instance].cluster)
		}
	}
	return options
}
