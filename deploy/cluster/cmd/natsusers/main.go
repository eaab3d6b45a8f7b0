// Command natsusers prints the users of NATS as a part of nats-server's configuration, see
// deploy/cluster/natsusers. Passwords come from nats-server's environment. The chart's file is
// made by it.
package main

import (
	"fmt"
	"os"

	"fledge.dev/deploy/cluster/natsusers"
)

func main() {
	text, err := natsusers.Authorization(nil)
	if err == nil {
		_, err = fmt.Print(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "natsusers:", err)
		os.Exit(1)
	}
}
