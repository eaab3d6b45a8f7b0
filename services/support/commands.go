package support

import (
	"context"
	"fmt"
	"strconv"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/seed"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command { return []service.Command{seedTickets()} }

// maxSeed is what one statement adds within a minute or so.
const maxSeed = 500_000

// databaseSettings are all that seed needs.
type databaseSettings struct{ Database pg.Config }

// Validate checks them.
func (s databaseSettings) Validate() error { return s.Database.Validate() }

func seedTickets() service.Command {
	return service.Command{
		Name: "seed", Arguments: "<number>",
		Summary: "invent tickets in a database on this machine and exit",
		Help: `
Adds as many tickets, with answers and histories, to see how lists and searches do
with many. Nobody is written to and no event tells of them. Any database that is not
on this machine is refused. Needs DATABASE_URL only, and the schema (migrate).`,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 1 {
				return service.Misuse("say how many tickets")
			}
			n, err := strconv.Atoi(call.Args[0])
			if err != nil || n < 1 || n > maxSeed {
				return service.Misuse("the number of tickets is 1 to %d", maxSeed)
			}
			cfg, err := service.Settings[databaseSettings](call)
			if err != nil {
				return err
			}
			if err := seed.Tickets(ctx, cfg.Database.URL.Reveal(), n); err != nil {
				return err
			}
			_, err = fmt.Fprintln(call.Out, "added", n, "tickets")
			return err
		},
	}
}
