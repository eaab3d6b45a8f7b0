// Package supporttest takes a support ticket through the whole real product, from
// the Mac app and the site to staff, and back to the customer by mail.
package supporttest
