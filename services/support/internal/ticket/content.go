package ticket

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf8"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
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
	message, err := ParseOptionalText(field, typed)
	if err == nil && message == "" {
		err = Invalid(field, "must not be empty")
	}
	return message, err
}

// ParseOptionalText reads a message that may be empty. What people paste with it and do not see is
// removed.
func ParseOptionalText(field, typed string) (Text, error) {
	if !utf8.ValidString(typed) {
		return "", Invalid(field, "is not valid UTF-8")
	}
	message := text.Clean(typed)
	if utf8.RuneCountInString(message) > maxMessage {
		return "", Invalid(field, "is longer than "+strconv.Itoa(maxMessage)+" characters")
	}
	return Text(message), nil
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

// Fingerprint is the same for two updates of the ticket of that id that ask for the same.
func (u Update) Fingerprint(ticketID string) []byte {
	return fingerprint(ticketID, string(u.Status), string(u.Response))
}

func fingerprint(parts ...string) []byte {
	h := sha256.New()
	for _, part := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		_, _ = h.Write([]byte(part))
	}
	return h.Sum(nil)
}

func oneLine(field, typed string, most int) (string, error) {
	if !utf8.ValidString(typed) {
		return "", Invalid(field, "is not valid UTF-8")
	}
	line := text.Line(typed)
	if utf8.RuneCountInString(line) > most {
		return "", Invalid(field, "is longer than "+strconv.Itoa(most)+" characters")
	}
	return line, nil
}

// CheckKey refuses what is not 1 to 255 printable ASCII characters.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return Invalid("idempotency_key", "is not 1 to 255 printable ASCII characters")
	}
	return nil
}

// Invalid is the fault of a request with a field whose value is such.
func Invalid(field, what string) *fault.Error {
	return fault.InvalidField(field, "The value of "+field+" "+what+".")
}
