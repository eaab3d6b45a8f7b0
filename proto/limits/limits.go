// Package limits has the bounds that both ends of a call keep to.
package limits

// SignUps is the most addresses that one JoinAll of the waitlist takes.
const SignUps = 128
