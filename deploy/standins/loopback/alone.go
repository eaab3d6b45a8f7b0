package loopback

import "net"

// interfaces are those of the machine, or of the network that this process is in.
var interfaces = net.Interfaces

// Alone reports whether this process is in a network of its own that nothing leaves: it has
// no interface that is up but loopback. There a stand-in may have a public name.
func Alone() bool {
	all, err := interfaces()
	if err != nil {
		return false
	}
	for _, i := range all {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
			return false
		}
	}
	return true
}
