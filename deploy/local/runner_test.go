package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

// runner is this program, built as the Makefile builds it.
func runner(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "local")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// repository is a folder with the outline of one.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	err := os.WriteFile(filepath.Join(root, "go.work"), []byte("go 1.26.0\n"), 0o644)
	for _, dir := range []string{"web", "deploy/tools/kratos", "deploy/tools/postgres", "deploy/caddy"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	errtest.None(t, err)
	return root
}

// programs returns a PATH with programs of a few shell lines before all others.
func programs(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		errtest.None(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	return "PATH=" + dir + ":" + os.Getenv("PATH")
}

// freeRow is the first of the ports that a stack takes, as PORT.
func freeRow(t *testing.T) string {
	t.Helper()
	for range 100 {
		port, err := ports.New().Port()
		errtest.None(t, err)
		if ports.RequireRow(port) == nil {
			return strconv.Itoa(port)
		}
	}
	t.Fatal("no five free ports in a row")
	return ""
}

// outcome runs a command to its end, with during beside it, and returns its exit
// code and the lines of its stderr but for those that show progress.
func outcome(t *testing.T, cmd *exec.Cmd, during func(pid int)) (int, []string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	errtest.None(t, cmd.Start())
	during(cmd.Process.Pid)
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(stderr.String()) {
		if !strings.HasPrefix(line, "  ") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return cmd.ProcessState.ExitCode(), lines
}

func TestABadStartIsOneLineThatNamesTheMend(t *testing.T) {
	program := runner(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	takenPort := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	busy := repository(t)
	dir, err := state.Open(filepath.Join(busy, ".local"))
	errtest.None(t, err)
	unlock, err := dir.Lock()
	errtest.None(t, err)
	t.Cleanup(func() { _ = unlock() })
	node := map[string]string{"node": "echo v20.19.0", "npm": "exit 0"}

	for name, tc := range map[string]struct {
		dir, env string
		args     []string
		want     string
	}{
		"no repository":   {t.TempDir(), "", nil, "run this inside the repository"},
		"no port":         {repository(t), "PORT=http", nil, `PORT="http" is not a port between`},
		"a taken port":    {repository(t), "PORT=" + takenPort, nil, takenPort},
		"running already": {busy, "", nil, "already running in this folder as process " + strconv.Itoa(os.Getpid())},
		"no npm":          {repository(t), "PATH=" + t.TempDir(), nil, "install Node.js"},
		"an old node":     {repository(t), programs(t, map[string]string{"node": "echo v18.0.0", "npm": ""}), nil, "node 18.0 is too old"},
		"no network": {repository(t), programs(t, map[string]string{
			"node": node["node"], "npm": "echo npm error code ENOTFOUND; exit 1", "go": "sleep 60",
		}), nil, "check the network"},
		"another command":                   {repository(t), "", []string{"start"}, `unknown command ["start"]`},
		"no command to run with a database": {repository(t), "", []string{"testdb", "--"}, "site, testdb -- <command> and benchdb -- <command>"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(program, tc.args...)
			cmd.Dir, cmd.Env = tc.dir, append(os.Environ(), "PORT="+freeRow(t), tc.env)
			code, lines := outcome(t, cmd, func(int) {})
			if code != 1 || len(lines) != 1 || !strings.HasPrefix(lines[0], "error: ") || !strings.Contains(lines[0], tc.want) {
				t.Errorf("exit %d, %q", code, lines)
			}
		})
	}
}

// TestMakeAddsNothingOfItsOwn: make's own last word cannot be turned off, any
// other line but the error would be the go command's.
func TestMakeAddsNothingOfItsOwn(t *testing.T) {
	cmd := exec.Command("make", "--no-print-directory", "-C", filepath.Join("..", ".."), "run")
	cmd.Env = append(os.Environ(), "PORT=http", "MAKEFLAGS=", "MAKELEVEL=")
	code, lines := outcome(t, cmd, func(int) {})
	if code != 2 || len(lines) != 2 || !strings.HasPrefix(lines[0], `error: PORT="http" is not a port`) || !strings.HasPrefix(lines[1], "make: *** [") {
		t.Errorf("exit %d, %q", code, lines)
	}
}

func TestCtrlCWhilePreparingIsQuietAndLeavesNothing(t *testing.T) {
	program, root := runner(t), repository(t)
	began := filepath.Join(root, "began")
	hang := "echo $$ >> '" + began + "'; exec sleep 60"
	cmd := exec.Command(program)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PORT="+freeRow(t), programs(t, map[string]string{"node": "echo v20.19.0", "npm": hang, "go": hang}))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	interrupt := func(pid int) {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if content, err := os.ReadFile(began); err == nil && len(content) > 0 {
				break
			}
		}
		_ = syscall.Kill(-pid, syscall.SIGINT) // as a terminal does
	}
	if code, lines := outcome(t, cmd, interrupt); code != 130 || len(lines) != 0 {
		t.Errorf("exit %d, %q", code, lines)
	}
	content, err := os.ReadFile(began)
	errtest.None(t, err)
	for pid := range strings.FieldsSeq(string(content)) {
		n, err := strconv.Atoi(pid)
		errtest.None(t, err)
		if err := syscall.Kill(n, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there: %v", n, err)
		}
	}
}
