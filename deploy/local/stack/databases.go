package stack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services"
)

const (
	kratosName   = "kratos"
	postgresName = "postgres"
)

// owners have a role and a database each.
func owners() []string {
	all := []string{kratosName}
	for _, service := range services.All() {
		if service.Database {
			all = append(all, service.Name)
		}
	}
	return all
}

// databases are URLs by owner; files hold the same for the services. id changes
// with the data.
type databases struct {
	urls, files map[string]string
	id          string
}

func (s *Stack) startPostgres(ctx context.Context) error {
	server := s.opts.DatabaseURL
	if server == "" {
		var err error
		if server, err = s.startOwnPostgres(ctx); err != nil {
			return err
		}
	}
	var err error
	s.databases, err = s.provision(ctx, server)
	return err
}

func (s *Stack) startOwnPostgres(ctx context.Context) (serverURL string, err error) {
	options := postgres.Options{
		Bin: s.opts.Tools.PostgresBin, Dir: s.opts.State.Path(postgresName), Port: s.plan.postgres,
		Password: s.secrets.superuser.value, LogFile: s.opts.State.Log(postgresName),
		TLS: &postgres.TLS{CertFile: s.certificates[postgresName].cert, KeyFile: s.certificates[postgresName].key, CAFile: s.certificates[postgresName].ca},
	}
	start := func(ctx context.Context) (*subprocess.Process, error) {
		running, err := postgres.Start(ctx, options)
		if err != nil {
			return nil, err
		}
		serverURL = running.URL()
		return running.Process(), nil
	}
	if s.opts.Form == Processes {
		err := s.startProgram(ctx, postgresName, start)
		return serverURL, err
	}
	process, err := start(ctx)
	if err != nil {
		return "", err
	}
	s.startedChild(postgresName, process)
	return serverURL, nil
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
	mark := s.databaseMark()
	if err := requireOwn(ctx, conn, mark); err != nil {
		return d, err
	}
	if s.opts.DatabaseURL == "" {
		// On a given server others may use these databases.
		if _, err := conn.Exec(ctx, "REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC"); err != nil {
			return d, err
		}
	}
	for _, owner := range owners() {
		password := s.secrets.database[owner].value
		if err := createDatabase(ctx, conn, databasePrefix+owner, password, mark); err != nil {
			return d, fmt.Errorf("database of %s: %w", owner, err)
		}
		u, err := url.Parse(server)
		if err != nil {
			return d, fmt.Errorf("DATABASE_URL: %w", err)
		}
		u.User, u.Path = url.UserPassword(databasePrefix+owner, password), "/"+databasePrefix+owner
		d.urls[owner] = u.String()
		d.files[owner] = s.opts.State.Path("secrets", "database-url-"+owner)
		if err := renameio.WriteFile(d.files[owner], []byte(u.String()+"\n"), 0o600); err != nil {
			return d, err
		}
	}
	err = conn.QueryRow(ctx, `SELECT system_identifier || '/' || oid FROM pg_control_system(), pg_database WHERE datname = $1`,
		databasePrefix+"identity").Scan(&d.id)
	return d, err
}

// databaseMark identifies, in a database's comment, the state folder that created it. It
// does not reveal the key from which it is derived.
func (s *Stack) databaseMark() string {
	sum := sha256.Sum256([]byte("database mark\n" + s.secrets.keyEncryptionKey.value))
	return markPrefix + hex.EncodeToString(sum[:8])
}

const (
	databasePrefix = "fledge_"
	markPrefix     = "Fledge on one machine, secrets "
)

// requireOwn fails when another state folder created the databases: only its secrets
// decrypt the keys in them. It runs before any change, because that folder may be in use.
func requireOwn(ctx context.Context, conn *pgx.Conn, mark string) error {
	var foreign bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database, shobj_description(oid, 'pg_database') comment
		WHERE datname = $1 AND starts_with(comment, $2) AND comment <> $3)`, databasePrefix+"identity", markPrefix, mark).Scan(&foreign)
	if err != nil || !foreign {
		return err
	}
	c := conn.Config()
	return fmt.Errorf("the databases %s… at %s:%d were made with the secrets of another .local folder: bring that folder back, or drop them, or let DATABASE_URL name another server", databasePrefix, c.Host, c.Port)
}

func createDatabase(ctx context.Context, conn *pgx.Conn, name, password, mark string) error {
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
	if _, err := conn.Exec(ctx, verb+" ROLE "+quoted+" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '"+password+"'"); err != nil {
		return err
	}
	if !database {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+quoted+" OWNER "+quoted); err != nil {
			return err
		}
	}
	if _, err := conn.Exec(ctx, "REVOKE ALL ON DATABASE "+quoted+" FROM PUBLIC"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "COMMENT ON DATABASE "+quoted+" IS '"+mark+"'")
	return err
}
