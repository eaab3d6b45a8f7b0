package inmail

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"regexp"
	"strings"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/charset"
	"github.com/emersion/go-message/textproto"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// latin1 are the names under which Windows programs send their own charset, windows-1252, which has letters where Latin-1 has
// control characters; latin5 those of windows-1254 for Turkish. All are as browsers read them.
var (
	latin1 = []string{"iso-8859-1", "iso8859-1", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "latin1", "l1", "cp819", "ibm819", "csisolatin1", "ascii", "ansi_x3.4-1968"}
	latin5 = []string{"iso-8859-9", "iso8859-9", "iso_8859-9", "iso_8859-9:1989", "iso-ir-148", "latin5", "l5", "csisolatin5"}
)

func init() {
	for _, name := range latin1 {
		charset.RegisterEncoding(name, charmap.Windows1252)
	}
	for _, name := range latin5 {
		charset.RegisterEncoding(name, charmap.Windows1254)
	}
	// As browsers do: GB 18030 has all letters of the older two, and programs send others of it under their names.
	for _, name := range []string{"gb2312", "gbk"} {
		charset.RegisterEncoding(name, simplifiedchinese.GB18030)
	}
}

// open reads the header of a mail, and returns its body as it arrived, too.
func open(source []byte) (entity *message.Entity, body []byte, err error) {
	// Bounds the header.
	if _, err := message.Read(bytes.NewReader(source)); !readable(err) {
		return nil, nil, ErrMalformed
	}
	in := bufio.NewReader(bytes.NewReader(source))
	header, err := textproto.ReadHeader(in)
	if err != nil {
		return nil, nil, ErrMalformed
	}
	if body, err = io.ReadAll(in); err != nil {
		return nil, nil, ErrMalformed
	}
	entity, err = part(header, bytes.NewReader(body))
	if !readable(err) {
		return nil, nil, ErrMalformed
	}
	return entity, body, nil
}

// readable reports whether what can be read of a part is of use in spite of the error.
func readable(err error) bool {
	return err == nil || message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)
}

// parts are those of a multipart entity.
type parts struct {
	reader *textproto.MultipartReader
	// broken says that next has returned nil where more follows that cannot be read.
	broken bool
}

// partsOf returns the parts of an entity, or nil if it is a single one.
func partsOf(entity *message.Entity) *parts {
	kind, params, _ := entity.Header.ContentType()
	if !strings.HasPrefix(kind, "multipart/") {
		return nil
	}
	return &parts{reader: textproto.NewMultipartReader(entity.Body, params["boundary"])}
}

// next returns the next part; nil after the last one that can be read.
func (p *parts) next() *message.Entity {
	next, err := p.reader.NextPart()
	if err != nil {
		p.broken = !errors.Is(err, io.EOF)
		return nil
	}
	entity, err := part(next.Header, next)
	if !readable(err) {
		p.broken = true
		return nil
	}
	return entity
}

func part(header textproto.Header, body io.Reader) (*message.Entity, error) {
	h := message.Header{Header: header}
	mend(&h, "Content-Type", typeForm)
	mend(&h, "Content-Disposition", dispositionForm)
	encoding := strings.ToLower(encodingForm.FindString(h.Get("Content-Transfer-Encoding")))
	if encoding != "" {
		h.Set("Content-Transfer-Encoding", encoding)
	}
	if encoding == "quoted-printable" {
		raw, err := io.ReadAll(body)
		if err != nil && len(raw) == 0 {
			return nil, err
		}
		raw = control.ReplaceAllFunc(raw, func(b []byte) []byte { return fmt.Appendf(nil, "=%02X", b) })
		// The decoder takes a line that its reader's buffer has room for.
		body = bufio.NewReaderSize(bytes.NewReader(raw), longestLine(raw)+2)
	}
	return message.New(h, body)
}

func longestLine(raw []byte) (longest int) {
	for line := range bytes.Lines(raw) {
		longest = max(longest, len(line))
	}
	return longest
}

