package mailbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/imaptest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/waittest"
)

// dovecotConfig has Dovecot 2.3 run as one user, with the mails in a Maildir of the test, and folders named as Courier does.
const dovecotConfig = `
base_dir = %[1]s/run
log_path = %[1]s/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = %[2]s
default_internal_group = %[3]s
default_login_user = %[2]s
first_valid_uid = 1
mail_location = maildir:%[1]s/mail
namespace inbox {
  inbox = yes
  prefix = INBOX.
  separator = .
}
passdb {
  driver = passwd-file
  args = %[1]s/people
}
userdb {
  driver = static
  args = uid=%[2]s gid=%[3]s home=%[1]s
}
service imap-login {
  chroot =
  inet_listener imap {
    port = %[4]d
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`

// dovecot is a server of the kind that keeps real mailboxes.
type dovecot struct {
	t       *testing.T
	program string
	dir     string
	addr    string
}

// startDovecot skips the test where Dovecot is not installed (Debian: dovecot-imapd).
func startDovecot(t *testing.T) *dovecot {
	t.Helper()
	program := "/usr/sbin/dovecot"
	if version, err := exec.CommandContext(t.Context(), program, "--version").Output(); err != nil || !strings.HasPrefix(string(version), "2.3.") {
		t.Skipf("Dovecot 2.3 is not installed: %s %v", version, err)
	}
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // for the user below
	owner, err := user.Current()
	must(t, err)
	if owner.Uid == "0" {
		owner, err = user.Lookup("nobody") // it opens no mailbox as root
		must(t, err)
	}
	group, err := user.LookupGroupId(owner.Gid)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	must(t, listener.Close())
	d := &dovecot{t: t, program: program, dir: dir, addr: fmt.Sprintf("127.0.0.1:%d", port)}
	must(t, os.WriteFile(d.path("conf"), fmt.Appendf(nil, dovecotConfig, dir, owner.Username, group.Name, port), 0o644))
	must(t, os.WriteFile(d.path("people"), []byte(imaptest.User+":{PLAIN}"+imaptest.Password+"\n"), 0o644))
	for _, folder := range []string{"mail/cur", "mail/new", "mail/tmp"} {
		must(t, os.MkdirAll(d.path(folder), 0o755))
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	must(t, filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, uid, gid)
	}))
	d.start()
	return d
}

func (d *dovecot) path(name string) string { return filepath.Join(d.dir, name) }

func (d *dovecot) start() {
	d.t.Helper()
	cmd := exec.Command(d.program, "-F", "-c", d.path("conf"))
	must(d.t, cmd.Start())
	d.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	waittest.Seen(d.t, "Dovecot answers", func() (bool, string) {
		conn, err := net.DialTimeout("tcp", d.addr, time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil, fmt.Sprint(err)
	})
}

func (d *dovecot) deliver(mail []byte) {
	d.t.Helper()
	name := fmt.Sprintf("%d.test.fledge", time.Now().UnixNano())
	must(d.t, os.WriteFile(d.path("mail/tmp/"+name), mail, 0o644))
	must(d.t, os.Rename(d.path("mail/tmp/"+name), d.path("mail/new/"+name)))
}

// folders are how many mails wait, were taken, and are for people.
func (d *dovecot) folders() (n [3]int) {
	for i, folder := range []string{"mail", "mail/.Fledge done", "mail/.Fledge for people"} {
		for _, part := range []string{"cur", "new"} {
			mails, _ := os.ReadDir(d.path(filepath.Join(folder, part)))
			n[i] += len(mails)
		}
	}
	return n
}

// TestDovecot: what the other tests say of a server in memory is true of one of the kind that keeps real mailboxes.
func TestDovecot(t *testing.T) {
	d, store := startDovecot(t), newTickets()
	cfg := settings(imaptest.Start(t, nil))
	cfg.Addr, cfg.TLS = d.addr, mail.TLSNone
	m := open(t, cfg, store)
	for range 2 {
		d.deliver(arrived(t, "new"))
	}
	d.deliver(arrived(t, "forged"))
	d.deliver(arrived(t, "holiday"))
	store.fail = fault.New(fault.Unavailable, "x", "x")
	if err := m.Run(t.Context()); err == nil || d.folders()[0] == 0 {
		t.Errorf("without a database: %v, %v", d.folders(), err)
	}
	store.fail = nil
	errtest.None(t, m.Run(t.Context()))
	if got := d.folders(); got != [3]int{0, 3, 1} || len(store.opened) != 1 {
		t.Errorf("%v, opened %q", got, store.opened)
	}
	wrong := cfg
	wrong.Password = "wrong"
	d.deliver(arrived(t, "new"))
	if err := open(t, wrong, store).Run(t.Context()); err == nil || d.folders() != [3]int{1, 3, 1} {
		t.Errorf("with a wrong password: %v, %v", d.folders(), err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	errtest.None(t, err)
}
