package inmail

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"fledge.dev/services/platform/text"
)

// invisible are the marks and wide gaps that mail programs put in.
var invisible = strings.NewReplacer("\u00a0", " ", "\ufeff", "")

// clean returns text as tickets keep it, without invisible marks, spaces at the end of lines, and more than two empty
// lines.
func clean(source string) string {
	lines := strings.Split(invisible.Replace(text.Clean(strings.ToValidUTF8(source, "\ufffd"))), "\n")
	kept := lines[:0]
	for _, line := range lines {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if line == "" && len(kept) > 1 && kept[len(kept)-1] == "" && kept[len(kept)-2] == "" {
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// oneLine is text without line breaks and what would turn round what stands beside it.
func oneLine(source string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text.Line(strings.ToValidUTF8(source, "")), "\ufffd", "")), " ")
}

// Line is a subject as a ticket takes it: one line of at most so many characters.
func Line(text string, most int) string { return Cut(oneLine(text), most, "…") }

// Cut returns the first characters of the text with the mark at its end, or all of it if there are
// no more.
func Cut(text string, most int, mark string) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	return strings.TrimSpace(string(runes[:most-utf8.RuneCountInString(mark)])) + mark
}

// unflowed joins the lines that a mail program has broken (RFC 3676).
func unflowed(text string, params map[string]string) string {
	if !strings.EqualFold(params["format"], "flowed") {
		return text
	}
	var out strings.Builder
	flowed := false // the line goes on in the next one
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		fixed := strings.HasPrefix(line, ">") || line == "-- "
		if flowed && fixed {
			out.WriteString("\n")
		}
		if !fixed {
			line = strings.TrimPrefix(line, " ")
		}
		flowed = !fixed && strings.HasSuffix(line, " ")
		switch {
		case !flowed:
			line += "\n"
		case strings.EqualFold(params["delsp"], "yes"):
			line = line[:len(line)-1]
		}
		out.WriteString(line)
	}
	return out.String()
}

// quotes are what mail programs put around the mail that is answered.
var quotes = map[string]bool{
	"gmail_quote": true, "gmail_quote_container": true, "gmail_attr": true, "yahoo_quoted": true, "moz-cite-prefix": true, "protonmail_quote": true,
	"zmail_extra": true, "divrplyfwdmsg": true, "appendonsend": true, "ms-outlook-mobile-reference-message": true, "outlookmessageheader": true,
}

// htmlText is what a page of HTML shows; without the quoted mails, unless nothing is left then. It reports whether more
// than quotes of ours may be left out: of the elements that are no block quotes, nobody knows whose words they have.
func htmlText(source string, withoutQuotes bool, ours []*regexp.Regexp) (shown string, more bool) {
	if !withoutQuotes {
		return shownText(source, false).String(), false
	}
	page := shownText(source, true)
	if strings.TrimSpace(page.String()) == "" {
		return shownText(source, false).String(), false
	}
	return page.String(), page.more || page.quotes && !Quotes(clean(shownText(source, false).String()), ours)
}

// passesOn reports whether a forwarded mail follows the line, which is a short one then.
func passesOn(line string) bool { return len(line) < 100 && passedOn.MatchString(line) }

// lookahead is how much is read before and of a quote, in bytes, to know whether it is a mail that is forwarded.
const lookahead = 1 << 10

// firstLine is the first line that a page of HTML shows.
func firstLine(source string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(shownText(source, false).String()), "\n")
	return strings.TrimSpace(line)
}

// lastLine is the last line of the text, or the end of it: all of the text may be one line, before each of many quotes.
func lastLine(text string) string {
	text = strings.TrimSpace(text[max(0, len(text)-lookahead):])
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

func shownText(source string, withoutQuotes bool) *page {
	out := &page{}
	tokens := html.NewTokenizer(strings.NewReader(source))
	// open is how many elements of the name are open in what is left out.
	open, name := 0, ""
	at := 0 // behind the token, in bytes
	// kept is how many elements of the name are open in what keeps its line breaks.
	kept, keeper := 0, ""
	// link is where the link leads whose text begins at linkAt; "" outside of links.
	link, linkAt := "", 0
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return out
		}
		at += len(tokens.Raw())
		token := tokens.Token()
		if kept > 0 {
			kept += depth(kind, token.Data, keeper)
		} else if kind == html.StartTagToken && keepsBreaks(token) {
			kept, keeper = 1, token.Data
		}
		switch {
		case open > 0:
			open += depth(kind, token.Data, name)
		case withoutQuotes && (outlookRest(token) || kind == html.StartTagToken && quote(token)):
			switch {
			case passesOn(lastLine(out.String())), passesOn(firstLine(source[at:min(len(source), at+lookahead)])):
				withoutQuotes = false // as Answer keeps it
				out.end(false)
			case outlookRest(token):
				out.more = true
				return out
			default:
				out.endBefore(token)
				link, linkAt = "", out.Len()
				open, name = 1, token.Data
				out.quotes, out.more = true, out.more || mixes(token)
			}
		case kind == html.TextToken && kept > 0:
			out.put(strings.ReplaceAll(token.Data, "\r\n", "\n"))
		case kind == html.TextToken:
			out.write(token.Data)
		case kind == html.StartTagToken && neverShown(token.DataAtom):
			open, name = 1, token.Data
		case token.DataAtom == atom.A:
			out.put(target(link, out.String()[linkAt:]))
			link, linkAt = hrefOf(token), out.Len()
		case kind == html.StartTagToken && (token.DataAtom == atom.Td || token.DataAtom == atom.Th):
			out.write(" ")
		case token.DataAtom == atom.Br:
			out.put("\n")
		case block(token.DataAtom):
			out.end(token.DataAtom == atom.P && kind == html.EndTagToken)
		}
	}
}