var (
	encodingForm = regexp.MustCompile(`[\w-]+`)
	// control are what a quoted-printable text must not have as it is (RFC 2045, section 6.7), and has at times.
	control = regexp.MustCompile(`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]`)
)

// maxParams bounds what is read of the parameters of a mended field, in bytes: each is sought in the rest of it.
const maxParams = 4 << 10

var (
	typeForm        = regexp.MustCompile(`^\s*([\w.+-]+/[\w.+-]+)`)
	dispositionForm = regexp.MustCompile(`^\s*([\w-]+)`)
	paramForm       = regexp.MustCompile(`[;\s]([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))`)
	nextParam       = regexp.MustCompile(`\s[\w*-]+\s*=`)
	extendedParam   = regexp.MustCompile(`\*(\d+\*?)?\s*=`)
	percentCode     = regexp.MustCompile(`%[[:xdigit:]]{2}`)
	quotedChar      = regexp.MustCompile(`\\(["\\])`)
)

// mend replaces a field that breaks RFC 2045, of which a strict reader takes nothing, or whose parameters may be in a charset
// that it does not know, by what it means; one that means nothing is removed.
func mend(header *message.Header, name string, form *regexp.Regexp) {
	raw := header.Get(name)
	if kind, _, err := mime.ParseMediaType(raw); raw == "" || err == nil && form.MatchString(kind) && !extendedParam.MatchString(raw) {
		return
	}
	value := form.FindStringSubmatch(raw)
	if value == nil {
		header.Del(name)
		return
	}
	params := paramsOf(raw[len(value[0]):min(len(raw), len(value[0])+maxParams)])
	if name == "Content-Type" {
		header.SetContentType(strings.ToLower(value[1]), params)
	} else {
		header.SetContentDisposition(strings.ToLower(value[1]), params)
	}
}

func paramsOf(rest string) map[string]string {
	sent := map[string]string{}
	for param := paramForm.FindStringSubmatch(rest); param != nil; param = paramForm.FindStringSubmatch(rest) {
		_, rest, _ = strings.Cut(rest, param[0])
		if next := nextParam.FindStringIndex(param[3]); next != nil { // without a semicolon before it
			param[3], rest = param[3][:next[0]], param[3][next[0]:]+rest
		}
		key, text := strings.ToLower(param[1]), strings.TrimSpace(quotedChar.ReplaceAllString(param[2], "$1")+param[3])
		if _, again := sent[key]; !again && text != "" {
			sent[key] = text
		}
	}
	params := map[string]string{}
	for key := range sent {
		key, _, _ = strings.Cut(key, "*")
		if _, known := params[key]; known {
			continue
		}
		text := cmp.Or(extended(sent, key), sent[key])
		if decoded, err := (&mime.WordDecoder{CharsetReader: charset.Reader}).DecodeHeader(text); err == nil {
			text = decoded
		}
		if text != "" {
			params[key] = text
		}
	}
	return params
}

// extended is a parameter as RFC 2231 writes it: its charset, language and text, and then the pieces that do not fit in.
func extended(sent map[string]string, key string) string {
	coded := func(text string) string {
		return percentCode.ReplaceAllStringFunc(text, func(code string) string {
			raw, _ := hex.DecodeString(code[1:])
			return string(raw)
		})
	}
	name, text := "", cmp.Or(sent[key+"*"], sent[key+"*0*"])
	if parts := strings.SplitN(text, "'", 3); len(parts) == 3 {
		name, text = parts[0], parts[2]
	}
	raw := cmp.Or(coded(text), sent[key+"*0"])
	for n, more := 1, sent[key+"*"] == ""; more; n++ {
		piece := fmt.Sprintf("%s*%d", key, n)
		next := cmp.Or(coded(sent[piece+"*"]), sent[piece])
		raw, more = raw+next, next != ""
	}
	if in, err := charset.Reader(name, strings.NewReader(raw)); err == nil {
		if text, err := io.ReadAll(in); err == nil {
			return string(text)
		}
	}
	return eightBit(raw)
}
