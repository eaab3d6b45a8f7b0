package smtp

import (
	"io"

	gosmtp "github.com/emersion/go-smtp"
)

// session receives the messages of one SMTP connection.
type session struct {
	box  *mailbox
	from string
	to   []string
	// refuses is whether the client has to begin TLS first.
	refuses bool
}

func (s *session) Mail(from string, _ *gosmtp.MailOptions) error {
	if s.refuses {
		return &gosmtp.SMTPError{Code: 530, EnhancedCode: gosmtp.EnhancedCode{5, 7, 0}, Message: "Must issue a STARTTLS command first"}
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data returns once the message is on disk: after the 250 the sender considers it
// delivered and does not retry.
func (s *session) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.box.add(envelope{From: s.from, To: s.to}, body); err != nil {
		return &gosmtp.SMTPError{
			Code:         451,
			EnhancedCode: gosmtp.EnhancedCode{4, 3, 0},
			Message:      "Could not store the message: " + err.Error(),
		}
	}
	return nil
}

func (s *session) Reset() { s.from, s.to = "", nil }

func (s *session) Logout() error { return nil }
