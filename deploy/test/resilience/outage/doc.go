// Package outage takes one dependency after the other away from a running product, and
// checks what still works, what fails and how, and that all of it recovers by itself.
package outage
