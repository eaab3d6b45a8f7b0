// Package outside calls servers that others run, such as a provider's or a customer's webhook.
package outside

import (
	"net/http"
	"time"
)

// Client returns a client that goes through the environment's proxy, if there is one, bounds a call by the timeout
// and never follows a redirect: where it leads was not configured, and may be inside.
func Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: timeout, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
