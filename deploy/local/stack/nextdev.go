package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/subprocess"
)

// nextDevTimeout is for the first compilation of a page.
const nextDevTimeout = 2 * time.Minute

// startNextDev starts "next dev" for the pages of web/ and returns its host:port.
func (s *Stack) startNextDev(ctx context.Context) (string, error) {
	const name = "next-dev"
	if err := s.endOrphans(name); err != nil {
		return "", err
	}
	port, err := s.plan.ports.Port()
	if err != nil {
		return "", err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("next dev: %w", err)
	}
	process, err := subprocess.Start(subprocess.Spec{
		Name: name, Path: node, Dir: filepath.Join(s.opts.Root, "web"),
		Args:    []string{filepath.Join("node_modules", "next", "dist", "bin", "next"), "dev", "--turbopack", "--hostname", "127.0.0.1", "--port", strconv.Itoa(port)},
		Env:     []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "NEXT_TELEMETRY_DISABLED=1"},
		LogFile: s.opts.State.Log(name), PIDFile: s.opts.State.PIDFile(name),
	})
	if err != nil {
		return "", err
	}
	address := ports.Loopback(port)
	if err := ready.HTTP(ctx, "http://"+address+"/signin", 0, process.Done(), nextDevTimeout); err != nil {
		return "", errors.Join(fmt.Errorf("next dev: %w, see %s", err, s.opts.State.Log(name)), process.Kill())
	}
	s.startedChild(name, process)
	return address, nil
}
