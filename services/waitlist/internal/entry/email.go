package entry

import "fledge.dev/services/platform/address"

// MaxEmailLength is the length of the longest address, in octets.
const MaxEmailLength = address.MaxLength

// Email is an address in its only accepted spelling (package address). The zero value is no
// address.
type Email struct{ address string }

// ParseEmail reads an address as a person typed it. The error is address.ErrMissing,
// ErrTooLong, ErrLetters or ErrInvalid, whose texts may be shown to people.
func ParseEmail(typed string) (Email, error) {
	accepted, err := address.Parse(typed)
	return Email{address: accepted}, err
}

// StoredEmail returns an address that ParseEmail made and the database kept. It
// is not checked again: what was accepted once stays readable when the rule
// becomes stricter.
func StoredEmail(address string) Email { return Email{address: address} }

// String returns the address, or "" for the zero value.
func (e Email) String() string { return e.address }
