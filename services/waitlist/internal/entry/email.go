package entry

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Limits of RFC 5321 section 4.5.3.1, in octets. The path limit of 256 includes
// the angle brackets, which leaves 254 for the address.
const (
	MaxEmailLength     = 254
	maxLocalPartLength = 64
)

// Reasons why ParseEmail refuses an address. Their texts may be shown to people.
var (
	ErrEmailMissing = errors.New("Please enter your email address.")                 //nolint:staticcheck // shown to people as it is
	ErrEmailTooLong = errors.New("The email address is longer than 254 characters.") //nolint:staticcheck // shown to people as it is
	ErrEmailInvalid = errors.New("Please enter a valid email address.")              //nolint:staticcheck // shown to people as it is
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

// Email is an address in its only accepted spelling: ASCII, lower case, at most
// 254 octets. Two spellings of one mailbox that differ in case, surrounding
// white space or the encoding of the domain are the same Email; a "+tag" or a dot
// makes another one. The zero value is no address.
type Email struct{ address string }

// ParseEmail reads an address as a person typed it.
//
// The rule is stricter than RFC 5321: the local part is a dot-atom (RFC 5322
// section 3.2.3) in ASCII of at most 64 octets, the domain has at least two
// labels of letters, digits and inner hyphens, and its last label is not a
// number. Quoted local parts, comments, address literals and SMTPUTF8 are
// refused. An internationalised domain is turned into its A-labels ("xn--…").
// White space around the address is dropped, anywhere else it is refused, as
// are control and format characters.
//
// The error is ErrEmailMissing, ErrEmailTooLong or ErrEmailInvalid.
func ParseEmail(typed string) (Email, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return Email{}, ErrEmailMissing
	}
	if len(typed) > MaxEmailLength {
		return Email{}, ErrEmailTooLong
	}
	at := strings.LastIndexByte(typed, '@')
	if at < 0 {
		return Email{}, ErrEmailInvalid
	}
	local, ok := parseLocalPart(typed[:at])
	if !ok {
		return Email{}, ErrEmailInvalid
	}
	domain, ok := parseDomain(typed[at+1:])
	if !ok {
		return Email{}, ErrEmailInvalid
	}
	if len(local)+1+len(domain) > MaxEmailLength {
		return Email{}, ErrEmailTooLong
	}
	return Email{address: local + "@" + domain}, nil
}

// StoredEmail returns an address that ParseEmail made and the database kept. It
// is not checked again: what was accepted once stays readable when the rule
// becomes stricter.
func StoredEmail(address string) Email { return Email{address: address} }

// String returns the address, or "" for the zero value.
func (e Email) String() string { return e.address }

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
	domain, err := domainProfile.ToASCII(s)
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
