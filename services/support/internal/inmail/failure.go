package inmail

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/textproto"
	"strings"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
)

// Failure is what a report (RFC 3464) says of a mail that was given up.
type Failure struct {
	// ID names the report: the same one, read twice, has the same.
	ID string
	// Recipient is the bare address that the mail did not reach, as the report spells it.
	Recipient string
	// Status is the enhanced status, such as 5.1.1, Words what the server said.
	Status, Words string
	// Mail has the Message-IDs, without brackets, of the mail and of those that it follows.
	Mail []string
}

// maxReport is how much of each part of a report is read, in bytes.
const maxReport = 1 << 16

// failure reads a report; nil for any other mail, and for a report of a delay or a success.
func failure(source []byte, entity *message.Entity) *Failure {
	kind, params, _ := entity.Header.ContentType()
	parts := entity.MultipartReader()
	if kind != "multipart/report" || !strings.EqualFold(params["report-type"], "delivery-status") || parts == nil {
		return nil
	}
	sum := sha256.Sum256(source)
	f := Failure{ID: hex.EncodeToString(sum[:])}
	failed := false
	for range maxParts {
		part, err := parts.NextPart()
		if part == nil || !readable(err) {
			break
		}
		body, _ := io.ReadAll(io.LimitReader(part.Body, maxReport)) // what is broken in the middle is of use up to there
		switch kind, _, _ := part.Header.ContentType(); kind {
		case "message/delivery-status", "message/global-delivery-status":
			failed = failed || f.readStatus(body)
		case "message/rfc822", "message/rfc822-headers", "text/rfc822-headers", "message/global", "message/global-headers":
			f.readMail(body)
		}
	}
	if !failed {
		return nil
	}
	return &f
}

// readStatus reads about the one recipient; our mails have no more.
func (f *Failure) readStatus(body []byte) (failed bool) {
	fields := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(body, "\r\n\r\n"...))))
	for {
		group, err := fields.ReadMIMEHeader()
		if strings.EqualFold(strings.TrimSpace(group.Get("Action")), "failed") {
			_, address, _ := strings.Cut(first(group.Get("Original-Recipient"), group.Get("Final-Recipient")), ";")
			f.Recipient = strings.Trim(strings.TrimSpace(address), "<>")
			if status := strings.Fields(group.Get("Status")); len(status) > 0 {
				f.Status = status[0]
			}
			_, f.Words, _ = strings.Cut(group.Get("Diagnostic-Code"), ";")
			return true
		}
		if err != nil {
			return false
		}
	}
}

func (f *Failure) readMail(body []byte) {
	quoted, err := message.Read(bytes.NewReader(append(body, "\r\n\r\n"...)))
	if quoted == nil || !readable(err) {
		return
	}
	header := mail.Header{Header: quoted.Header}
	f.Mail = append(follows(header), strings.Trim(header.Get("Message-Id"), "<> \t"))
}
