// Command natsusers prints the users of NATS as a part of nats-server's configuration:
// one for each service, with the rights that it needs. Passwords come from nats-server's
// environment (NATS_BILLING_PASSWORD and so on). The chart's file is made by it.
package main

import (
	"fmt"
	"os"

	"fledge.dev/deploy/local/natsserver"
)

func main() {
	var users []natsserver.User
	for _, rights := range natsserver.Services() {
		users = append(users, natsserver.User{Rights: rights})
	}
	text, err := natsserver.Authorization(users)
	if err == nil {
		_, err = fmt.Print(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "natsusers:", err)
		os.Exit(1)
	}
}
