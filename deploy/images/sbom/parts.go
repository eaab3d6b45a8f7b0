package main

import (
	"debug/buildinfo"
	"runtime/debug"
	"strings"
)

// part is one module that is in a program. The linker does not record licences: "" is unknown.
type part struct{ name, version, url, licence string }

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
