package mailbox

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/inmail"
)

// connection is a session on the IMAP server in which the inbox is selected.
type connection struct{ *imapclient.Client }

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
	conn := &connection{client}
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
	for _, name := range []string{cfg.Done, cfg.People} {
		there, err := c.List("", name, nil).Collect()
		if err != nil {
			return err
		}
		if len(there) > 0 {
			continue
		}
		if err := c.Create(name, nil).Wait(); err != nil {
			return err
		}
		// Mail programs show the folders that are subscribed to.
		if err := c.Subscribe(name).Wait(); err != nil {
			return err
		}
	}
	_, err := c.Select(cfg.Inbox, nil).Wait()
	return err
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

var errGone = errors.New("mailbox: somebody else has moved the mail")

func (c *connection) read(uid imap.UID) ([]byte, error) {
	section := &imap.FetchItemBodySection{Peek: true}
	fetched, err := c.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return nil, err
	}
	if len(fetched) == 0 {
		return nil, errGone
	}
	return fetched[0].FindBodySection(section), nil
}

func (c *connection) move(uid imap.UID, folder string) error {
	_, err := c.Move(imap.UIDSetNum(uid), folder).Wait()
	return err
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