// page is text as it grows.
type page struct {
	strings.Builder
	// quotes says that quotes are left out, more that they may have more than that.
	quotes, more bool
}

func (p *page) put(text string) { _, _ = p.WriteString(text) }

// write adds text, in which spaces and line breaks of the source are one space.
func (p *page) write(text string) {
	words := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }), " ")
	lineStart := p.Len() == 0 || strings.HasSuffix(p.String(), "\n")
	if !lineStart && (words == "" || strings.ContainsAny(text[:1], " \t\r\n")) && !strings.HasSuffix(p.String(), " ") {
		p.put(" ")
	}
	p.put(words)
	if words != "" && strings.ContainsAny(text[len(text)-1:], " \t\r\n") {
		p.put(" ")
	}
}

// end ends the line, if one has begun; a paragraph has an empty one after it.
func (p *page) end(paragraph bool) {
	if p.Len() > 0 && !strings.HasSuffix(p.String(), "\n") {
		p.put("\n")
	}
	if paragraph {
		p.put("\n")
	}
}

// maxLink is the longest address of a link that is shown, in bytes; longer ones only count who follows them.
const maxLink = 500

// hrefOf is where a link to the web leads; "" for anything else.
func hrefOf(token html.Token) string {
	for _, attr := range token.Attr {
		if href := strings.TrimSpace(attr.Val); attr.Key == "href" && len(href) <= maxLink && strings.HasPrefix(Lower(href), "http") {
			return href
		}
	}
	return ""
}

// target is what is shown after a link's text that does not say itself where it leads, as mail programs write it in plain text.
func target(href, shown string) string {
	shown = strings.TrimSpace(shown)
	if href == "" || shown == "" || strings.Contains(shown, "://") || strings.Contains(shown, ".") && strings.Contains(href, shown) {
		return ""
	}
	return " <" + href + ">"
}

// endBefore leaves out the line above the first quote that says whose it is, which some programs put in no element of its own.
func (p *page) endBefore(quote html.Token) {
	if text := p.String(); !p.quotes && quote.DataAtom == atom.Blockquote && strings.Contains(lastLine(text), "@") {
		p.Reset()
		p.put(strings.Join(withoutIntroduction(strings.Split(text, "\n")), "\n"))
	}
}

func depth(kind html.TokenType, data, name string) int {
	switch {
	case data != name:
		return 0
	case kind == html.StartTagToken:
		return 1
	case kind == html.EndTagToken:
		return -1
	}
	return 0
}

func neverShown(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Title:
		return true
	}
	return false
}

var breaksKept = regexp.MustCompile(`(?i)white-space:\s*(pre|break-spaces)`)

// keepsBreaks reports whether the element shows the line breaks of its source.
func keepsBreaks(token html.Token) bool {
	if token.DataAtom == atom.Pre || token.DataAtom == atom.Textarea {
		return true
	}
	return (block(token.DataAtom) || token.DataAtom == atom.Span || token.DataAtom == atom.Td) && token.DataAtom != atom.Hr &&
		slices.ContainsFunc(token.Attr, func(attr html.Attribute) bool { return attr.Key == "style" && breaksKept.MatchString(attr.Val) })
}

func quote(token html.Token) bool {
	if token.DataAtom == atom.Blockquote {
		return true
	}
	for _, attr := range token.Attr {
		if attr.Key == "class" || attr.Key == "id" {
			for class := range strings.FieldsSeq(strings.ToLower(attr.Val)) {
				if quotes[strings.TrimPrefix(class, "x_")] {
					return true
				}
			}
		}
	}
	return false
}

// mixes reports whether what the sender writes between the lines of a quote is inside of the element, too: it is neither
// the quote alone nor the line above it.
func mixes(token html.Token) bool {
	return token.DataAtom != atom.Blockquote && !slices.ContainsFunc(token.Attr, func(attr html.Attribute) bool {
		return attr.Key == "class" && (attr.Val == "gmail_attr" || attr.Val == "moz-cite-prefix")
	})
}

// outlookRest finds where Outlook begins to quote: what follows is not inside of an element.
func outlookRest(token html.Token) bool {
	for _, attr := range token.Attr {
		id := strings.TrimPrefix(strings.ToLower(attr.Val), "x_")
		if attr.Key == "id" && (id == "divrplyfwdmsg" || id == "appendonsend" || id == "ms-outlook-mobile-reference-message") {
			return true
		}
	}
	return false
}

func block(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Blockquote, atom.Tr, atom.Li, atom.Ul, atom.Ol, atom.Table, atom.Hr, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}
