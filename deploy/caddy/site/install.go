package site

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// static is where the export has the files whose names are hashes of their content. They
	// are served from there, already compressed.
	static = "_next/static"
	// pages and policies are what Install writes.
	pages    = "pages"
	policies = "csp.caddy"
)

// texts are the kinds of files that may hold placeholders.
var texts = map[string]bool{".html": true, ".xml": true, ".txt": true, ".json": true, ".webmanifest": true, ".svg": true}

// Install reads the export in the folder from and writes the folder to: the site in
// to/pages, without _next/static, and its policies, for Caddy, in to/csp.caddy. What was
// there before is replaced at once. Beside it, it needs room for another.
func Install(from, to string, values Values) (err error) {
	if err := values.Check(); err != nil {
		return err
	}
	if err := replaceable(to); err != nil {
		return err
	}
	made, err := newFolder(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	installation := installation{from: from, to: made, fill: values.filler(), policies: map[string]string{}}
	if err := installation.writeSite(); err != nil {
		return err
	}
	content, err := policyMap(installation.policies)
	if err != nil {
		return err
	}
	security := path.Join(".well-known", "security.txt")
	if err := errors.Join(
		installation.write(policies, []byte(content)),
		installation.write(path.Join(pages, security), securityText(values, security, time.Now())),
	); err != nil {
		return err
	}
	return replace(to, made)
}

// replaceable refuses to replace what Install has not written.
func replaceable(to string) error {
	if to == "" {
		return errors.New("FLEDGE_WEB_ROOT is missing: the folder to write the site to")
	}
	_, err := os.Stat(to)
	_, policiesErr := os.Stat(filepath.Join(to, policies))
	if err == nil && policiesErr != nil {
		return fmt.Errorf("FLEDGE_WEB_ROOT is %s, which is there already and is no site: name a folder that may be replaced", to)
	}
	return nil
}

// newFolder makes an empty folder beside another, and removes those that a killed program left.
func newFolder(beside string) (string, error) {
	parent, prefix := filepath.Dir(beside), filepath.Base(beside)+".new-"
	if err := os.MkdirAll(parent, 0o750); err != nil {
		return "", err
	}
	left, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return "", err
	}
	for _, folder := range left {
		if err := os.RemoveAll(folder); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(parent, prefix)
}

// replace gives made the name to.
func replace(to, made string) error {
	old := made + "-old"
	err := os.Rename(to, old)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(made, to)
	}
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(made, to), os.RemoveAll(old))
}

// installation is one that is being written.
type installation struct {
	from, to string
	fill     *strings.Replacer

	mu       sync.Mutex
	policies map[string]string
}

// atOnce bounds the memory of the compressors.
const atOnce = 4

func (i *installation) writeSite() error {
	names := make(chan string)
	failures := make(chan error, atOnce)
	var workers sync.WaitGroup
	for range min(atOnce, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			var compress compressor
			var failed error
			for name := range names {
				if failed == nil {
					failed = i.install(name, &compress)
				}
			}
			failures <- failed
		})
	}
	err := fs.WalkDir(os.DirFS(i.from), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && !isCompressed(name) {
			names <- name
		}
		return err
	})
	close(names)
	workers.Wait()
	close(failures)
	for failed := range failures {
		err = errors.Join(err, failed)
	}
	return err
}

// install writes one file, and its compressed forms.
func (i *installation) install(name string, compress *compressor) error {
	content, err := os.ReadFile(filepath.Join(i.from, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	isStatic := strings.HasPrefix(name, static+"/")
	if texts[path.Ext(name)] && !isStatic {
		filled, err := i.filled(name, string(content))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		content = []byte(filled)
	}
	if at := strings.Index(string(content), placeholder); at >= 0 {
		context := string(content[max(0, at-20):min(len(content), at+len(placeholder)+20)])
		return fmt.Errorf("%s: %q is none of the placeholders that can be filled in there", name, context)
	}
	if isStatic {
		return nil
	}
	target := path.Join(pages, name)
	if err := i.write(target, content); err != nil {
		return err
	}
	if !isCompressible(name, content) {
		return nil
	}
	for extension, form := range compress.forms(content) {
		if err := i.write(target+extension, form); err != nil {
			return err
		}
	}
	return nil
}

func (i *installation) filled(name, content string) (string, error) {
	switch {
	case path.Ext(name) == ".html":
		filled, err := fillPage(content, i.fill)
		if err != nil {
			return "", err
		}
		route, err := routeOf(name)
		if err != nil {
			return "", err
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.policies[route] = policy(scriptHashes(filled))
		return filled, nil
	case path.Ext(name) == ".txt" && aPayload.MatchString(content):
		return fillPayload(content, i.fill)
	}
	return i.fill.Replace(content), nil
}

func (i *installation) write(name string, content []byte) error {
	file := filepath.Join(i.to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600) //nolint:gosec // G703: the name is one of the export
}

// securityText says where to report vulnerabilities (RFC 9116). It expires in less than a
// year, as the RFC recommends.
func securityText(values Values, name string, now time.Time) []byte {
	return fmt.Appendf(nil, "Contact: mailto:%s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s/%s\n",
		values.Support, now.UTC().AddDate(1, 0, -1).Format(time.RFC3339), values.Origin, name)
}
