package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// part is one package that is in a program or in the site.
type part struct {
	name, version, url, licence string
	// checksum is hexadecimal, by the algorithm as SPDX calls it.
	algorithm, checksum string
}

// goParts reads the modules that are linked into a program.
func goParts(program string) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	return modules(info), nil
}

// modules are those of others, the program's own among them where that is another's, as Kratos' is.
func modules(info *debug.BuildInfo) []part {
	version := strings.TrimPrefix(info.GoVersion, "go")
	parts := []part{{name: "std", version: version, url: "pkg:golang/std@" + version, licence: "BSD-3-Clause"}}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Path == "" || strings.HasPrefix(m.Path, "fledge.dev/") {
			continue
		}
		parts = append(parts, part{name: m.Path, version: m.Version, url: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	return parts
}

// npmParts reads the packages that a lock file installs for production.
func npmParts(lockFile string) ([]part, error) {
	content, err := os.ReadFile(lockFile)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License, Integrity string
			Dev, Link                   bool
		}
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, err
	}
	var parts []part
	for path, p := range lock.Packages {
		at := strings.LastIndex(path, "node_modules/")
		if at < 0 || p.Dev || p.Link {
			continue
		}
		name := path[at+len("node_modules/"):]
		found := part{name: name, version: p.Version, url: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version, licence: p.License}
		if sum, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			if raw, err := base64.StdEncoding.DecodeString(sum); err == nil {
				found.algorithm, found.checksum = "SHA512", hex.EncodeToString(raw)
			}
		}
		if !slices.Contains(parts, found) { // the same in two places of the tree
			parts = append(parts, found)
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.url, b.url) })
	return parts, nil
}
