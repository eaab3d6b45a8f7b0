package natsserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const startTimeout = 20 * time.Second

// Server runs inside this process.
type Server struct{ running *server.Server }

// Start runs the server that a configuration file describes and waits until it
// takes connections.
func Start(configFile string) (*Server, error) {
	options, err := server.ProcessConfigFile(configFile)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	options.NoSigs = true // signals belong to the program around it
	running, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	running.ConfigureLogger()
	running.Start()
	if !running.ReadyForConnections(startTimeout) {
		running.Shutdown()
		return nil, errors.New("nats: the server is not ready in time")
	}
	return &Server{running: running}, nil
}

// Stop ends the server and waits for it.
func (s *Server) Stop(context.Context) error {
	s.running.Shutdown()
	s.running.WaitForShutdown()
	return nil
}
