// Package outagetest takes one dependency after the other away from a running product
// and looks what still works, what fails and how, and that all of it comes back by itself.
package outagetest
