package session

import (
	"net/netip"

	"github.com/mileusna/useragent"
)

// Device is what a browser or an app says of itself, for its owner to recognise.
type Device struct {
	// Name such as "Ann's MacBook", at most 64 characters; browsers have none.
	Name string
	// UserAgent and IPAddress are those of the last use.
	UserAgent string
	IPAddress string
}

// browsers and systems are the names that emails may repeat: whoever signs in writes the user agent.
var (
	browsers = map[string]string{
		useragent.Chrome: "Chrome", useragent.HeadlessChrome: "Chrome", useragent.Edge: "Edge", useragent.Firefox: "Firefox",
		useragent.Opera: "Opera", useragent.Safari: "Safari", "Samsung Browser": "Samsung Internet", useragent.Vivaldi: "Vivaldi",
	}
	systems = map[string]string{
		useragent.Android: "Android", useragent.ChromeOS: "ChromeOS", useragent.IOS: "iPhone or iPad", useragent.Linux: "Linux",
		useragent.MacOS: "Mac", useragent.Windows: "Windows",
	}
)

// Label is what a person knows the device by, such as "Safari on Mac". It stays the same as
// the browser is updated.
func (d Device) Label(kind Kind) string {
	if kind == Mac {
		if d.Name != "" {
			return d.Name
		}
		return "Mac"
	}
	agent := useragent.Parse(d.UserAgent)
	label, system := browsers[agent.Name], systems[agent.OS]
	if label == "" {
		label = "Browser"
	}
	if system != "" {
		label += " on " + system
	}
	return label
}

// SameAs reports whether a device is most likely one that was seen: its owner knows both by one label,
// and they are in one network, a /24 or of IPv6 a /48, if it is known where this one is.
func (d Device) SameAs(seen Device, kind Kind) bool {
	here := network(d.IPAddress)
	return d.Label(kind) == seen.Label(kind) && (!here.IsValid() || here == network(seen.IPAddress))
}

// network is where an address is at home; invalid of what is no address.
func network(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := ip.Unmap(), 48
	if ip.Is4() {
		bits = 24
	}
	prefix, _ := ip.WithZone("").Prefix(bits) // of a valid address, it is always one
	return prefix
}
