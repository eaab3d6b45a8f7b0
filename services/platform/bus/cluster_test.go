package bus_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// natsConfig is the variable that makes the test binary a NATS server with the configuration that it names.
const natsConfig = "BUS_TEST_NATS_CONFIG"

// serveNATS ends with the test that has started it.
func serveNATS(config string) {
	options, err := server.ProcessConfigFile(config)
	if err == nil {
		var member *server.Server
		if member, err = server.NewServer(options); err == nil {
			member.Start()
			_, err = io.Copy(io.Discard, os.Stdin)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// member is a server of a cluster, a process of its own. Each is known by its place.
type member struct {
	t       testing.TB
	config  string
	process *exec.Cmd
}

func (m *member) start() {
	m.t.Helper()
	m.process = exec.Command(os.Args[0])
	m.process.Env = []string{natsConfig + "=" + m.config}
	m.process.Stderr = m.t.Output()
	_, err := m.process.StdinPipe() // which ends with this process
	errtest.None(m.t, err)
	errtest.None(m.t, m.process.Start())
}

func (m *member) kill() {
	_ = m.process.Process.Kill()
	_ = m.process.Wait()
}

func (m *member) pause()  { errtest.None(m.t, m.process.Process.Signal(syscall.SIGSTOP)) }
func (m *member) resume() { errtest.None(m.t, m.process.Process.Signal(syscall.SIGCONT)) }

// cluster starts three servers.
func cluster(t testing.TB) (members [3]*member, urls string) {
	t.Helper()
	var addrs [6]string // for clients, and for each other
	for i := range addrs {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		errtest.None(t, err)
		defer func() { _ = listener.Close() }()
		addrs[i] = listener.Addr().String()
	}
	routes := "nats://" + strings.Join(addrs[3:], ", nats://")
	for i := range members {
		dir := t.TempDir()
		members[i] = &member{t: t, config: filepath.Join(dir, "nats.conf")}
		errtest.None(t, os.WriteFile(members[i].config, fmt.Appendf(nil, `
			server_name: "n%d", listen: %q, max_payload: 256KB, jetstream { store_dir: %q, sync_interval: always }
			cluster { name: test, listen: %q, routes: [%s] }`, i, addrs[i], dir, addrs[3+i], routes), 0o600))
	}
	return members, "nats://" + strings.Join(addrs[:3], ",nats://")
}

// TestAStreamOutlivesItsLeader: of three servers the one that leads the stream is killed or stands still while events
// are written; and two of them are gone for a while.
func TestAStreamOutlivesItsLeader(t *testing.T) {
	t.Parallel()
	members, urls := cluster(t)
	for _, m := range members {
		m.start()
		t.Cleanup(m.kill)
	}
	nc, err := nats.Connect(urls, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2))
	errtest.None(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(time.Second))
	errtest.None(t, err)
	// leader waits until all three have the whole stream, and tells which of them leads.
	leader := func() (place int) {
		t.Helper()
		waittest.Seen(t, "the stream has all of its copies", func() (bool, string) {
			found, err := js.Stream(t.Context(), stream)
			if err != nil || found.CachedInfo().Cluster == nil {
				return false, fmt.Sprint(err)
			}
			c := found.CachedInfo().Cluster
			behind := func(p *jetstream.PeerInfo) bool { return !p.Current || p.Offline }
			_, err = fmt.Sscanf(c.Leader, "n%d", &place)
			return err == nil && len(c.Replicas) == 2 && !slices.ContainsFunc(c.Replicas, behind), fmt.Sprint(c.Leader, c.Replicas)
		})
		return place
	}

	r := newDatabase(t)
	cfg := r.config(urls)
	cfg.Replicas = 3
	replica := r.replicaWith(cfg)
	replica.run(replica.conn.Relay(r.pool))
	replica.consume("mail", count("mail"))
	written := 0
	for _, fault := range []struct {
		what           string
		servers        int
		strike, repair func(*member)
	}{
		{"is killed", 1, (*member).kill, (*member).start},
		{"stands still", 1, (*member).pause, (*member).resume},
		{"is killed with another", 2, (*member).kill, (*member).start},
	} {
		first := leader()
		for i := range fault.servers {
			fault.strike(members[(first+i)%3])
		}
		began := time.Now()
		r.append(100)
		written += 100
		if fault.servers == 1 {
			r.eventuallyOnce("mail", written)
			t.Logf("the leader %s: events have their effect after %s", fault.what, time.Since(began).Round(time.Millisecond))
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("the leader %s: it took %s", fault.what, took)
			}
		}
		for i := range fault.servers {
			fault.repair(members[(first+i)%3])
		}
		r.eventuallyOnce("mail", written)
	}
	leader()
	if n := r.pending(); n != 0 {
		t.Errorf("%d events wait", n)
	}
}
