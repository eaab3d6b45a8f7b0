// Package restore works on copies of PostgreSQL's data alone, taken while the product was in use: it restores the whole
// of it, puts one service back while the others go on, and moves one to a server of its own, as
// deploy/docs/operations.md and scaling.md describe.
package restore
