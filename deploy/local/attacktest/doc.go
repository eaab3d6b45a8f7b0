// Package attacktest attacks the running product through its front door, as
// strangers, customers and staff would who mean harm. Every answer is held against
// the description of the API, and what was refused must have left nothing behind.
package attacktest
