// Package support follows a support ticket through the whole real product: from the
// Mac app and the site to staff, and back to the customer by email.
package support
