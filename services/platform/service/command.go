package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"fledge.dev/services/platform/config"
)

// Command is a command of a binary in addition to serving, such as rotating keys.
type Command struct {
	// Name is the word that calls it, Arguments what may follow: "[--now] [access | refresh]". Other flags are refused.
	Name, Arguments string
	// Summary is its line in the binary's help, Help the text of its own.
	Summary, Help string
	// Run executes it, see Do. Output for people goes to call.Out. A call that makes no sense
	// returns Misuse.
	Run func(ctx context.Context, call Call) error
}

// Call is one use of a command.
type Call struct {
	Args    []string
	Environ []string
	In      io.Reader
	Out     io.Writer
	Runtime *Runtime
}

// Misuse is an error in the call or the configuration of the program: it exits with 2.
func Misuse(format string, args ...any) error { return misuse{error: fmt.Errorf(format, args...)} }

type misuse struct {
	error
	settings bool
}

func (m misuse) Unwrap() error { return m.error }

// Settings loads the settings of a command, which may be others than the service's.
func Settings[C config.Validator](call Call) (C, error) {
	cfg, err := config.Load[C](call.Environ)
	if err != nil {
		err = misuse{err, true}
	}
	return cfg, err
}

// migrate is the command of every service that owns a database.
func migrate[C Config]() Command {
	return Command{
		Name: "migrate", Summary: "bring the database's schema up to date and exit",
		Help: "Replicas that start do the same, unless MIGRATE_ON_START is false.",
		Run: func(ctx context.Context, call Call) error {
			cfg, err := Settings[C](call)
			if err != nil {
				return err
			}
			m, ok := any(cfg).(Migrator)
			if !ok {
				_, err := fmt.Fprintln(call.Out, call.Runtime.Name, "owns no database: nothing to migrate")
				return err
			}
			if len(call.Args) > 0 {
				return Misuse("migrate takes no arguments")
			}
			return m.Migrate(ctx)
		},
	}
}

// dispatch runs the command that args name.
func dispatch(ctx context.Context, commands []Command, args []string, call Call) error {
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Name == args[0] })
	if i < 0 {
		return Misuse("unknown command %q; there is %s", args[0], enumerate(commands))
	}
	command := commands[i]
	if slices.ContainsFunc(args[1:], isHelp) {
		_, err := fmt.Fprintf(call.Out, "Usage: %s\n\n%s: %s.\n\n%s\n", usage(call.Runtime.Name, command), command.Name, command.Summary, strings.Trim(command.Help, "\n"))
		return err
	}
	call.Args = args[1:]
	err := command.Do(ctx, call)
	if m, ok := errors.AsType[misuse](err); ok && !m.settings {
		err = fmt.Errorf("%w\nusage: %s", err, usage(call.Runtime.Name, command))
	}
	return err
}

var (
	flags = regexp.MustCompile(`--[a-z-]+`)
	given = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9-]*)(=.*)?$`)
)

// Do runs the command, unless the call has a flag that Arguments does not: the command might take it for a value.
func (c Command) Do(ctx context.Context, call Call) error {
	known := flags.FindAllString(c.Arguments, -1)
	for _, arg := range call.Args {
		if is := given.FindStringSubmatch(arg); is != nil && !slices.Contains(known, "--"+is[1]) {
			return Misuse("%s has no flag %s", c.Name, arg)
		}
	}
	return c.Run(ctx, call)
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

func usage(program string, c Command) string {
	return strings.TrimSpace(program + " " + c.Name + " " + c.Arguments)
}

func enumerate(commands []Command) string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	last := len(names) - 1
	if last == 0 {
		return "only " + names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// writeHelp describes the binary.
func writeHelp(w io.Writer, program string, commands []Command) error {
	var text strings.Builder
	fmt.Fprintf(&text, "Usage: %[1]s [--validate | --print-config | --version]\n       %[1]s <command>\n\n", program)
	text.WriteString("Without a command it serves until SIGTERM or SIGINT. Settings come from the\nenvironment; KEY_FILE names a file that holds KEY's value.\n\n")
	text.WriteString("  --validate      check the configuration and exit\n  --print-config  show the configuration, secrets hidden, and exit\n" +
		"  --version       show the version and exit\n\nCommands (<command> --help tells more):\n\n")
	for _, c := range commands {
		fmt.Fprintf(&text, "  %-14s  %s\n", c.Name, c.Summary)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
