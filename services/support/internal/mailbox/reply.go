package mailbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/support/internal/inmail"
	"fledge.dev/services/support/internal/ticket"
)

// ReplyAddress makes the address to which a ticket's mails are answered, such as
// reply+123.k3n…@fledge.example, and reads it again. Its signature is known to those only who got a
// mail of the ticket, or one that was passed on.
type ReplyAddress struct {
	// Base is the address without a ticket, reply@fledge.example. "" makes no addresses.
	Base string
	// Keys sign; the first one is used for new addresses, the others still read old ones.
	Keys config.Secret
}

var signature = base32.StdEncoding.WithPadding(base32.NoPadding)

// signatureBytes is how long a signature is: 80 bits, 16 letters.
const signatureBytes = 10

// Of is the address of the ticket, or "".
func (a ReplyAddress) Of(t ticket.Ticket) string {
	local, domain, ok := strings.Cut(a.Base, "@")
	if !ok {
		return ""
	}
	number := strconv.FormatInt(t.Number, 10)
	return local + "+" + number + "." + sign([]byte(a.Keys.First()), number) + "@" + domain
}

// ticketOf is the number of the ticket whose address is among those.
func (a ReplyAddress) ticketOf(addresses []string) (number int64, ok bool) {
	local, domain, ok := strings.Cut(spelled(a.Base), "@")
	if !ok {
		return 0, false
	}
	for _, one := range addresses {
		tag, ours := strings.CutPrefix(spelled(one), local+"+")
		tag, here := strings.CutSuffix(tag, "@"+domain)
		digits, signed, _ := strings.Cut(tag, ".")
		number, err := strconv.ParseInt(digits, 10, 64)
		if !ours || !here || err != nil {
			continue
		}
		for _, key := range a.Keys.Split() {
			if hmac.Equal([]byte(signed), []byte(sign(key, digits))) {
				return number, true
			}
		}
	}
	return 0, false
}

// spelled is the one spelling of an address; of one that is none, its ASCII letters are in lower case.
func spelled(one string) string {
	if accepted, err := address.Parse(one); err == nil {
		return accepted
	}
	return inmail.Lower(one)
}

func sign(key []byte, number string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("support ticket " + number))
	return strings.ToLower(signature.EncodeToString(mac.Sum(nil)[:signatureBytes]))
}
