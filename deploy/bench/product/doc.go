// Package product compares the product with its limits and with what people would use
// instead, see deploy/bench/README.md.
//
// An absolute result says as much about the machine as about the product. So every result
// is a ratio: two loads run right after each other, in several rounds, and the median of
// the rounds' ratios counts.
package product
