// Package refused sends the whole product what its services refuse, and sees that the answer
// names the fields as the caller knows them.
package refused
