// Package smtp is a fake of a mail provider: an SMTP sink that accepts every message,
// delivers none, and shows what it received.
//
// Mail is kept in memory and as one .eml file per message, written and synced
// before the sender hears 250, so a restart loses nothing. The page lists and
// shows mail; GET /messages and GET /messages/{id} answer the same as JSON.
// Everybody's sign-in and approval mail is readable here without a password:
// Start therefore refuses every address that is not on this machine, unless it is
// told to be in a cluster of tests.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"fledge.dev/deploy/standins/loopback"
)

const (
	maxMessageBytes = 1 << 20
	maxRecipients   = 100
	ioTimeout       = 30 * time.Second
)

// Options configures Start.
type Options struct {
	// SMTPAddr is the loopback host:port that takes mail; port 0 takes a free one.
	SMTPAddr string
	// HTTPAddr is the loopback host:port of the page; port 0 takes a free one.
	HTTPAddr string
	// InCluster lets both be any interface's, see loopback.Listen.
	InCluster bool
	// Dir keeps the messages. It is created when missing.
	Dir string
	// TLS offers STARTTLS, and takes mail after it only; nil offers none.
	TLS *tls.Config
	// Log receives protocol errors. Defaults to silence.
	Log *slog.Logger
}

// Server is a running stand-in.
type Server struct {
	smtpAddr string
	url      string
	listener net.Listener // of smtp
	smtp     *gosmtp.Server
	page     *loopback.Server
	done     chan error // of smtp
}

// Start loads the kept mail, listens and serves until Close.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	box, err := openMailbox(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("smtp stand-in: %w", err)
	}
	mailListener, err := loopback.Listen(ctx, opts.SMTPAddr, opts.InCluster)
	if err != nil {
		return nil, fmt.Errorf("smtp stand-in: %w", err)
	}
	pageListener, err := loopback.Listen(ctx, opts.HTTPAddr, opts.InCluster)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("smtp stand-in: %w", err), mailListener.Close())
	}
	s := &Server{
		smtpAddr: mailListener.Addr().String(),
		url:      "http://" + pageListener.Addr().String(),
		listener: mailListener,
		smtp:     newSink(box, opts.TLS, slog.NewLogLogger(opts.Log.Handler(), slog.LevelWarn)),
		page:     loopback.Serve(pageListener, newHandler(box), opts.Log),
		done:     make(chan error, 1),
	}
	go func() { s.done <- s.smtp.Serve(mailListener) }()
	return s, nil
}

// SMTPAddr is the host:port that takes mail.
func (s *Server) SMTPAddr() string { return s.smtpAddr }

// URL is the base of the page, without a trailing slash.
func (s *Server) URL() string { return s.url }

// Close ends both servers; mail and requests under way get until ctx is done.
func (s *Server) Close(ctx context.Context) error {
	err := s.smtp.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.smtp.Close())
	}
	_ = s.listener.Close() // go-smtp leaves one open that it had not begun to serve
	if serve := <-s.done; !errors.Is(serve, gosmtp.ErrServerClosed) {
		err = errors.Join(err, serve)
	}
	return errors.Join(err, s.page.Close(ctx))
}

func newSink(box *mailbox, secure *tls.Config, errorLog gosmtp.Logger) *gosmtp.Server {
	sink := gosmtp.NewServer(gosmtp.BackendFunc(func(client *gosmtp.Conn) (gosmtp.Session, error) {
		_, encrypted := client.TLSConnectionState()
		return &session{box: box, refuses: secure != nil && !encrypted}, nil
	}))
	sink.TLSConfig = secure
	sink.Domain = "localhost"
	sink.MaxMessageBytes = maxMessageBytes
	sink.MaxRecipients = maxRecipients
	sink.ReadTimeout = ioTimeout
	sink.WriteTimeout = ioTimeout
	sink.EnableSMTPUTF8 = true
	sink.ErrorLog = errorLog
	return sink
}
