package smtp

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/textproto"
	"strings"
	"time"

	"github.com/emersion/go-message"
	// Mail in other character sets than UTF-8 is shown decoded too.
	_ "github.com/emersion/go-message/charset"
	"github.com/emersion/go-message/mail"
	"github.com/google/uuid"
)

// Message is one accepted mail. Text and HTML are the first parts of their
// kind, decoded. Problem says what could not be understood, if anything.
type Message struct {
	ID         string              `json:"id"`
	ReceivedAt time.Time           `json:"received_at"`
	From       string              `json:"from"`
	To         []string            `json:"to"`
	Subject    string              `json:"subject"`
	MessageID  string              `json:"message_id"`
	Headers    map[string][]string `json:"headers"`
	Text       string              `json:"text"`
	HTML       string              `json:"html"`
	Problem    string              `json:"problem,omitempty"`

	header []field
	inline map[string]part
	source []byte
}

// field is a header line in its order, decoded.
type field struct{ Name, Value string }

// part is a picture or other content that the HTML refers to by content ID.
type part struct {
	contentType string
	body        []byte
}

// parse never fails: mail that is malformed is shown with its source and the problem.
func parse(id string, source []byte) *Message {
	m := &Message{ID: id, To: []string{}, Headers: map[string][]string{}, inline: map[string]part{}, source: source}
	if parsed, err := uuid.Parse(id); err == nil {
		m.ReceivedAt = time.Unix(parsed.Time().UnixTime()).UTC()
	}
	reader, err := mail.CreateReader(bytes.NewReader(source))
	if reader == nil {
		m.Problem = err.Error()
		return m
	}
	defer reader.Close()
	m.readHeader(reader.Header)
	if err := m.readParts(reader); err != nil {
		m.Problem = err.Error()
	}
	return m
}

func (m *Message) readHeader(h mail.Header) {
	for fields := h.Fields(); fields.Next(); {
		value, err := fields.Text()
		if err != nil {
			value = fields.Value()
		}
		name := textproto.CanonicalMIMEHeaderKey(fields.Key())
		switch name {
		case "Return-Path":
			m.From = strings.Trim(value, "<>")
		case "Delivered-To":
			m.To = append(m.To, value)
		case "Subject":
			m.Subject = value
		case "Message-Id":
			m.MessageID = strings.Trim(value, "<>")
		}
		m.Headers[name] = append(m.Headers[name], value)
		m.header = append(m.header, field{Name: fields.Key(), Value: value})
	}
}

func (m *Message) readParts(reader *mail.Reader) error {
	for {
		p, err := reader.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err):
			return err
		}
		body, err := io.ReadAll(p.Body)
		if err != nil {
			return err
		}
		m.keep(p.Header, body)
	}
}

func (m *Message) keep(header mail.PartHeader, body []byte) {
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		contentType = "text/plain"
	}
	switch id := strings.Trim(header.Get("Content-Id"), "<>"); {
	case id != "":
		m.inline[id] = part{contentType: contentType, body: body}
	case contentType == "text/html" && m.HTML == "":
		m.HTML = string(body)
	case contentType == "text/plain" && m.Text == "":
		m.Text = string(body)
	}
}

func (m *Message) isFor(address string) bool {
	for _, to := range m.To {
		if strings.EqualFold(to, address) {
			return true
		}
	}
	return false
}
