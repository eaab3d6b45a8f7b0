package mac

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Amount is a number of credits in hundredths, never negative. In JSON it is a
// number with two decimals.
type Amount int64

const perCredit = 100

var (
	errAmount = errors.New("an amount is a number with at most two decimals, such as 0.29")
	decimal   = regexp.MustCompile(`^([0-9]{1,12})(?:\.([0-9]{1,2}))?$`)
)

// ParseAmount reads "5", "0.3" or "0.29". No binary fraction comes between.
func ParseAmount(text string) (Amount, error) {
	parts := decimal.FindStringSubmatch(text)
	if parts == nil {
		return 0, errAmount
	}
	hundredths, err := strconv.ParseInt(parts[1]+(parts[2] + "00")[:2], 10, 64)
	return Amount(hundredths), err
}

func (a Amount) String() string { return fmt.Sprintf("%d.%02d", a/perCredit, a%perCredit) }

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (a *Amount) UnmarshalJSON(text []byte) (err error) {
	*a, err = ParseAmount(strings.TrimSpace(string(text)))
	return err
}
