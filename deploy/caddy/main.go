// Command caddy is Caddy with those of its modules that the Caddyfile uses, and with the
// site's own. The others bring as much code again: a larger image, a longer first build.
//
// Before it runs, it makes the site of this installation out of the export in FLEDGE_EXPORT,
// in FLEDGE_WEB_ROOT; see package site.
package main

import (
	"fmt"
	"os"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyevents"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/brotli"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/fileserver"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/map"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/rewrite"
	_ "github.com/caddyserver/caddy/v2/modules/filestorage"
	_ "github.com/caddyserver/caddy/v2/modules/logging"
	_ "github.com/caddyserver/caddy/v2/modules/metrics"

	_ "fledge.dev/deploy/caddy/door"
	"fledge.dev/deploy/caddy/site"
)

func main() {
	if export := os.Getenv("FLEDGE_EXPORT"); export != "" && len(os.Args) > 1 && os.Args[1] == "run" {
		if err := site.Install(export, os.Getenv("FLEDGE_WEB_ROOT"), site.FromEnvironment()); err != nil {
			fmt.Fprintf(os.Stderr, "error: the site cannot be made: %v\n", err)
			os.Exit(1)
		}
	}
	caddycmd.Main()
}
