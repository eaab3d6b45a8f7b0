package inmail

import (
	"bytes"
	"cmp"
	"hash"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message"
	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// body is the text of a part.
type body struct {
	text string
	// html says that some of it was made of HTML, more that the part may have more than it.
	html, more bool
}

// betterThan prefers what the sender's program made plain itself, and then what is longer.
func (b body) betterThan(other body) bool {
	return cmp.Or(cmp.Compare(b.rank(), other.rank()), cmp.Compare(len(b.text), len(other.text))) > 0
}

// seeHTML is in what some programs have instead of a plain text; whoever writes of HTML themselves has the same in both.
var seeHTML = regexp.MustCompile(`(?is)^.{0,200}\bhtml\b.{0,200}$`)

func (b body) rank() int {
	text := strings.TrimSpace(b.text)
	switch {
	case text == "":
		return 0
	case b.html:
		return 2
	case seeHTML.MatchString(text):
		return 1
	}
	return 3
}

func (b body) and(next body) body {
	switch {
	case b.text == "":
		b.text, b.html = next.text, next.html
	case next.text != "":
		b.text, b.html = strings.TrimRight(b.text, "\r\n")+"\n"+next.text, b.html || next.html
	}
	b.more = b.more || next.more
	return b
}

type reader struct {
	parts       int
	attachments []string
	// sealed says that a part can be read with a key or a program only.
	sealed bool
	// invited says that the mail answers an invitation (RFC 5546, section 3.2.3), which a calendar reads.
	invited bool
	// opened says that a text could be read, which may be empty.
	opened bool
	// texts has all that was read.
	texts hash.Hash
	// withoutQuotes leaves out what HTML marks as the mail that is answered.
	withoutQuotes bool
	// ours match how our mails begin.
	ours []*regexp.Regexp
}

func (r *reader) read(entity *message.Entity, depth int) (found body) {
	if r.parts--; r.parts < 0 || depth > maxDepth {
		return body{more: true}
	}
	kind, params, _ := entity.Header.ContentType()
	if parts := partsOf(entity); parts != nil {
		r.sealed = r.sealed || kind == "multipart/encrypted"
		return r.readParts(parts, kind, depth)
	}
	disposition, named, _ := entity.Header.ContentDisposition()
	name := cmp.Or(named["filename"], params["name"])
	switch {
	case kind == "application/pkcs7-mime", kind == "application/x-pkcs7-mime":
		r.sealed = true // signed or encrypted, with the text inside
	case strings.HasSuffix(kind, "-signature"), kind == "text/vnd.google.email-reaction+json", kind == "text/x-amp-html": // beside a text that says the same
	case kind == "text/calendar" && strings.EqualFold(params["method"], "REPLY"):
		r.invited = true
	case disposition == "attachment", name != "", kind != "text/plain" && kind != "text/html":
		r.attachments = append(r.attachments, oneLine(cmp.Or(name, kind)))
	default:
		most := maxText
		if kind == "text/html" {
			most = maxHTML
		}
		// What is broken in the middle is of use up to there.
		raw, err := io.ReadAll(io.LimitReader(entity.Body, int64(most)))
		r.opened = r.opened || err == nil || len(raw) > 0
		more := err != nil || len(raw) == most
		text := decoded(whole(raw, most), kind, params["charset"])
		_, _ = io.WriteString(r.texts, text)
		if kind != "text/html" {
			return body{text: unflowed(text, params), more: more}
		}
		shown, left := htmlText(text, r.withoutQuotes, r.ours)
		return body{text: string(whole([]byte(shown), maxText)), html: true, more: more || left || len(shown) > maxText}
	}
	return found
}

func (r *reader) readParts(parts *parts, kind string, depth int) (found body) {
	more := false
	for part := parts.next(); part != nil && !more; part = parts.next() {
		has := r.read(part, depth+1)
		more = r.parts < 0
		switch {
		case kind != "multipart/alternative":
			found = found.and(has)
		case has.betterThan(found): // each part says the same in another way
			found = has
		}
	}
	found.more = found.more || more || parts.broken
	return found
}

// whole is the text in at most so many bytes, without a letter that the end has cut.
func whole(text []byte, most int) []byte {
	if len(text) < most {
		return text
	}
	return bytes.TrimRightFunc(text[:most], func(r rune) bool { return r == utf8.RuneError })
}

func isASCII(raw []byte) bool {
	return !slices.ContainsFunc(raw, func(b byte) bool { return b >= utf8.RuneSelf })
}

// decoded is the text of a part whose charset is not named, or wrongly: any other is converted already.
func decoded(raw []byte, kind, charset string) string {
	switch charset = strings.ToLower(charset); {
	case charset == "windows-1252", slices.Contains(latin1, charset): // which programs say by default, whatever they send
		if sent, err := charmap.Windows1252.NewEncoder().Bytes(raw); err == nil && utf8.Valid(sent) {
			return string(sent)
		}
		return string(raw)
	case !slices.Contains([]string{"", "us-ascii", "utf-8", "utf8"}, charset): // converted, unless nobody knows it
		return eightBit(string(raw))
	}
	// These begin letters of ISO-2022-JP, which is of seven bits.
	if isASCII(raw) && (bytes.Contains(raw, []byte("\x1b$B")) || bytes.Contains(raw, []byte("\x1b$@"))) {
		if text, err := japanese.ISO2022JP.NewDecoder().Bytes(raw); err == nil {
			return string(text)
		}
	}
	if kind == "text/html" && !strings.HasPrefix(charset, "utf") {
		if encoding, name, _ := htmlcharset.DetermineEncoding(raw, ""); name != "utf-8" && name != "windows-1252" {
			if text, err := encoding.NewDecoder().Bytes(raw); err == nil {
				return string(text)
			}
		}
	}
	return eightBit(string(raw))
}

// eightBit is text in UTF-8, or else in what Windows programs write.
func eightBit(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	text, err := charmap.Windows1252.NewDecoder().String(raw)
	if err != nil {
		return raw
	}
	return text
}
