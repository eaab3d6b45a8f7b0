package inmail

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	// original begins the mail that is answered, in the languages that Outlook has for it.
	original = regexp.MustCompile(`(?i)^\*?[-_ ]{2,}\s*(original message|original appointment|urspr.ngliche nachricht|original-nachricht|message d.origine|message original|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|ursprungligt meddelande|oryginalna wiadomo..|исходное сообщение|alkuper.inen viesti|p.vodn. zpr.va|eredeti .zenet|oprindelig meddelelse|opprinnelig melding|원본 메시지|原始邮件|原始郵件|元のメッセージ)\s*[-_ ]*\*?$`)
	// passedOn begins a mail that is forwarded: for us to read.
	passedOn = regexp.MustCompile(`(?i)^[-_ ]{2,}\s*(forwarded message|weitergeleitete nachricht|message transf.r.|mensaje reenviado|mensagem encaminhada|messaggio inoltrato|doorgestuurd bericht|vidarebefordrat meddelande|tre.. przekazanej wiadomo.ci|p.eposlan. zpr.va|пересылаемое сообщение)\s*[-_ ]*$|^>?\s*(begin forwarded message|anfang der weitergeleiteten nachricht|d.but du message transf.r.|inizio messaggio inoltrato|inicio del mensaje reenviado|in.cio da mensagem reenviada|begin doorgestuurd bericht|vidarebefordrat brev|начало переадресованного сообщения)\s*[:：]$`)
	rule     = regexp.MustCompile(`^[-_]{10,}$`)
	// otherField is a line of such a header with another address: Outlook for Mac quotes Reply-To.
	otherField = regexp.MustCompile(`^\*?\pL[\pL\pM -]{0,30}[:：].*@`)
	// fields are the lines of the header that Outlook quotes: who wrote, when, to whom, and about what.
	fields = [...]string{
		`|From|Von|De|Da|Van|Från|Fra|Lähettäjä|Od|Feladó|De la|Kimden|Gönderen|От|Від|发件人|寄件者|差出人|보낸 사람|מאת|من|`,
		`|Sent|Date|Gesendet|Datum|Envoyé|Enviado|Enviada|Enviado el|Enviado em|Enviada em|Fecha|Data|Inviato|Verzonden|Skickat|Sendt|Dato|Lähetetty|Päivämäärä|Wysłano|Wysłane|Odesláno|Elküldve|Dátum|Trimis|Gönderildi|Tarih|Отправлено|Надіслано|Дата|发送时间|寄件日期|送信日時|날짜|보낸 날짜|נשלח|תאריך|تم الإرسال|التاريخ|`,
		`|To|Cc|An|À|A|Para|Aan|Till|Til|Vastaanottaja|Do|Komu|Címzett|Către|Kime|Alıcı|Кому|收件人|收件者|宛先|받는 사람|אל|إلى|`,
		`|Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Ämne|Emne|Aihe|Temat|Předmět|Tárgy|Subiect|Konu|Тема|主题|主旨|件名|제목|נושא|الموضوع|`,
	}
	// told ends in the words that introduce a quote: "On …, … wrote:", in any language; of Zoho, "---- On … wrote ---".
	told = regexp.MustCompile(`[:：]$|^-{3,} .* -{3,}$`)
	// who or when makes such a line of a line that ends in a colon.
	who = regexp.MustCompile(`@|\d{1,2}[:.]\d{2}|\d{4}`)
)

// Answer is what a person wrote of a text themselves: without the mail that it answers, above or
// below. What they wrote between the lines of that mail stays with it. If nothing would be left, all
// is. It reports whether there may be more of theirs in what is left out: that is not a quote of ours with a mark in
// front of each line.
//
// ours match how our own mails begin, which is where a quote of ours does, whatever the mail program has put
// around it.
func Answer(text string, ours []*regexp.Regexp) (answer string, more bool) {
	lines := strings.Split(text, "\n")
	lines, signature := lines[:signatureBelow(lines)], lines[signatureBelow(lines):]
	if i := quoteBelow(lines, ours); i >= 0 {
		more = !quoteOf(lines[i:], ours)
		lines = withoutIntroduction(lines[:i])
	}
	kept := withoutQuoteAbove(lines)
	more = more || len(kept) < len(lines) && !quoteOf(lines[:len(lines)-len(kept)], ours)
	if answer = strings.TrimSpace(strings.Join(kept, "\n")); answer != "" {
		return strings.TrimSpace(answer + "\n\n" + strings.Join(signature, "\n")), more
	}
	return text, false
}

// signatureBelow is the line at which a signature begins that a mail program has put below the quote; the end without one.
func signatureBelow(lines []string) int {
	for i := len(lines) - 1; i > 0 && !quoted(lines[i]); i-- {
		if strings.TrimSpace(lines[i]) != "--" {
			continue
		}
		above := strings.TrimRight(strings.Join(lines[:i], "\n"), " \n")
		if quoted(above[strings.LastIndexByte(above, '\n')+1:]) {
			return i
		}
		break
	}
	return len(lines)
}

