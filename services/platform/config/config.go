// Package config loads typed settings from the environment. Every setting is a
// field with an `env` tag and its default beside it; KEY_FILE names a file that
// holds KEY's value, so that secrets need not be in the environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Validator checks settings that belong together; it joins all its findings.
type Validator interface{ Validate() error }

// Load fills a C from environ ("KEY=value" strings) and validates it. All
// problems come back in one error, each with the name of its key.
func Load[C Validator](environ []string) (C, error) {
	var cfg C
	values := env.ToMap(environ)
	params, err := env.GetFieldParams(&cfg)
	if err != nil {
		return cfg, fmt.Errorf("config: %w", err)
	}
	if err := readFiles(values, params); err != nil {
		return cfg, err
	}
	if err := env.ParseWithOptions(&cfg, env.Options{Environment: values}); err != nil {
		return cfg, fmt.Errorf("config: %w", err)
	}
	if err := cfg.Validate(); err != nil {
		return cfg, fmt.Errorf("config: %w", err)
	}
	return cfg, nil
}

func readFiles(values map[string]string, params []env.FieldParams) error {
	var errs []error
	for _, p := range params {
		path := values[p.Key+"_FILE"]
		if path == "" {
			continue
		}
		if values[p.Key] != "" {
			errs = append(errs, fmt.Errorf("config: both %s and %s_FILE are set", p.Key, p.Key))
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("config: %s_FILE: %w", p.Key, err))
			continue
		}
		values[p.Key] = strings.TrimRight(string(content), "\r\n")
	}
	return errors.Join(errs...)
}
