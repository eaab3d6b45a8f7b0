package inmail

import (
	"slices"
	"strings"
)

// Authentic reports whether the host that received the mail for us, by the name that it gives
// itself in Authentication-Results (RFC 8601), has found the sender's address to be genuine. Only
// the topmost field of that host counts: what is below may have come with the mail.
func (m Mail) Authentic(host string) bool {
	_, domain, ok := strings.Cut(m.From, "@")
	if !ok || host == "" {
		return false
	}
	for _, field := range m.results {
		results := strings.Split(withoutComments(field), ";")
		if id := strings.Fields(results[0]); len(id) == 0 || !strings.EqualFold(id[0], host) {
			continue
		}
		return authentic(results[1:], domain)
	}
	return false
}

// authentic goes by DMARC, and where that says nothing by DKIM or SPF of the sender's own domain.
func authentic(results []string, domain string) bool {
	aligned := false
	for _, result := range results {
		words := strings.Fields(strings.ToLower(result))
		if len(words) == 0 {
			continue
		}
		method, verdict, _ := strings.Cut(words[0], "=")
		properties := words[1:]
		switch {
		case method == "dmarc" && verdict == "pass":
			return !has(properties, "header.from=") || slices.Contains(properties, "header.from="+domain)
		case method == "dmarc" && verdict != "none":
			return false
		case method == "dkim" && verdict == "pass":
			aligned = aligned || slices.Contains(properties, "header.d="+domain) || slices.Contains(properties, "header.i=@"+domain)
		case method == "spf" && verdict == "pass":
			aligned = aligned || slices.ContainsFunc(properties, func(p string) bool {
				from, ok := strings.CutPrefix(p, "smtp.mailfrom=")
				return ok && (from == domain || strings.HasSuffix(from, "@"+domain))
			})
		}
	}
	return aligned
}

func has(properties []string, prefix string) bool {
	return slices.ContainsFunc(properties, func(p string) bool { return strings.HasPrefix(p, prefix) })
}

// withoutComments removes what stands in parentheses, in which anything may stand.
func withoutComments(field string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
			return ' '
		}
		if depth > 0 {
			return -1
		}
		return r
	}, field)
}
