package mailbox

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/inmail"
)

// connection is a session on the IMAP server in which the inbox is selected.
type connection struct {
	*imapclient.Client
	// done and people are the folders for mails that were taken, as the server calls them.
	done, people string
}

// connect signs in. The connection ends with the context.
func connect(ctx context.Context, c Config) (*connection, func(), error) {
	tlsConfig, err := c.tlsConfig()
	if err != nil {
		return nil, nil, err
	}
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", c.Addr)
	if err != nil {
		return nil, nil, fmt.Errorf("mailbox: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	client, err := greet(raw, c.TLS, &imapclient.Options{TLSConfig: tlsConfig})
	if err != nil {
		stop()
		_ = raw.Close()
		return nil, nil, fmt.Errorf("mailbox: %w", err)
	}
	hangUp := func() {
		stop()
		_ = client.Close()
	}
	conn := &connection{Client: client}
	if err := conn.open(c); err != nil {
		hangUp()
		return nil, nil, fmt.Errorf("mailbox: %w", err)
	}
	return conn, hangUp, nil
}

func greet(raw net.Conn, mode string, options *imapclient.Options) (*imapclient.Client, error) {
	switch mode {
	case mail.TLSStart:
		return imapclient.NewStartTLS(raw, options)
	case mail.TLSImplicit:
		raw = tls.Client(raw, options.TLSConfig)
	}
	client := imapclient.New(raw, options)
	return client, client.WaitGreeting()
}

func (c *connection) open(cfg Config) error {
	if err := c.Login(cfg.User, cfg.Password.Reveal()).Wait(); err != nil {
		return err
	}
	var err error
	prefix := c.prefix()
	if c.done, err = c.folder(cfg.Done, prefix); err != nil {
		return err
	}
	if c.people, err = c.folder(cfg.People, prefix); err != nil {
		return err
	}
	_, err = c.Select(cfg.Inbox, nil).Wait()
	return err
}

// prefix is what the names of a person's folders begin with, such as "INBOX." (RFC 2342); "" where the server does not say.
func (c *connection) prefix() string {
	if !c.Caps().Has(imap.CapNamespace) {
		return ""
	}
	spaces, err := c.Namespace().Wait()
	if err != nil || len(spaces.Personal) == 0 {
		return ""
	}
	return spaces.Personal[0].Prefix
}

// folder returns the name under which the server has the folder, which is made if it is not there.
func (c *connection) folder(name, prefix string) (string, error) {
	own := prefix + strings.TrimPrefix(name, prefix)
	for _, known := range []string{name, own} {
		there, err := c.List("", known, nil).Collect()
		if err != nil || len(there) > 0 {
			return known, err
		}
	}
	if err := c.Create(own, nil).Wait(); err != nil {
		return "", err
	}
	// Mail programs show the folders that are subscribed to.
	return own, c.Subscribe(own).Wait()
}

// waiting are the mails in the inbox, the oldest first.
func (c *connection) waiting() ([]imap.UID, error) {
	found, err := c.UIDSearch(&imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagDeleted}}, nil).Wait()
	if err != nil {
		return nil, err
	}
	return found.AllUIDs(), nil
}

// sizes are those of the mails.
func (c *connection) sizes(uids []imap.UID) (map[imap.UID]int64, error) {
	if len(uids) == 0 {
		return nil, nil
	}
	fetched, err := c.Fetch(imap.UIDSetNum(uids...), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	sizes := map[imap.UID]int64{}
	for _, m := range fetched {
		sizes[m.UID] = m.RFC822Size
	}
	return sizes, err
}

var (
	errGone    = errors.New("somebody else has moved the mail")
	errNotSent = errors.New("the server has not sent the mail")
)

func (c *connection) read(uid imap.UID) ([]byte, error) {
	section := &imap.FetchItemBodySection{Peek: true}
	fetched, err := c.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return nil, err
	}
	if len(fetched) == 0 {
		return nil, errGone
	}
	source := fetched[0].FindBodySection(section)
	if source == nil {
		// NIL, or the flags that another client has changed meanwhile, which the client takes for the answer.
		return nil, errNotSent
	}
	return source, nil
}

// move keeps the mail where it is if the server does not take it into the folder. Without MOVE each step waits for the one
// before it: the client's own way sends all of them at once, and a mail whose copy was refused would be deleted.
func (c *connection) move(uid imap.UID, folder string) error {
	mail := imap.UIDSetNum(uid)
	if c.Caps().Has(imap.CapMove) {
		_, err := c.Move(mail, folder).Wait()
		return err
	}
	if _, err := c.Copy(mail, folder).Wait(); err != nil {
		return err
	}
	deleted := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}
	if err := c.Store(mail, deleted, nil).Close(); err != nil {
		return err
	}
	if c.Caps().Has(imap.CapUIDPlus) {
		return c.UIDExpunge(mail).Close()
	}
	return c.Expunge().Close()
}

// unseen is how many mails of the folder nobody has opened.
func (c *connection) unseen(folder string) (uint32, error) {
	status, err := c.Status(folder, &imap.StatusOptions{NumUnseen: true}).Wait()
	if err != nil || status.NumUnseen == nil {
		return 0, err
	}
	return *status.NumUnseen, nil
}

const atOnce = 100

func tooLarge(size int64) bool { return size > inmail.MaxSize }
