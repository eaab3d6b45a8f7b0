package loopback

import (
	"net"
	"testing"
)

// Among gives the machine interfaces of these flags, until the end of the test.
func Among(t *testing.T, err error, flags ...net.Flags) {
	t.Helper()
	before := interfaces
	t.Cleanup(func() { interfaces = before })
	interfaces = func() (list []net.Interface, _ error) {
		for _, f := range flags {
			list = append(list, net.Interface{Flags: f})
		}
		return list, err
	}
}
