// Package restore restores the product from a copy of PostgreSQL's data alone, taken while it
// was in use, as deploy/docs/operations.md describes it.
package restore
