// Package restore restores the product from a copy of PostgreSQL's data alone, taken while it
// was in use: the whole of it, and one service while the others go on, as
// deploy/docs/operations.md describes it.
package restore
