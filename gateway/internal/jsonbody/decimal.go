package jsonbody

import (
	"errors"
	"strconv"
	"strings"
)

// Decimal is an exact number of hundredths: 1234 is the JSON number 12.34. It is
// read from the number's text and written as text, never through a float.
type Decimal int64

var (
	errNotANumber = errors.New("jsonbody: not a number")
	// errNotExact is for a number that a Decimal cannot hold.
	errNotExact = errors.New("jsonbody: not a number with at most two decimals")
)

// maxDigits keeps parsing cheap. 15 digits fit into an int64 by far, and JavaScript
// represents them exactly.
const maxDigits = 15

// MarshalJSON writes the shortest form: 50, 12.5, -0.05.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// String is the shortest form.
func (d Decimal) String() string {
	sign, n := "", uint64(d)
	if d < 0 {
		sign, n = "-", -n
	}
	text := sign + strconv.FormatUint(n/100, 10)
	if cents := n % 100; cents != 0 {
		text += strings.TrimRight("."+strconv.FormatUint(cents/10, 10)+strconv.FormatUint(cents%10, 10), "0")
	}
	return text
}

// UnmarshalJSON accepts any form of a number that has at most two decimals, such as 12.34,
// 12.340 and 1e2. Null leaves d as it is, as with any type.
func (d *Decimal) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if text == "null" {
		return nil
	}
	digits, negative := strings.CutPrefix(text, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return errNotANumber
	}
	n, ok := hundredths(digits)
	if !ok {
		return errNotExact
	}
	if negative {
		n = -n
	}
	*d = Decimal(n)
	return nil
}

// hundredths reads an unsigned JSON number of valid syntax.
func hundredths(text string) (int64, bool) {
	mantissa, power := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if power, err = strconv.Atoi(text[i+1:]); err != nil || power > maxDigits || power < -maxDigits {
			return 0, false
		}
		mantissa = text[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	zeros := power + 2 - len(fraction)
	switch {
	case len(digits) > 2*maxDigits:
		return 0, false
	case zeros < 0:
		keep := max(0, len(digits)+zeros)
		if strings.Trim(digits[keep:], "0") != "" {
			return 0, false
		}
		digits = digits[:keep]
	default:
		digits += strings.Repeat("0", zeros)
	}
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > maxDigits {
		return 0, false
	}
	if digits == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}
