// Package address is the one rule for email addresses by which the product knows people:
// which it takes, and when two spellings are one mailbox. Addresses are compared in the form
// that Parse gives them, never by folding case: to Unicode's folding K (U+212A, the Kelvin
// sign) is a k, and two mailboxes would become one person.
package address

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Limits of RFC 5321 section 4.5.3.1, in octets. The path limit of 256 includes
// the angle brackets, which leaves 254 for the address.
const (
	MaxLength          = 254
	maxLocalPartLength = 64
)

// Reasons why Parse refuses an address. Their texts may be shown to people.
var (
	ErrMissing = errors.New("Please enter your email address.")                                              //nolint:staticcheck // shown to people as it is
	ErrTooLong = errors.New("The email address is longer than 254 characters.")                              //nolint:staticcheck // shown to people as it is
	ErrLetters = errors.New("An email address with letters beyond a to z before the @ cannot be used here.") //nolint:staticcheck // shown to people as it is
	ErrInvalid = errors.New("Please enter a valid email address.")                                           //nolint:staticcheck // shown to people as it is
)

// domainProfile maps and checks domain names by UTS 46 and IDNA2008.
var domainProfile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.BidiRule(),
	idna.StrictDomainName(true),
	idna.CheckHyphens(false), // names such as r3---sn-x.example.com are in use
	idna.VerifyDNSLength(true),
)

// partProfile maps a part of a domain name as domainProfile does the whole.
var partProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.CheckHyphens(false))

// Parse reads an address as a person typed it or a provider gave it, and returns it in its
// only accepted spelling: ASCII, lower case, at most 254 octets. Two spellings of one mailbox
// that differ in case, what surrounds them or the encoding of the domain become the same;
// a "+tag" or a dot makes another one.
//
// The rule is stricter than RFC 5321: the local part is a dot-atom (RFC 5322
// section 3.2.3) in ASCII of at most 64 octets, the domain has at least two
// labels of letters, digits and inner hyphens, and its last label is not a
// number. Quoted local parts, comments, address literals and SMTPUTF8 are
// refused. An internationalised domain is turned into its A-labels ("xn--…").
// White space and invisible format characters around the address, which come along when it is
// pasted, are dropped; anywhere else they are refused, as are control characters.
//
// The error is ErrMissing, ErrTooLong, ErrInvalid, or ErrLetters for an address that is refused for the letters of its local
// part alone (SMTPUTF8, RFC 6531): many servers deliver nothing to those, and which spellings are one mailbox is not known.
func Parse(typed string) (string, error) {
	typed = strings.TrimFunc(typed, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	if typed == "" {
		return "", ErrMissing
	}
	if len(typed) > MaxLength {
		return "", ErrTooLong
	}
	at := strings.LastIndexByte(typed, '@')
	if at < 0 {
		return "", ErrInvalid
	}
	domain, ok := parseDomain(typed[at+1:])
	if !ok {
		return "", ErrInvalid
	}
	local, ok := parseLocalPart(typed[:at])
	if !ok {
		if _, ok := parseLocalPart(strings.Map(asciiLetter, typed[:at])); ok && utf8.ValidString(typed) {
			return "", ErrLetters
		}
		return "", ErrInvalid
	}
	if len(local)+1+len(domain) > MaxLength {
		return "", ErrTooLong
	}
	return local + "@" + domain, nil
}

// Is reports whether the text is an address, be it one that Parse refuses for its letters.
func Is(typed string) bool {
	_, err := Parse(typed)
	return err == nil || errors.Is(err, ErrLetters)
}

// Same returns the accepted spelling of two addresses that are one mailbox. It reports false
// if they are not, or are no addresses.
func Same(one, other string) (string, bool) {
	accepted, err := Parse(one)
	if err != nil {
		return "", false
	}
	if again, err := Parse(other); err != nil || again != accepted {
		return "", false
	}
	return accepted, true
}

// Searched is the form in which a part of an address, as somebody typed it, stands in stored ones: in lower case, with a
// domain in A-labels. Only whole labels beyond ASCII are found by it; where other text is searched, too, index Unicode's form.
func Searched(typed string) string {
	lower := strings.ToLower(typed)
	at := strings.LastIndexByte(lower, '@') + 1
	if strings.IndexFunc(lower[at:], func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return lower
	}
	ascii, err := partProfile.ToASCII(lower[at:])
	if err != nil {
		return lower
	}
	return lower[:at] + ascii
}

// SearchedUnicode is the form in which a part of an address, as somebody typed it, stands in those that Unicode returns:
// parts of labels beyond ASCII are found by it, too.
func SearchedUnicode(typed string) string {
	lower := strings.ToLower(typed)
	at := strings.LastIndexByte(lower, '@') + 1
	domain, err := partProfile.ToUnicode(lower[at:])
	if err != nil {
		return lower
	}
	return lower[:at] + domain
}

// Unicode is the address as people write it: with the domain's letters instead of its A-labels ("xn--…"). It is for
// searches and to be read, not to be compared.
func Unicode(address string) string {
	at := strings.LastIndexByte(address, '@')
	domain, err := domainProfile.ToUnicode(address[at+1:])
	if err != nil {
		return address
	}
	return address[:at+1] + domain
}

// ASCIIDomain is a domain name as every server knows it, in A-labels ("xn--…") and lower case. The error is that of a name
// that UTS 46 or the DNS does not allow; names of hosts with one label and "localhost" are allowed.
func ASCIIDomain(domain string) (string, error) { return domainProfile.ToASCII(domain) }

func parseLocalPart(s string) (string, bool) {
	if len(s) > maxLocalPartLength {
		return "", false
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.IndexFunc(atom, notAtomText) >= 0 {
			return "", false
		}
	}
	return strings.ToLower(s), true
}

// asciiLetter is r, or a letter of ASCII for one beyond it.
func asciiLetter(r rune) rune {
	if r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)) {
		return 'a'
	}
	return r
}

// notAtomText reports whether r is outside atext of RFC 5322 section 3.2.3.
func notAtomText(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	default:
		return !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
	}
}

func parseDomain(s string) (string, bool) {
	// UTS 46 drops some invisible characters silently. An address must look
	// like what is stored, so they are refused before the mapping.
	if strings.IndexFunc(s, invisible) >= 0 {
		return "", false
	}
	domain, err := ASCIIDomain(s)
	if err != nil || strings.HasSuffix(domain, ".") {
		return "", false
	}
	labels := strings.Split(domain, ".")
	if len(labels) < 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return "", false
	}
	for _, label := range labels {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return "", false
		}
	}
	return domain, true
}

func invisible(r rune) bool {
	return r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
