package ticket

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fledge.dev/services/platform/fault"
)

// The longest of each, in characters once trimmed.
const (
	maxMessage         = 10_000
	maxSubject         = 200
	maxAppVersion      = 64
	maxOperatingSystem = 128
	maxKey             = 255
)

// Text is a message: trimmed, valid UTF-8, without control characters other than
// newline and tab. What remains is never markup: whoever shows it escapes it.
type Text string

// ParseText reads a message that must not be empty. Fields named in faults are
// those of the gRPC interface.
func ParseText(field, typed string) (Text, error) {
	text, err := ParseOptionalText(field, typed)
	if err == nil && text == "" {
		err = invalid(field, "must not be empty")
	}
	return text, err
}

// ParseOptionalText reads a message that may be empty.
func ParseOptionalText(field, typed string) (Text, error) {
	if !utf8.ValidString(typed) {
		return "", invalid(field, "is not valid UTF-8")
	}
	text := strings.TrimSpace(strings.ReplaceAll(typed, "\r\n", "\n"))
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return "", invalid(field, "contains characters that are not allowed")
	}
	if utf8.RuneCountInString(text) > maxMessage {
		return "", invalid(field, "is longer than "+strconv.Itoa(maxMessage)+" characters")
	}
	return Text(text), nil
}

// Content is what a customer gives with a new ticket.
type Content struct {
	Category Category
	Priority Priority
	// Subject, AppVersion and OperatingSystem are single lines, or empty.
	Subject         string
	Message         Text
	AppVersion      string
	OperatingSystem string
}

// Check returns the content with its lines trimmed, or says what is wrong.
// Category, priority and message are right by their types.
func (c Content) Check() (Content, error) {
	var err error
	for _, line := range []struct {
		field string
		value *string
		most  int
	}{{"subject", &c.Subject, maxSubject}, {"app_version", &c.AppVersion, maxAppVersion}, {"operating_system", &c.OperatingSystem, maxOperatingSystem}} {
		if *line.value, err = oneLine(line.field, *line.value, line.most); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Fingerprint tells whether two requests asked for the same.
func (c Content) Fingerprint() []byte {
	return fingerprint(string(c.Category), string(c.Priority), c.Subject, string(c.Message), c.AppVersion, c.OperatingSystem)
}

// ReplyFingerprint is Fingerprint for a reply to the ticket of that id.
func ReplyFingerprint(ticketID string, body Text) []byte { return fingerprint(ticketID, string(body)) }

func fingerprint(parts ...string) []byte {
	h := sha256.New()
	for _, part := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		_, _ = h.Write([]byte(part))
	}
	return h.Sum(nil)
}

func oneLine(field, typed string, most int) (string, error) {
	line := strings.TrimSpace(typed)
	if !utf8.ValidString(line) || strings.ContainsFunc(line, breaksLine) {
		return "", invalid(field, "contains characters that are not allowed")
	}
	if utf8.RuneCountInString(line) > most {
		return "", invalid(field, "is longer than "+strconv.Itoa(most)+" characters")
	}
	return line, nil
}

// breaksLine finds what would end a line or, as U+202E does, turn round what a page
// or a mail program shows beside it.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || '\u2028' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// CheckKey refuses what is not 1 to 255 printable ASCII characters.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return invalid("idempotency_key", "is not 1 to 255 printable ASCII characters")
	}
	return nil
}

func invalid(field, what string) *fault.Error {
	sentence := "The value of " + field + " " + what + "."
	return fault.New(fault.Invalid, "invalid_"+field, sentence).Field(field, sentence)
}
