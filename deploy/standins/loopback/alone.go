package loopback

import "net"

// Alone reports whether this process is in a network of its own that nothing leaves: it has
// no interface that is up but loopback. There a stand-in may have a public name.
func Alone() bool {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
			return false
		}
	}
	return true
}
