// Command mac is the reference Mac client: the sign-in and the credits of the
// Mac app as a program for any terminal. Everything that matters is in package mac; the
// protocol is described in deploy/docs/mac-app.md.
//
//	mac sign-in       in the browser, back over a loopback address
//	mac handle LINK   what macOS does with fledge://…
//	mac whoami        ask the site
//	mac refresh       replace the tokens now
//	mac token         what is kept, without the secrets
//	mac devices       where the person is signed in
//	mac sign-out      here, or everywhere
//	mac plan          what the person pays for
//	mac credits       what there is to spend
//	mac spend         …, hold, settle: what work costs
//	mac upgrade       to the plans, in the browser
//	mac update        look for a newer app, and load it
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"fledge.dev/deploy/mac"
)

const usage = `usage: mac <command>

  sign-in [--provider google|apple] [--print-url|--open] [--callback-scheme] [--no-pkce]
  handle <fledge://…>       complete a sign-in that comes back on the app's link; - reads the link from stdin
  whoami                    who is signed in, as the site says
  refresh                   replace the tokens now
  token                     what is kept on this machine, without the secrets
  devices                   where the person is signed in
  sign-out [--everywhere]   end the session here, or all sessions of the account

  plan                      what the person pays for
  credits                   what there is to spend
  spend <amount> <what for> take credits; after a lost answer the same again spends once
  hold <amount> <what for>  set aside what a generation may cost, as <hold>
  settle <hold> <amount>    take what it did cost, give back the rest; 0 when it failed
  upgrade [--print-url]     open the plans in the browser

  update [--channel latest|beta|alpha] [--arch arm64|x64] [--macos <version>] [--to <file>] <installed version>
                            what the app should update to, on the person's channel and a macOS such as 15.1; loads and
                            checks it with --to

FLEDGE_SITE_URL names the site (default http://localhost:$PORT, port 8080),
` + mac.StateEnv + ` the folder of the credentials.
`

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		_, _ = fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	case ctx.Err() != nil:
		os.Exit(130) // as shells report Ctrl-C
	default:
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage")

// terminal is a client and where it speaks.
type terminal struct {
	client *mac.Client
	in     io.Reader
	out    io.Writer
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	commands := map[string]func(terminal, context.Context, []string) error{
		"sign-in": terminal.signIn, "handle": terminal.handle, "whoami": terminal.whoAmI, "refresh": terminal.refresh,
		"token": terminal.token, "devices": terminal.devices, "sign-out": terminal.signOut,
		"plan": terminal.plan, "credits": terminal.credits, "spend": terminal.spend, "hold": terminal.hold, "settle": terminal.settle,
		"upgrade": terminal.upgrade, "update": terminal.update,
	}
	command, known := commands[args[0]]
	if !known {
		return errUsage
	}
	site, err := mac.ParseSite(siteAddress())
	if err != nil {
		return err
	}
	store, err := mac.OpenStore("")
	if err != nil {
		return err
	}
	name, _ := os.Hostname() // a device may be without a name
	client := mac.New(mac.Options{Site: site, Store: store, DeviceName: name})
	return command(terminal{client: client, in: in, out: out}, ctx, args[1:])
}

func siteAddress() string {
	if site := os.Getenv("FLEDGE_SITE_URL"); site != "" {
		return site
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	return "http://localhost:" + port
}

// parse reads the flags of a command that takes as many words as given.
func parse(args []string, words int, define func(*flag.FlagSet)) (*flag.FlagSet, error) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	define(flags)
	if err := flags.Parse(args); err != nil || flags.NArg() != words {
		return nil, errUsage
	}
	return flags, nil
}

func (t terminal) say(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format+"\n", args...) }
