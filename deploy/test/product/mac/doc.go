// Package mac drives the reference Mac client against the whole real
// product, without a browser: a person signs in over HTTP and hands the sign-in
// over as the site's page does.
package mac
