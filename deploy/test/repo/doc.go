// Package repo tests the rules of the repository, see CONTRIBUTING.md: imports, sizes, layout,
// packages in READMEs, workflows, licences.
package repo
