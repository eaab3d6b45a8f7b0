package stack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/state"
)

const kratosName = "kratos"

// owners have a role and a database each.
func owners() []string { return append(Services(), kratosName) }

// databases are URLs by owner; files hold the same for the services.
type databases struct {
	urls, files map[string]string
}

func (s *Stack) startPostgres(ctx context.Context) error {
	server := s.opts.DatabaseURL
	if server == "" {
		running, err := postgres.Start(ctx, postgres.Options{
			Bin: s.opts.Tools.PostgresBin, Dir: s.opts.State.Path("postgres"), Port: s.plan.postgres,
			Password: s.secrets.superuser.value, LogFile: s.opts.State.Log("postgres"),
		})
		if err != nil {
			return err
		}
		s.startedChild("postgres", running.Process())
		server = running.URL()
	}
	var err error
	s.databases, err = s.provision(ctx, server)
	return err
}

// provision gives every owner a role and a database that nobody else may enter.
func (s *Stack) provision(ctx context.Context, server string) (databases, error) {
	d := databases{urls: map[string]string{}, files: map[string]string{}}
	if !strings.HasPrefix(server, "postgres://") && !strings.HasPrefix(server, "postgresql://") {
		return d, errors.New("DATABASE_URL is not a URL: write it as postgres://user:password@host:port/postgres")
	}
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return d, fmt.Errorf("database server: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, owner := range owners() {
		password := s.secrets.database[owner].value
		if err := createDatabase(ctx, conn, "fledge_"+owner, password); err != nil {
			return d, fmt.Errorf("database of %s: %w", owner, err)
		}
		u, err := url.Parse(server)
		if err != nil {
			return d, fmt.Errorf("DATABASE_URL: %w", err)
		}
		u.User, u.Path = url.UserPassword("fledge_"+owner, password), "/fledge_"+owner
		d.urls[owner] = u.String()
		d.files[owner] = s.opts.State.Path("secrets", "database-url-"+owner)
		if err := state.WriteFile(d.files[owner], []byte(u.String()+"\n"), 0o600); err != nil {
			return d, err
		}
	}
	return d, nil
}

func createDatabase(ctx context.Context, conn *pgx.Conn, name, password string) error {
	quoted := pgx.Identifier{name}.Sanitize()
	var role, database bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1),
		EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&role, &database)
	if err != nil {
		return err
	}
	verb := "CREATE"
	if role {
		verb = "ALTER"
	}
	// Passwords are hexadecimal, see loadSecrets.
	if _, err := conn.Exec(ctx, verb+" ROLE "+quoted+" LOGIN PASSWORD '"+password+"'"); err != nil {
		return err
	}
	if database {
		return nil
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+quoted+" OWNER "+quoted); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "REVOKE ALL ON DATABASE "+quoted+" FROM PUBLIC")
	return err
}

// withQuery adds parameters to a database's URL, which may have none yet.
func withQuery(database string, parameters map[string]string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	query := u.Query()
	for key, value := range parameters {
		query.Set(key, value)
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}
