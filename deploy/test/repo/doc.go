// Package repo tests the rules of the repository: which package may import which, how
// long files may be, and what every binary's main looks like.
package repo
