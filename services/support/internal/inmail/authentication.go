package inmail

import (
	"slices"
	"strings"

	"fledge.dev/services/platform/address"
)

// Authentic reports whether the host that received the mail for us, by the name that it gives itself in
// Authentication-Results (RFC 8601), has found the sender's address to be genuine. hosts are its names, where "*." at the
// beginning stands for any host of that domain. Only the topmost field of such a host counts that says something of the
// sender: some servers write one for each thing that they look at, and what is below may have come with the mail.
func (m Mail) Authentic(hosts []string) bool {
	_, domain, ok := strings.Cut(spelled(m.From), "@")
	if !ok {
		return false
	}
	for _, field := range m.results {
		results, complete := statements(strings.ToLower(field))
		if !isOf(results[0], hosts) || complete && saysNothing(results[1:]) {
			continue
		}
		return complete && authentic(results[1:], domain)
	}
	return false
}

func isOf(id, hosts []string) bool {
	return len(id) > 0 && slices.ContainsFunc(hosts, func(host string) bool {
		host = strings.ToLower(strings.TrimSpace(host))
		if host == "" {
			return false
		}
		if domain, within := strings.CutPrefix(host, "*"); within {
			return strings.HasSuffix(id[0], domain) && len(id[0]) > len(domain)
		}
		return id[0] == host
	})
}

// saysNothing reports whether the results are those of other methods than the ones by which a sender is known.
func saysNothing(results [][]string) bool {
	others := false
	for _, result := range results {
		if len(result) == 0 {
			continue
		}
		switch method(result) {
		case "dmarc", "dkim", "spf", "none":
			return false
		}
		others = true
	}
	return others
}

// method is that of a result, without its version.
func method(result []string) string {
	name, _, _ := strings.Cut(result[0], "=")
	name, _, _ = strings.Cut(name, "/")
	return name
}

// authentic goes by DMARC, and where that says nothing by DKIM or SPF of the sender's own domain. A server says one
// thing about DMARC: where it seems to say more, somebody else has a hand in it.
func authentic(results [][]string, domain string) bool {
	aligned, dmarc := false, ""
	for _, result := range results {
		if len(result) == 0 {
			continue
		}
		method := method(result)
		_, verdict, _ := strings.Cut(result[0], "=")
		properties := result[1:]
		for i, property := range properties {
			properties[i] = spelled(property)
		}
		switch {
		case method == "dmarc":
			if verdict == "pass" && has(properties, "header.from=") && !at(properties, "header.from=", domain) {
				verdict = "of another domain"
			}
			if dmarc != "" && dmarc != verdict {
				return false
			}
			dmarc = verdict
		case method == "dkim" && verdict == "pass":
			aligned = aligned || slices.Contains(properties, "header.d="+domain) || slices.Contains(properties, "header.i=@"+domain)
		case method == "spf" && verdict == "pass":
			aligned = aligned || at(properties, "smtp.mailfrom=", domain)
		}
	}
	return dmarc == "pass" || (dmarc == "" || dmarc == "none") && aligned
}

// spelled is an address, or a property of a result, with the domain at its end in A-labels, as which it is compared.
func spelled(of string) string {
	at := strings.LastIndexAny(of, "=@") + 1
	ascii, err := address.ASCIIDomain(of[at:])
	if err != nil {
		return of
	}
	return of[:at] + ascii
}

func has(properties []string, prefix string) bool {
	return slices.ContainsFunc(properties, func(p string) bool { return strings.HasPrefix(p, prefix) })
}

// at reports whether the property is the domain, or an address there: servers write the one or the other.
func at(properties []string, name, domain string) bool {
	return slices.ContainsFunc(properties, func(p string) bool {
		value, ok := strings.CutPrefix(p, name)
		return ok && value[strings.LastIndexByte(value, '@')+1:] == domain
	})
}

// statements are the words of a field between its semicolons, without comments and the marks of quoted strings, in
// which anything may stand that a sender has chosen. Spaces around "=" are none. It is not complete if a comment or a
// string has no end: then nothing tells what the server has written.
func statements(field string) (words [][]string, complete bool) {
	words = [][]string{nil}
	var word []rune
	comments, quoted, escaped := 0, false, false
	begun, gap, equals := false, false, false // a word has; a space was after it; its last sign was "=", not quoted
	end := func() {
		if last := len(words) - 1; begun {
			words[last] = append(words[last], string(word))
		}
		word, begun, gap, equals = nil, false, false, false
	}
	next := func(isEquals bool) {
		if gap && !equals && !isEquals {
			end()
		}
		begun, gap, equals = true, false, isEquals
	}
	for _, r := range field {
		switch {
		case escaped:
			if escaped = false; quoted {
				word = append(word, r)
			}
		case r == '\\' && (quoted || comments > 0):
			escaped = true
		case comments > 0:
			switch r {
			case '(':
				comments++
			case ')':
				comments--
			}
		case r == '"':
			if !quoted {
				next(false)
			}
			quoted = !quoted
		case quoted:
			word = append(word, r)
		case r == '(':
			comments, gap = 1, true
		case r == ';':
			end()
			words = append(words, nil)
		case strings.ContainsRune(" \t\r\n", r):
			gap = true
		default:
			next(r == '=')
			word = append(word, r)
		}
	}
	end()
	return words, comments == 0 && !quoted
}
