package inmail

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/textproto"
	"regexp"
	"slices"
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

var (
	// passing are the actions of RFC 3464 of a mail that was not given up.
	passing    = []string{"delayed", "delivered", "relayed", "expanded"}
	actionForm = regexp.MustCompile(`[\w-]+`)
)

// report reads what servers say of a mail. The kind is Notice where nothing was given up. A bounce that is not written
// as RFC 3464 says has no Failure, nor has a complaint (RFC 5965).
func report(source []byte, entity *message.Entity, subject string) (*Failure, Machine) {
	kind, params, _ := entity.Header.ContentType()
	about := strings.ToLower(params["report-type"])
	switch {
	case about == "disposition-notification", // read receipts (RFC 8098)
		kind != "multipart/report" && delaySubject.MatchString(subject):
		return nil, Notice
	case kind != "multipart/report" || about != "delivery-status":
		return nil, Bounce
	}
	sum := sha256.Sum256(source)
	f := Failure{ID: hex.EncodeToString(sum[:])}
	failed, passed := false, false
	parts := partsOf(entity)
	for range maxParts {
		part := parts.next()
		if part == nil {
			break
		}
		body, _ := io.ReadAll(io.LimitReader(part.Body, maxReport)) // what is broken in the middle is of use up to there
		switch kind, _, _ := part.Header.ContentType(); kind {
		case "message/delivery-status", "message/global-delivery-status":
			if !failed {
				action := f.readStatus(body)
				failed, passed = action == "failed", passed || slices.Contains(passing, action)
			}
		case "message/rfc822", "message/rfc822-headers", "text/rfc822-headers", "message/global", "message/global-headers":
			f.readMail(body)
		}
	}
	switch {
	case failed:
		return &f, Bounce
	case passed:
		return nil, Notice
	}
	return nil, Bounce
}

// readStatus reads about the one recipient; our mails have no more. The action is the first "failed", which some spell
// "failure" or go on to explain, or else the last one; "" without any.
func (f *Failure) readStatus(body []byte) (action string) {
	fields := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(body, "\r\n\r\n"...))))
	for {
		group, err := fields.ReadMIMEHeader()
		action = cmp.Or(strings.ToLower(actionForm.FindString(group.Get("Action"))), action)
		if action == "failed" || action == "failure" {
			field := cmp.Or(group.Get("Original-Recipient"), group.Get("Final-Recipient"))
			f.Recipient = strings.Trim(field[strings.IndexByte(field, ';')+1:], "<> \t") // some leave out the type
			if status := strings.Fields(group.Get("Status")); len(status) > 0 {
				f.Status = status[0]
			}
			_, f.Words, _ = strings.Cut(group.Get("Diagnostic-Code"), ";")
			return "failed"
		}
		if err != nil {
			return action
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
