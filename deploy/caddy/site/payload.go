package site

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var errPayload = errors.New("a payload of React that cannot be read")

// aPayload is how a payload of React begins, which Next exports as .txt beside each page.
var aPayload = regexp.MustCompile(`^[0-9a-f]*:`)

// fillPayload fills a payload of React. A row that holds a long text gives its length
// in bytes, which changes with the text: "1a:T4d2,…". All other rows end with their line.
func fillPayload(payload string, fill *strings.Replacer) (string, error) {
	var filled strings.Builder
	for rest := payload; rest != ""; {
		colon := strings.IndexByte(rest, ':')
		if colon < 0 || colon+1 == len(rest) {
			return "", errPayload
		}
		id, tag := rest[:colon+1], rest[colon+1]
		if !strings.ContainsRune("TAOobUSsLlGgMmV", rune(tag)) {
			row, after, _ := strings.Cut(rest, "\n")
			filled.WriteString(fill.Replace(rest[:len(rest)-len(after)]))
			_, rest = row, after
			continue
		}
		digits, after, found := strings.Cut(rest[colon+2:], ",")
		length, err := strconv.ParseUint(digits, 16, 31)
		if !found || err != nil || length > uint64(len(after)) {
			return "", errPayload
		}
		text := after[:length]
		if tag == 'T' {
			text = fill.Replace(text)
		}
		fmt.Fprintf(&filled, "%s%c%x,%s", id, tag, len(text), text)
		rest = after[length:]
	}
	return filled.String(), nil
}

// fillPage fills a page, in whose scripts Next may have cut a payload into pieces.
func fillPage(page string, fill *strings.Replacer) (string, error) {
	pieces, payload, err := piecesOfPayload(page)
	if err != nil {
		return "", err
	}
	if !strings.Contains(payload, placeholder) {
		return fill.Replace(page), nil
	}
	payload, err = fillPayload(payload, fill)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(payload) {
		return "", errPayload
	}
	script, err := json.Marshal([]any{inText, payload}) // which writes < as \u003c, as Next does
	if err != nil {
		return "", err
	}
	// The whole payload takes the place of its first piece; the other scripts stay empty.
	var filled strings.Builder
	at := 0
	for i, piece := range pieces {
		filled.WriteString(page[at:piece.begin])
		if i == 0 {
			filled.WriteString(pushes + string(script) + ")")
		}
		at = piece.end
	}
	filled.WriteString(page[at:])
	return fill.Replace(filled.String()), nil
}

// Next hands each piece to its run-time with a script of its own: a kind and a text.
const (
	pushes   = "self.__next_f.push("
	inText   = 1
	inBase64 = 3
)

type span struct{ begin, end int }

// piecesOfPayload are the texts of a page's scripts that hold a payload, and the payload.
func piecesOfPayload(page string) (pieces []span, payload string, err error) {
	var whole bytes.Buffer
	for script := range scripts(page) {
		inner, found := strings.CutPrefix(script.text, pushes)
		if !found {
			continue
		}
		var kind int
		var text []byte
		var parts []json.RawMessage
		err := json.Unmarshal([]byte(strings.TrimSuffix(inner, ")")), &parts)
		if err == nil && len(parts) > 0 {
			err = json.Unmarshal(parts[0], &kind)
		}
		switch {
		case err != nil || len(parts) != 2:
			return nil, "", errPayload
		case kind == inText:
			var piece string
			err = json.Unmarshal(parts[1], &piece)
			text = []byte(piece)
		case kind == inBase64:
			err = json.Unmarshal(parts[1], &text)
		default:
			continue
		}
		if err != nil {
			return nil, "", errPayload
		}
		whole.Write(text)
		pieces = append(pieces, script.span)
	}
	return pieces, whole.String(), nil
}

// script is an inline script of a page: its text, and where that stands.
type script struct {
	span
	text     string
	executed bool
}

// scripts are the inline scripts of a page.
func scripts(page string) func(yield func(script) bool) {
	return func(yield func(script) bool) {
		z := html.NewTokenizer(strings.NewReader(page))
		var inside, executed bool
		for at := 0; z.Next() != html.ErrorToken; {
			begin := at
			at += len(z.Raw())
			token := z.Token()
			switch {
			case token.Type == html.StartTagToken && token.DataAtom == atom.Script:
				inside, executed = kindOf(token)
			case token.Type == html.TextToken && inside:
				if !yield(script{span{begin, at}, page[begin:at], executed}) {
					return
				}
			default:
				inside = false
			}
		}
	}
}

// kindOf tells whether a script is an inline one, and whether a browser executes it:
// JSON-LD and other data are no scripts for the policy.
func kindOf(token html.Token) (inline, executed bool) {
	kind := ""
	for _, attribute := range token.Attr {
		switch attribute.Key {
		case "src":
			return false, false
		case "type":
			kind = strings.ToLower(strings.TrimSpace(attribute.Val))
		}
	}
	switch kind {
	case "", "module", "importmap", "speculationrules", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript":
		return true, true
	}
	return true, false
}
