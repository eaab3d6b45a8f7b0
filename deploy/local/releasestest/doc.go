// Package releasestest runs the releases service against the GitHub stand-in:
// the two are written from the same documentation by way of different code, and
// the local stack needs them to agree.
package releasestest
