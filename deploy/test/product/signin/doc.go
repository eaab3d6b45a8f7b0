// Package signin signs people in as a browser does: through the real gateway, the real
// Ory Kratos with the configuration of the local stack, the real identity service, and the
// stand-ins for Google and Apple.
package signin
