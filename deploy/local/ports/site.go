package ports

import (
	"fmt"
	"os"
	"strconv"
)

// Row is how many fixed ports a stack takes, from the site's on: the site, the
// identity providers, the mail page, GitHub, Stripe.
const Row = 5

const (
	defaultSite = 8080
	maxPort     = 65535
)

// Site is the site's port: PORT, or 8080.
func Site() (int, error) {
	value := os.Getenv("PORT")
	if value == "" {
		return defaultSite, nil
	}
	port, err := strconv.Atoi(value)
	if err != nil || port < 1 || port > maxPort-Row+1 {
		return 0, fmt.Errorf("PORT=%q is not a port between 1 and %d", value, maxPort-Row+1)
	}
	return port, nil
}

// RequireRow fails when one of the fixed ports is taken; the error says what to do.
func RequireRow(first int) error {
	for i := range Row {
		if err := Require(first + i); err != nil {
			return err
		}
	}
	return nil
}
