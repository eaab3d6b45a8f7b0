// Package archtest holds the rules of the repository as tests: who may import whom,
// how long files get, what every binary's main looks like.
package archtest
