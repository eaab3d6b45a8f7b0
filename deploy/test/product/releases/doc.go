// Package releases tests the releases service against the stand-in for GitHub: both
// implement the same documentation independently, and the local stack needs them to agree.
package releases