// quoteOf reports whether the lines that are left out quote a mail of ours with marks, and have nothing else behind its
// beginning.
func quoteOf(lines []string, ours []*regexp.Regexp) bool {
	start := slices.IndexFunc(lines, quoted)
	return start >= 0 && len(afterQuote(lines[start:])) == 0 && Quotes(strings.Join(lines[start:], "\n"), ours)
}

// Quotes reports whether one of our mails begins within the text.
func Quotes(text string, ours []*regexp.Regexp) bool {
	lines := strings.Split(text, "\n")
	for i := range lines {
		if begins(lines[i:], ours) {
			return true
		}
	}
	return false
}

// quoteBelow is the line at which the answered mail begins that goes on to the end, or -1. What is passed on is no
// such mail, nor is what stands below it.
func quoteBelow(lines []string, ours []*regexp.Regexp) int {
	for i, line := range lines {
		plain := strings.TrimSpace(line)
		switch {
		case passedOn.MatchString(plain):
			return -1
		case original.MatchString(plain), (i > 0 || quoted(line)) && begins(lines[i:], ours) && !answeredBelow(lines[i:]),
			rule.MatchString(plain) && headerAt(lines[i+1:]), headerAt(lines[i:]):
			return i
		}
	}
	end := len(lines)
	for end > 0 && (strings.TrimSpace(lines[end-1]) == "" || quoted(lines[end-1])) {
		end--
	}
	for end < len(lines) && !quoted(lines[end]) {
		end++
	}
	if end == len(lines) {
		return -1
	}
	return end
}

// openingLines is how many lines the beginning of one of our mails may be broken into.
const openingLines = 4

// begins reports whether one of our mails begins in the first line.
func begins(lines []string, ours []*regexp.Regexp) bool {
	opening := make([]string, 0, openingLines)
	for i, line := range lines {
		plain := bare(strings.TrimLeft(line, "> \t"))
		if plain != "" {
			opening = append(opening, plain)
		}
		if i == 0 && plain == "" || len(opening) == openingLines {
			break
		}
	}
	text := strings.Join(opening, "\n")
	return slices.ContainsFunc(ours, func(ours *regexp.Regexp) bool { return ours.MatchString(text) })
}

// answeredBelow reports whether the quote is one of lines with marks after which more follows.
func answeredBelow(lines []string) bool {
	return quoted(lines[0]) && strings.TrimSpace(strings.Join(afterQuote(lines), "")) != ""
}

// headerLines is how many lines the fields of a quoted mail's header are sought in.
const headerLines = 20

// headerAt reports whether a mail's header stands there: three fields, of which one is who wrote and one when or about
// what.
func headerAt(lines []string) bool {
	var has [len(fields)]bool
	n := 0
	for _, line := range lines[:min(len(lines), headerLines)] {
		line = bare(line)
		field := fieldOf(line)
		if field < 0 && (line != "" || n > 0) && (n == 0 || !otherField.MatchString(line)) {
			break
		}
		if field >= 0 && !has[field] {
			has[field] = true
			n++
		}
	}
	return n >= 3 && has[0] && (has[1] || has[3])
}

// fieldOf is the index in fields of what a line without spaces around it is, or -1.
func fieldOf(line string) int {
	end := strings.IndexAny(line, ":：")
	if end <= 0 {
		return -1
	}
	name := "|" + strings.Trim(line[:end], "* \t") + "|"
	return slices.IndexFunc(fields[:], func(names string) bool { return strings.Contains(names, name) })
}

// withoutIntroduction removes the line, which may be broken in two, that says whose quote follows.
func withoutIntroduction(lines []string) []string {
	end := len(lines)
	for end > 0 && strings.TrimSpace(strings.Trim(lines[end-1], "> ")) == "" {
		end--
	}
	if end == 0 || !told.MatchString(bare(lines[end-1])) {
		return lines[:end]
	}
	for from := end - 1; from >= max(0, end-3) && strings.TrimSpace(lines[from]) != ""; from-- {
		if who.MatchString(lines[from]) && (from == 0 || strings.TrimSpace(lines[from-1]) == "" || !who.MatchString(lines[from-1])) {
			return lines[:from]
		}
	}
	return lines[:end]
}

// withoutQuoteAbove removes the answered mail above, if it is the only one.
func withoutQuoteAbove(lines []string) []string {
	start := 0
	for start < len(lines) && !quoted(lines[start]) {
		start++
	}
	if start == len(lines) || len(withoutIntroduction(lines[:start])) > 0 {
		return lines
	}
	rest := afterQuote(lines[start:])
	for _, line := range rest {
		if quoted(line) {
			return lines
		}
	}
	return rest
}

// afterQuote are the lines after the quote with which they begin.
func afterQuote(lines []string) []string {
	for i, line := range lines {
		if !quoted(line) && strings.TrimSpace(line) != "" {
			return lines[i:]
		}
	}
	return nil
}

// bare is a line without spaces and marks of direction around it.
func bare(line string) string {
	return strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

func quoted(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ">") }
