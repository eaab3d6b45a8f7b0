// Package clientinfo carries what is known of the client of a request, as the gateway saw
// it: address and user agent. The gateway puts it into the request's context; package rpc passes it from
// service to service, and accepts it only from callers with the internal token.
package clientinfo

import (
	"context"
	"strings"
)

// maxUserAgent is how many bytes of a user agent are kept.
const maxUserAgent = 512

// Info is where a request came from. Both parts may be "".
type Info struct {
	// IP is the address in its usual form.
	IP string
	// UserAgent is what the client calls itself: valid UTF-8 without NUL, cut after
	// 512 bytes.
	UserAgent string
}

type key struct{}

// With returns ctx with the client of the request being served.
func With(ctx context.Context, c Info) context.Context {
	c.UserAgent = strings.ReplaceAll(strings.ToValidUTF8(c.UserAgent, ""), "\x00", "")
	if len(c.UserAgent) > maxUserAgent {
		c.UserAgent = strings.ToValidUTF8(c.UserAgent[:maxUserAgent], "")
	}
	return context.WithValue(ctx, key{}, c)
}

// FromContext returns the client of the request being served; the zero Info if
// nobody knows.
func FromContext(ctx context.Context) Info {
	c, _ := ctx.Value(key{}).(Info)
	return c
}
