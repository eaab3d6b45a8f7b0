// Package account tests the end of an account over the whole product: somebody who used
// everything leaves, and nothing of them is left.
package account
