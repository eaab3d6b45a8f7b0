// Package attack attacks the running product through its front door, as malicious
// strangers, customers and staff. Every answer is checked against the API's description,
// and refused requests must leave no trace in any database.
package attack
