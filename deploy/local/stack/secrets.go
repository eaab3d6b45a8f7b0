package stack

import (
	"errors"

	"fledge.dev/deploy/local/state"
	"fledge.dev/services"
	"fledge.dev/services/identity/kratosconfig"
)

const keyEncryptionKeySize = 32 // bytes, AES-256

// secrets are generated once for a state folder. Files are what the services
// read, values are for the parts that take no files.
type secrets struct {
	internalToken, hookKey, keyEncryptionKey file
	superuser, kratosCookie, kratosCipher    file
	database, nats                           map[string]file // by service
}

type file struct{ path, value string }

func loadSecrets(dir state.Dir) (secrets, error) {
	s := secrets{database: map[string]file{}, nats: map[string]file{}}
	var errs []error
	load := func(name string, generate func() string) file {
		path, value, err := dir.Secret(name, generate)
		errs = append(errs, err)
		return file{path, value}
	}
	token := state.Hex(48)
	s.internalToken = load("internal-token", token)
	s.hookKey = load("hook-key", token)
	s.keyEncryptionKey = load("key-encryption-key", state.Base64(keyEncryptionKeySize))
	s.superuser = load("postgres-superuser", token)
	s.kratosCookie = load("kratos-cookie", state.Hex(kratosconfig.SecretLength))
	s.kratosCipher = load("kratos-cipher", state.Hex(kratosconfig.SecretLength))
	for _, name := range owners() {
		s.database[name] = load("postgres-"+name, token)
	}
	for _, name := range services.Names() {
		s.nats[name] = load("nats-"+name, token)
	}
	return s, errors.Join(errs...)
}
